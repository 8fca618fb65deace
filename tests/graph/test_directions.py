"""Tests literals with a base direction: which are the same term, and that graphs refuse them."""

import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.exceptions import ParserError

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.core.arrow import RowFilter, RowSelection, TermCondition
from jelly_rdflib.core.batch import Batch, BatchBuilder
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.viewer.terms import Terms
from tests.graph.stores.at_hand import exact_state

S, P = URIRef("urn:s"), URIRef("urn:p")
TAGS = ["ar", "AR", "ar--rtl", "AR--rtl", "ar--ltr", "aR--ltr", "he--rtl"]
LINES = '<urn:s> <urn:p> "x"@ar .\n<urn:s> <urn:p> "x"@ar--rtl .\n<urn:a> <urn:b> <urn:c> .\n'
STORES = ["Jelly", "default", "Oxigraph"]


def batch_of(*changes: tuple[Op, str]) -> Batch:
    """Return a batch of changes to statements whose objects have the given language tags."""
    builder = BatchBuilder(make_node_factory(False), jr.Limits())
    for op, tag in changes:
        s, p, o = builder.iri("urn:s"), builder.iri("urn:p"), builder.literal("x", tag)
        builder.add_row(op, s, p, o, builder.default_graph())
    return builder.drain(has_graphs=True)


def are_same_by_filter(one: str, other: str) -> bool:
    condition = TermCondition(
        make_node_factory(False), jr.Limits(), [f'"x"@{one}'], any_spelling=True
    )
    selection = RowSelection(RowFilter(o=[condition]), 9)
    return any(map(len, selection.select(batch_of((Op.A, other)), 0, 1)))


def are_same_by_page(one: str, other: str) -> bool:
    both, terms = batch_of((Op.A, one), (Op.A, other)), Terms()
    found = [terms.numbers_of(both)[o] for o in both.o]
    return found[0] == found[1]


@pytest.mark.parametrize("are_same", [are_same_by_filter, are_same_by_page])
def test_identity(are_same: Callable[[str, str], bool]) -> None:
    """The case of the language does not matter, but the direction and the language do."""
    for one, other in itertools.product(TAGS, TAGS):
        assert are_same(one, other) == (one.lower() == other.lower()), (one, other)


def sources() -> Iterator[Any]:
    """Yield the sources from which a literal with a base direction could reach a graph."""
    yield jr.read_batches(LINES.encode(), format="n-quads")
    for op in (Op.A, Op.D):
        yield [batch_of((Op.A, "ar"), (op, "ar--rtl"))]


@pytest.mark.parametrize("store", STORES)
def test_a_graph_takes_none(store: str) -> None:
    for source in sources():
        for batch in source:
            target = Dataset(store=store)
            target.add((S, P, Literal("old")))
            before = exact_state(target)
            if "--" not in " ".join(batch.terms.show(o) for o in batch.o):
                continue
            with pytest.raises(jr.DecodeError, match="base direction rtl: rdflib's literals have"):
                jr.apply(batch, target)
            assert exact_state(target) == before


class TestParsing:
    @pytest.mark.parametrize("format", ["nquads", "trig"])
    def test_a_dataset(self, format: str) -> None:
        dataset = Dataset(store="Jelly")
        dataset.add((S, P, Literal("old")))
        before = exact_state(dataset)
        with pytest.raises(ParserError, match='directions="drop"') as caught:
            dataset.parse(data=LINES, format=format)
        assert isinstance(caught.value, jr.DecodeError)
        # pyoxigraph does not report the positions of its statements.
        assert (caught.value.offset is None) == (format == "trig")
        assert exact_state(dataset) == before
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            dataset.parse(data=LINES, format=format, directions="drop")
        assert sum("left out" in str(each.message) for each in told) == 1
        assert set(dataset.objects(S, P)) == {Literal("old"), Literal("x", lang="ar")}
        assert len(dataset) == 3

    @pytest.mark.parametrize("format", ["nt", "turtle"])
    def test_a_graph(self, format: str) -> None:
        graph = Graph(store="Jelly")
        with pytest.raises(ParserError, match="base direction rtl"):
            graph.parse(data=LINES, format=format)
        assert len(graph) == 0
        with pytest.warns(UserWarning, match="left out"):
            graph.parse(data=LINES, format=format, directions="drop")
        assert len(graph) == 2

    def test_other_stores_have_their_own_parsers(self) -> None:
        with pytest.raises(ValueError, match="only for a JellyStore"):
            Graph(store="default").parse(data=LINES, format="nt", directions="drop")

    def test_jelly(self, tmp_path: Path) -> None:
        data = Graph().add((S, P, Literal("x"))).serialize(format="jelly-rdf", encoding="utf-8")
        assert len(Graph().parse(data=data, format="jelly-rdf", directions="drop")) == 1
        with pytest.raises(ValueError, match="directions is"):
            Graph().parse(data=data, format="jelly-rdf", directions="no")


def test_a_log_takes_none(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    with pytest.raises(jr.EncodeError, match=r"Jelly-RDF 1\.1 and Jelly-Patch have none"):
        log.append(batch_of((Op.A, "ar--rtl")))
    assert len(log.patches()) == 0
