"""Reads N3 without formulas into a `JellyStore`, with rdflib's own parser."""

from __future__ import annotations

from typing import Any

import rdflib.plugin
from rdflib.graph import Graph
from rdflib.parser import InputSource, Parser
from rdflib.plugins.stores.memory import Memory
from rdflib.term import BNode, Literal, URIRef

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.plugins.parser_errors import ParserApplyError
from jelly_rdflib.store.jelly_store import JellyStore

__all__ = ["N3Parser"]

_NAMES = ("n3", "text/n3")


class _StoreWithoutFormulas(Memory):
    """Receives the output of rdflib's parser, until there is something a `JellyStore` can't hold.

    This class is needed since rdflib's parser refuses every store that can't hold formulas, even
    if a text has none.
    """

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        if quoted or not all(type(term) in (URIRef, BNode, Literal) for term in triple):
            raise ParserApplyError(
                "this N3 has a formula or a variable, which a JellyStore can't hold: parse it into"
                ' a graph of rdflib\'s own store, Graph(store="Memory")'
            )
        try:
            for term in triple:
                term.encode()
        except UnicodeEncodeError as error:
            raise EncodeError(f"text has no UTF-8 form: {error}") from error
        super().add(triple, context, quoted)


class N3Parser(Parser):
    """Adds the statements of N3 to a graph of a `JellyStore`.

    For other stores it calls rdflib's own parser.
    """

    _other: type[Parser] = rdflib.plugin.get(_NAMES[0], Parser)

    def parse(self, source: InputSource, sink: Graph, *more: Any, **settings: Any) -> None:
        """Add the statements of the text to the sink: all of them, or none after an error.

        Args:
            source: The input that rdflib has opened.
            sink: The graph to add to.
            more, settings: Arguments for rdflib's own parser.

        Raises:
            ApplyError: The text has a formula or a variable.
            EncodeError: The text of a term can't be encoded as UTF-8.
            SyntaxError: The text is not N3: rdflib's ``BadSyntax``.
        """
        if type(sink.store) is not JellyStore:
            self._other().parse(source, sink, *more, **settings)
            return
        parsed = Graph(_StoreWithoutFormulas(), sink.identifier, base=sink.base)
        # rdflib's parser binds the prefixes with this manager, after it has read everything.
        parsed.namespace_manager = sink.namespace_manager
        self._other().parse(source, parsed, *more, **settings)
        sink.addN((s, p, o, sink) for s, p, o in parsed)


for _name in _NAMES:
    rdflib.plugin.register(_name, Parser, __name__, N3Parser.__name__)
