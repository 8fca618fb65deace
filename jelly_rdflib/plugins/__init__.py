"""rdflib plugins: Jelly-Patch as a format that can be parsed and serialized."""

from __future__ import annotations

import rdflib.plugin
import rdflib.util
from rdflib.parser import Parser
from rdflib.serializer import Serializer

from jelly_rdflib.encodings import find_encoding

__all__ = ["register"]

# How the names of each encoding's plugin classes start.
_PLUGINS = {"jelly-patch": "JellyPatch"}


def register() -> None:
    """Make the plugins known to rdflib, and the format of ``.jellyp`` files to its guessing.

    Installed, the package has entry points that rdflib finds by itself; so only the guessing, and
    a package that is used where it lies, needs this.

    Examples:
        >>> register()
        >>> rdflib.util.guess_format("changes.jellyp")
        'jelly-patch'
    """
    for encoding_name, prefix in _PLUGINS.items():
        encoding = find_encoding(encoding_name)
        for name in (encoding.name, *encoding.media_types):
            rdflib.plugin.register(name, Parser, "jelly_rdflib.plugins.parser", f"{prefix}Parser")
            rdflib.plugin.register(
                name, Serializer, "jelly_rdflib.plugins.serializer", f"{prefix}Serializer"
            )
        for extension in encoding.extensions:
            rdflib.util.SUFFIX_FORMAT_MAP[extension] = encoding.name
