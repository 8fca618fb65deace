"""rdflib plugins: Jelly-Patch and Jelly-RDF as formats that can be parsed and serialized."""

from __future__ import annotations

import rdflib.plugin
import rdflib.util
from rdflib.parser import Parser
from rdflib.serializer import Serializer

from jelly_rdflib.encodings import find_encoding

__all__ = ["register"]

# The module and the class of each encoding's plugins.
_PARSERS = {
    "jelly-patch": ("jelly_rdflib.plugins.patch_parser", "JellyPatchParser"),
    "jelly-rdf": ("jelly_rdflib.plugins.rdf_parser", "JellyParser"),
    "rdf-patch": ("jelly_rdflib.plugins.patch_parser", "RdfPatchParser"),
}
_SERIALIZERS = {
    "jelly-patch": ("jelly_rdflib.plugins.patch_serializer", "JellyPatchSerializer"),
    "jelly-rdf": ("jelly_rdflib.plugins.rdf_serializer", "JellySerializer"),
    "rdf-patch": ("jelly_rdflib.plugins.patch_serializer", "RdfPatchSerializer"),
}


def register() -> None:
    """Make the plugins known to rdflib, and the formats of ``.jellyp`` and ``.jelly`` files.

    Installed, the package has entry points that rdflib finds by itself; so only the guessing from a
    file's name, and a package that is used where it lies, needs this. A name that rdflib knows
    already stays what it is. ``jelly`` and the media type may be another package's, if one is
    installed that has entry points of these names: which one rdflib finds last is the one it takes.
    ``jelly-rdf`` is ours.

    Examples:
        >>> register()
        >>> rdflib.util.guess_format("changes.jellyp"), rdflib.util.guess_format("data.jelly")
        ('jelly-patch', 'jelly-rdf')
    """
    for kind, classes in ((Parser, _PARSERS), (Serializer, _SERIALIZERS)):
        for encoding_name, (module, class_name) in classes.items():
            encoding = find_encoding(encoding_name)
            for name in encoding.names:
                if not any(rdflib.plugin.plugins(name, kind)):
                    rdflib.plugin.register(name, kind, module, class_name)
            for extension in encoding.extensions:
                rdflib.util.SUFFIX_FORMAT_MAP[extension] = encoding.name
