"""rdflib plugins: Jelly-Patch and Jelly-RDF as formats, and the store `JellyStore`."""

from __future__ import annotations

from typing import Any, NamedTuple

import rdflib.plugin
import rdflib.util
from rdflib.parser import Parser
from rdflib.query import UpdateProcessor
from rdflib.serializer import Serializer
from rdflib.store import Store

from jelly_rdflib import importers
from jelly_rdflib.extras import advice


def _import_arrow() -> Any:
    # Import the module here, since it needs pyarrow, which is an extra.
    from jelly_rdflib import arrow

    return arrow


def _import_remote_log() -> Any:
    # Import the module here, since it needs httpx2, which is an extra.
    with advice("a patch log on a server", "jelly-rdflib[http]"):
        from jelly_rdflib.live.http.remote_log import open_remote
    return open_remote


def _import_fuseki() -> Any:
    # Import the module here, since it needs httpx2, which is an extra.
    with advice("a change of data on a server", "jelly-rdflib[http]"):
        from jelly_rdflib.live.fuseki import apply_to_fuseki
    return apply_to_fuseki


importers.import_arrow = _import_arrow
importers.import_fuseki = _import_fuseki
importers.import_remote_log = _import_remote_log


class Plugin(NamedTuple):
    """The plugins for a format, under the names that `jelly_rdflib.formats` has for the format.

    Each file extension maps to the first name. ``module`` starts the names of the parser's and the
    serializer's module, and ``classes`` the names of their classes.
    """

    names: tuple[str, ...]
    extensions: tuple[str, ...]
    module: str
    classes: str


PLUGINS = (
    Plugin(("jelly-patch", "application/x-jelly-rdf-patch"), ("jellyp",), "patch", "JellyPatch"),
    Plugin(("rdf-patch", "application/rdf-patch"), ("rdfp",), "patch", "RdfPatch"),
    Plugin(
        ("rdf-patch-thrift", "application/rdf-patch+thrift"), ("rdfpb",), "patch", "RdfPatchThrift"
    ),
    # There is no entry point for the name "jelly": pyjelly has one, and if there were two,
    # the order of folders on the import path would decide which one is used.
    Plugin(("jelly-rdf", "jelly", "application/x-jelly-rdf"), ("jelly",), "rdf", "Jelly"),
)


def register() -> None:
    """Register the plugins with rdflib, and the formats of ``.jellyp`` and ``.jelly`` files.

    ``import jelly_rdflib`` calls it. If the package is installed, rdflib also finds the names
    through entry points, without that import. But the formats of file names and the name ``jelly``
    are only registered by this call. A name that rdflib knows already is left alone: if pyjelly is
    installed, ``jelly`` is pyjelly's, the media type may belong to either package, and
    ``jelly-rdf`` is always ours.
    After the call, SPARQL Update on a recorded store and on a `JellyStore` is run by this package,
    and on all other stores by rdflib.

    Examples:
        >>> import rdflib.util
        >>> register()
        >>> rdflib.util.guess_format("changes.jellyp"), rdflib.util.guess_format("data.jelly")
        ('jelly-patch', 'jelly-rdf')
    """
    if not any(rdflib.plugin.plugins("Jelly", Store)):
        rdflib.plugin.register("Jelly", Store, f"{__name__}.store", "JellyStore")
    # Register the class by its name, since importing rdflib's SPARQL takes as long as all other
    # imports together.
    rdflib.plugin.register("sparql", UpdateProcessor, f"{__name__}.updates", "Updates")
    for plugin in PLUGINS:
        for kind, word in ((Parser, "parser"), (Serializer, "serializer")):
            for name in plugin.names:
                if not any(rdflib.plugin.plugins(name, kind)):
                    rdflib.plugin.register(
                        name,
                        kind,
                        f"{__name__}.{plugin.module}_{word}",
                        f"{plugin.classes}{word.title()}",
                    )
        for extension in plugin.extensions:
            rdflib.util.SUFFIX_FORMAT_MAP[extension] = plugin.names[0]
