"""The canonical form of statements with blank nodes: RDFC-1.0, by pyoxigraph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import BNode, Literal, Node, URIRef

from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import PatchError
from jelly_rdflib.extras import advice
from jelly_rdflib.graph.canonical.quads import Known, Quad, is_blank, spelling
from jelly_rdflib.graph.canonical.symmetry import find_marks
from jelly_rdflib.terms import identity

if TYPE_CHECKING:
    import pyoxigraph

    _Term: TypeAlias = pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal

# The start of IRIs for terms that pyoxigraph refuses, or would confuse with others.
_OWN = "x-jelly-rdflib:"


class Form:
    """The canonical form of a component: canonical N-Quads, and the statements.

    Blank nodes have the labels of RDFC-1.0 (``c14n0`` and so on), except those that are `Known`.

    Args:
        made: pyoxigraph's canonical statements.
        nodes: Our term for each of pyoxigraph's terms, except blank nodes.
    """

    def __init__(self, made: list[pyoxigraph.Quad], nodes: dict[Any, Node]) -> None:
        self._made = made
        self._nodes = nodes
        self.text = "\n".join(sorted(f"{quad} ." for quad in made))

    @cached_property
    def quads(self) -> list[Quad]:
        """The statements; made on demand, since most components don't need them."""
        nodes = self._nodes

        def node(term: Any) -> Node:
            found = nodes.get(term)
            return BNode(term.value) if found is None else found

        return [(node(s), node(p), node(o), node(g)) for s, p, o, g in self._made]


class Canonicalizer:
    """Converts components to their canonical form."""

    def __init__(self) -> None:
        with advice("a canonical label", "jelly-rdflib[syntaxes]"):
            import pyoxigraph
        self._ox = pyoxigraph
        self._mark = pyoxigraph.NamedNode(f"{_OWN}mark")
        self._iris: dict[Node, pyoxigraph.NamedNode] = {}

    def form(self, component: Sequence[Quad]) -> Form:
        """Return the canonical form of a component; blank nodes that are `Known` count as IRIs."""
        terms: dict[Node, Any] = {}
        quads = self._canonicalize(component, terms)
        # A component may have two spellings of a term: the last one in this order is kept.
        by_spelling = sorted(terms.items(), key=lambda item: spelling(item[0]), reverse=True)
        return Form(quads, {made: term for term, made in by_spelling if not is_blank(term)})

    def _canonicalize(
        self, component: Sequence[Quad], terms: dict[Node, Any]
    ) -> list[pyoxigraph.Quad]:
        """Return pyoxigraph's canonical statements; add its term for each of ours to ``terms``."""
        ox = self._ox
        terms[DATASET_DEFAULT_GRAPH_ID] = ox.DefaultGraph()
        try:
            for quad in component:
                for term in quad:
                    if term not in terms:
                        terms[term] = self._convert(term, len(terms))
            quads = [ox.Quad(terms[s], terms[p], terms[o], terms[g]) for s, p, o, g in component]
        except TypeError as error:
            raise _not_rdf(component) from error
        marks = find_marks(component)
        quads += (ox.Quad(terms[node], self._mark, ox.Literal(m)) for node, m in marks.items())
        dataset = ox.Dataset(quads)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        if marks:
            return [quad for quad in dataset if quad.predicate != self._mark]
        return list(dataset)

    def _convert(self, term: Node, number: int) -> _Term:
        if is_blank(term):
            return self._ox.BlankNode(f"b{number}")
        if isinstance(term, Known):
            return self._make_own("node", term)
        if isinstance(term, URIRef):
            return self._known_iri(term)
        if isinstance(term, Literal):
            return self._convert_literal(term)
        raise TypeError

    def _known_iri(self, term: URIRef) -> pyoxigraph.NamedNode:
        iri = self._iris.get(term)
        if iri is None:
            iri = self._iris[term] = self._convert_iri(term)
        return iri

    def _convert_iri(self, iri: URIRef) -> pyoxigraph.NamedNode:
        if not iri.startswith(_OWN):
            # rdflib accepts any text as an IRI, with a warning, but pyoxigraph does not.
            with suppress(ValueError):
                return self._ox.NamedNode(str(iri))
        return self._make_own("iri", iri)

    def _convert_literal(self, literal: Literal) -> pyoxigraph.Literal:
        text, language, datatype = identity(literal)
        make: Callable[..., pyoxigraph.Literal] = self._ox.Literal
        # pyoxigraph refuses language tags that are too long, and texts without a UTF-8 form.
        with suppress(ValueError):
            if language:
                return make(text, language=language)
            return make(text, datatype=None if datatype is None else self._known_iri(datatype))
        kind = f"{language} {datatype or ''}"
        text = quote(text, safe="", errors="surrogatepass")
        return make(text, datatype=self._make_own("literal", kind))

    def _make_own(self, kind: str, text: str) -> pyoxigraph.NamedNode:
        # Make it a str, since rdflib's IRIs override some methods.
        escaped = quote(str(text), safe="", errors="surrogatepass")
        return self._ox.NamedNode(f"{_OWN}{kind}:{escaped}")


def _not_rdf(component: Sequence[Quad]) -> PatchError:
    for s, p, o, _ in component:
        for term, kinds, role in (
            (s, URIRef | BNode, "a subject"),
            (p, URIRef, "a predicate"),
            (o, URIRef | BNode | Literal, "an object"),
        ):
            if not isinstance(term, kinds):
                return PatchError(
                    f"{show(term)} is {role}, which RDF 1.1 does not allow: a statement with "
                    f"blank nodes then has no canonical form"
                )
    raise AssertionError("pyoxigraph accepts every statement of RDF 1.1")
