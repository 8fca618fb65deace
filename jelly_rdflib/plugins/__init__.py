"""rdflib plugins: Jelly-Patch as a format that can be parsed and serialized."""

from __future__ import annotations

import rdflib.plugin
import rdflib.util
from rdflib.parser import Parser
from rdflib.serializer import Serializer

__all__ = ["register"]

_NAMES = ("jelly-patch", "application/x-jelly-rdf-patch")
_EXTENSION = "jellyp"


def register() -> None:
    """Make the plugins known to rdflib, and the format of ``.jellyp`` files to its guessing.

    Installed, the package has entry points that rdflib finds by itself; so only the guessing, and
    a package that is used where it lies, needs this.

    Examples:
        >>> register()
        >>> rdflib.util.guess_format("changes.jellyp")
        'jelly-patch'
    """
    for name in _NAMES:
        rdflib.plugin.register(name, Parser, "jelly_rdflib.plugins.parser", "JellyPatchParser")
        rdflib.plugin.register(
            name, Serializer, "jelly_rdflib.plugins.serializer", "JellyPatchSerializer"
        )
    rdflib.util.SUFFIX_FORMAT_MAP[_EXTENSION] = _NAMES[0]
