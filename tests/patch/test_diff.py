"""Tests that the difference of two graphs or datasets turns the first into the second."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, ConjunctiveGraph, Dataset, Graph, Literal, URIRef, Variable
from rdflib.compare import isomorphic
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph
from rdflib.namespace import SKOS, XSD
from rdflib.plugins.stores.memory import Memory, SimpleMemory

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.graphs import empty_dataset
from jelly_rdflib.patch.diff import diff
from tests.faults.targets import OtherMemory
from tests.graph.stores.memory_state import full_state

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
G, H = URIRef("urn:g"), URIRef("urn:h")
DEFAULT = DATASET_DEFAULT_GRAPH_ID

NODES = st.sampled_from([URIRef("urn:a"), URIRef("urn:b"), BNode("a"), BNode("b")])
# Other tests cover plain literals, to which Oxigraph adds the datatype xsd:string.
OBJECTS = NODES | st.builds(
    lambda text, more: Literal(text, **more),
    st.sampled_from("abc"),
    st.sampled_from([{"lang": "de"}, {"lang": "en"}, {"datatype": URIRef("urn:d")}]),
)
NAMES = st.sampled_from([DEFAULT, G, H, BNode("g")])
PREFIXES = st.dictionaries(
    st.sampled_from(["", "a", "b", "rdf"]), st.sampled_from("xyz").map("urn:{}#".format), max_size=3
)
# Oxigraph does not accept blank nodes as predicates.
PREDICATES = st.sampled_from([URIRef("urn:a"), URIRef("urn:b")])
CONTENTS = st.tuples(st.sets(st.tuples(NODES, PREDICATES, OBJECTS, NAMES), max_size=12), PREFIXES)


def fill(target: Graph, contents: tuple[set[Any], dict[str, str]]) -> Graph:
    """Put statements and prefixes into a graph or dataset."""
    statements, prefixes = contents
    is_dataset = isinstance(target, Dataset)
    apply(
        [
            *((Op.PA, prefix, iri, None) for prefix, iri in prefixes.items()),
            *((Op.A, s, p, o, g if is_dataset else None) for s, p, o, g in statements),
        ],
        target,
    )
    return target


def contents(graph: Graph) -> tuple[Any, Any]:
    return (set(graph.quads() if isinstance(graph, Dataset) else graph), dict(graph.namespaces()))


@pytest.mark.parametrize(
    ("make_old", "make_new"),
    [
        (Graph, Graph),
        (Dataset, Dataset),
        (lambda: Dataset("Oxigraph"), Dataset),
        (Dataset, lambda: Dataset("Oxigraph")),
        (lambda: Graph(SimpleMemory()), Graph),
    ],
)
@settings(max_examples=15)
@given(before=CONTENTS, after=CONTENTS)
def test_turns_the_old_into_the_new(
    make_old: Callable[[], Graph], make_new: Callable[[], Graph], before: Any, after: Any
) -> None:
    old, new = fill(make_old(), before), fill(make_new(), after)
    expected = contents(new)
    patch = diff(old, new)
    result = patch.apply(old)
    assert contents(old) == expected
    assert contents(new) == expected
    # Each operation on a statement has an effect. To rebind a prefix, two operations are needed.
    statements = [op for op in patch if op[0] in (Op.A, Op.D)]
    assert len(statements) == result.added + result.deleted
    assert len(diff(old, new)) == 0


# --- plain literals and xsd:string: different in rdflib, the same in RDF 1.1 ----------------------

PLAIN, STRING = Literal("x"), Literal("x", datatype=XSD.string)
SPELLINGS = st.sampled_from(
    [PLAIN, STRING, Literal("y"), Literal("y", datatype=XSD.string), Literal("x", lang="en"), G]
)
SPELLED = st.sets(st.tuples(PREDICATES, SPELLINGS, NAMES), max_size=8)
# Subclasses of Memory may change its methods, so they are read through the public interface.
STORES: dict[str, Callable[[], Any]] = {
    **{name: partial(str, name) for name in ("default", "Jelly", "Oxigraph")},
    "general": OtherMemory,
}


def spelled(store: str, statements: set[Any]) -> Dataset:
    dataset = Dataset(STORES[store]())
    for p, o, g in statements:
        dataset.add((S, p, o, g))
    return dataset


def folded(dataset: Dataset) -> set[Any]:
    """Return the quads as RDF 1.1 sees them."""
    return {
        (s, p, Literal(str(o)) if getattr(o, "datatype", None) == XSD.string else o, g)
        for s, p, o, g in dataset.quads()
    }


@pytest.mark.parametrize("new_store", STORES)
@pytest.mark.parametrize("old_store", STORES)
@settings(max_examples=12)
@given(before=SPELLED, after=SPELLED)
def test_plain_literals_and_strings(
    old_store: str, new_store: str, before: set[Any], after: set[Any]
) -> None:
    old, new = spelled(old_store, before), spelled(new_store, after)
    back = diff(new, old)
    diff(old, new).apply(old)
    assert folded(old) == folded(new)
    assert not list(diff(old, new))
    assert not list(diff(new, old))
    # The inverse patch restores the old contents.
    back.apply(new)
    assert folded(new) == folded(spelled("default", before))
    # Nor do two graphs with these spellings differ, but an empty graph does.
    one, other = (
        spelled(store, {(P, PLAIN, G), (P, STRING, G)}) for store in (old_store, new_store)
    )
    assert not list(diff(one.graph(G), other.graph(G)))
    assert len(diff(one.graph(H), other.graph(G))) == 3


@pytest.mark.parametrize(("kept", "lost"), [(STRING, PLAIN), (PLAIN, STRING)])
@pytest.mark.parametrize("base", [SimpleMemory, Memory])
def test_a_store_that_answers_with_what_it_was_asked(base: Any, kept: Any, lost: Any) -> None:
    class Echo(base):  # type: ignore[misc]
        """Folds strings like Oxigraph, and returns the terms of a query like SPARQLStore."""

        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            super().add(self.fold(triple), context, quoted)

        def remove(self, triple: Any, context: Any = None) -> None:
            super().remove(self.fold(triple), context)

        def triples(self, triple: Any, context: Any = None) -> Any:
            for found, contexts in super().triples(self.fold(triple), context):
                answer = (one or two for one, two in zip(triple, found, strict=True))
                yield tuple(answer), contexts

        @staticmethod
        def fold(triple: Any) -> Any:
            s, p, o = triple
            return s, p, kept if o == lost else o

    old, new = Graph(Echo()), Graph()
    old.add((S, P, kept))
    new.add((S, P, lost))
    assert not list(diff(old, new))
    assert not list(diff(new, old))


class AnyTag(Memory):
    """A store in which a plain literal matches any language, as in rdflib-sqlalchemy."""

    def triples(self, triple_pattern: Any, context: Any = None) -> Any:
        s, p, wanted = triple_pattern
        for triple, graphs in super().triples((s, p, None), context):
            if wanted is None or str(triple[2]) == str(wanted):
                yield triple, graphs


def test_a_store_that_answers_with_another_literal() -> None:
    old, new = Graph(AnyTag()), Graph()
    old.add((S, P, Literal("o", lang="en")))
    new.add((S, P, O))
    assert [op[0] for op in diff(old, new)] == [Op.TX, Op.D, Op.A, Op.TC]


def test_the_patch_of_two_jelly_stores_has_rows() -> None:
    """Code that uses the patch need not encode its operations again."""
    old, new = Dataset(store="Jelly"), Dataset(store="Jelly")
    new.add((URIRef("urn:s"), URIRef("urn:p"), Literal(1)))
    patch = diff(old, new)
    assert patch.slices is not None
    assert [op for op, *_ in patch] == [Op.TX, Op.A, Op.TC]


@pytest.mark.parametrize("term", [Variable("x"), Literal("\ud800")], ids=ascii)
def test_what_rows_cannot_have_is_a_difference_too(term: Any) -> None:
    new = Graph()
    new.add((URIRef("urn:s"), URIRef("urn:p"), term))
    patch = diff(Graph(), new)
    assert list(patch)[1] == (Op.A, URIRef("urn:s"), URIRef("urn:p"), term, None)


def test_sorted_by_graph_subject_predicate_object() -> None:
    a, b = URIRef("urn:a"), URIRef("urn:b")
    expected = [
        (S, P, Literal("x"), None),
        (a, a, b, G),
        (a, b, b, G),
        (a, b, BNode("a"), G),
        (a, b, Literal("a"), G),
        (a, b, Literal("a", datatype=a), G),
        (a, b, Literal("a", datatype=b), G),
        (a, b, Literal("a", lang="de"), G),
        (a, b, Literal("a", lang="en"), G),
        (a, b, Literal("b"), G),
        (BNode("a"), a, a, G),
        (a, a, a, H),
        (a, a, a, BNode("b")),
    ]
    new = Dataset()
    for s, p, o, g in reversed(expected):
        new.add((s, p, o, DEFAULT if g is None else g))
    assert [op[1:] for op in diff(Dataset(), new)][1:-1] == expected


def test_prefixes() -> None:
    old, new = Graph(), Graph()
    apply([(Op.PA, name, f"urn:{name}#", None) for name in ("gone", "same", "changed")], old)
    apply([(Op.PA, name, f"urn:{name}#", None) for name in ("new", "same")], new)
    apply([(Op.PA, "changed", "urn:other#", None), (Op.PD, "rdf", None, None)], new)
    rdf = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#")
    assert list(diff(old, new)) == [
        (Op.TX,),
        (Op.PD, "changed", URIRef("urn:changed#"), None),
        (Op.PD, "gone", URIRef("urn:gone#"), None),
        (Op.PD, "rdf", rdf, None),
        (Op.PA, "changed", URIRef("urn:other#"), None),
        (Op.PA, "new", URIRef("urn:new#"), None),
        (Op.TC,),
    ]
    assert {op[-1] for op in diff(Dataset(), new) if len(op) > 1} == {None}


def test_graph_against_dataset() -> None:
    graph, dataset = Graph(), Dataset()
    graph.add((S, P, O))
    dataset.add((S, P, Literal("other"), DEFAULT))
    dataset.add((S, P, O, G))
    assert list(diff(graph, dataset)) == [
        (Op.TX,),
        (Op.D, S, P, O, None),
        (Op.A, S, P, Literal("other"), None),
        (Op.A, S, P, O, G),
        (Op.TC,),
    ]
    patch = diff(dataset, graph)
    patch.apply(dataset)
    assert set(dataset.quads()) == {(S, P, O, DEFAULT)}


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_conjunctive_graph() -> None:
    graph = ConjunctiveGraph()
    apply([(Op.A, S, P, O, None), (Op.A, S, P, O, G)], graph)
    assert [op[4] for op in diff(Dataset(), graph) if op[0] == Op.A] == [None, G]


def test_graphs_of_one_dataset() -> None:
    dataset = Dataset()
    dataset.add((S, P, O, G))
    dataset.add((S, P, Literal("other"), H))
    before = full_state(dataset.store)
    patch = list(diff(dataset.graph(G), dataset.graph(H)))
    assert patch == [
        (Op.TX,),
        (Op.D, S, P, O, None),
        (Op.A, S, P, Literal("other"), None),
        (Op.TC,),
    ]
    assert list(diff(dataset.default_graph, dataset.graph(H)))[1][4] is None
    assert len(diff(dataset, dataset)) == 0
    after = full_state(dataset.store)
    # When a graph is read, the store remembers it, even without a difference.
    assert {**after, "context_obj_map": 0} == {**before, "context_obj_map": 0}


def test_empty_graphs_are_no_difference() -> None:
    dataset = Dataset()
    dataset.graph(G)
    assert len(diff(Dataset(), dataset)) == 0
    assert len(diff(dataset, Dataset())) == 0


def test_formulas_are_left_out() -> None:
    dataset = Dataset()
    QuotedGraph(dataset.store, URIRef("urn:f")).add((S, P, O))
    assert len(diff(Dataset(), dataset)) == 0
    # but a formula can be compared by itself
    assert len(diff(Graph(), QuotedGraph(dataset.store, URIRef("urn:f")))) == 3


def test_a_store_that_lists_graphs_by_their_names() -> None:
    class Names(OtherMemory):
        """Lists graphs like rdflib's SPARQLStore."""

        def contexts(self, triple: Any = None) -> Any:
            return (graph.identifier for graph in super().contexts(triple))

    dataset = Dataset(Names())
    Graph(dataset.store, G).add((S, P, O))
    assert list(diff(Dataset(), dataset))[1:-1] == [(Op.A, S, P, O, G)]


@pytest.mark.parametrize("other", [None, 5, []])
def test_neither_graph_nor_dataset(other: Any) -> None:
    for arguments in ((Graph(), other), (other, Graph())):
        with pytest.raises(TypeError, match="Graph or Dataset"):
            diff(*arguments)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_that_is_not_there(kind: type[Any], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        diff(Graph(), kind(tmp_path / "new.ttl"))


class TestFiles:
    """Tests that blank nodes in files such as Turtle are compared by their statements."""

    OLD = "<urn:s> <urn:p> [ <urn:q> 1 ], [ <urn:q> 2 ] .\n_:b <urn:q> 3 ."
    NEW = "_:other <urn:q> 3 .\n<urn:s> <urn:p> [ <urn:q> 2 ], [ <urn:q> 1 ], 4 ."

    @pytest.fixture
    def files(self, tmp_path: Path) -> tuple[Path, Path]:
        old, new = tmp_path / "old.ttl", tmp_path / "new.ttl"
        old.write_text(self.OLD)
        new.write_text(self.NEW)
        return old, new

    def test_by_structure_unless_it_is_said(self, files: tuple[Path, Path]) -> None:
        old, new = files
        patch = diff(old, str(new))
        assert list(patch)[1:-1] == [(Op.A, S, P, Literal(4), None)]
        assert list(diff(old, new, canonical=True)) == list(patch)
        assert len(diff(old, new, canonical=False)) == 2 + 5 + 6
        for canonical in (None, True, False):
            assert len(diff(old, old, canonical=canonical)) == 0

    def test_base_directions_are_dropped_if_the_caller_says_so(self, tmp_path: Path) -> None:
        old, new = tmp_path / "old.nq", tmp_path / "new.nq"
        old.write_text('<urn:s> <urn:p> "x"@ar .\n')
        new.write_text('<urn:s> <urn:p> "x"@ar--rtl .\n')
        with pytest.raises(jr.DecodeError, match="base direction rtl") as caught:
            diff(old, new)
        assert (caught.value.source, caught.value.line) == (str(new), 1)
        with pytest.warns(UserWarning, match="base directions of literals are left out"):
            assert len(diff(old, new, directions="drop")) == 0

    def test_one_such_side_decides(self, files: tuple[Path, Path], tmp_path: Path) -> None:
        old, new = files
        lines = tmp_path / "new.nt"
        with jr.StatementWriter(lines) as writer:
            for batch in jr.read_batches(new):
                writer.write_all(batch)
        assert len(diff(old, lines)) == len(diff(old, new))
        assert len(diff(lines, lines)) == 0
        other = tmp_path / "other.nt"
        other.write_text(lines.read_text().replace("_:", "_:x"))
        assert len(diff(lines, other)) == 2 + 2 * 5

    def test_a_graph_against_a_file(self, files: tuple[Path, Path]) -> None:
        graph = Graph().parse(data=self.OLD, format="turtle")
        patch = diff(graph, files[1])
        patch.apply(graph)
        assert isomorphic(graph, Graph().parse(files[1]))
        assert len(patch) == 3 + len([0 for op in patch if op[0] is Op.PD])

    def test_the_patch_is_for_what_is_read_again(self, files: tuple[Path, Path]) -> None:
        """Whenever the old file is read, its blank nodes get the same labels as in the patch."""
        old, new = files
        new.write_text(self.OLD.replace("<urn:q> 1", "<urn:r> 5"))
        patch = diff(old, new)
        result = Dataset()
        for batch in jr.read_batches(old):
            apply(batch, result)
        patch.apply(result)
        assert [op[0] for op in patch] == [Op.TX, Op.D, Op.A, Op.TC]
        assert isomorphic(result.default_graph, Graph().parse(new))

    def test_prefixes_count_if_both_can_have_them(self, tmp_path: Path) -> None:
        for name in ("a.ttl", "a.nt", "b.ttl"):
            text = "PREFIX ex: <urn:ex#> " if name == "a.ttl" else ""
            (tmp_path / name).write_text(text)
        assert len(diff(tmp_path / "a.ttl", tmp_path / "b.ttl")) == 3
        assert len(diff(tmp_path / "a.ttl", tmp_path / "a.nt")) == 0

    @pytest.mark.parametrize("store", ["default", "Jelly"])
    @pytest.mark.parametrize("kind", [Graph, Dataset])
    def test_a_file_is_not_asked_for_the_prefixes_that_rdflib_binds(
        self, kind: Any, store: str, tmp_path: Path
    ) -> None:
        one, two = tmp_path / "one.ttl", tmp_path / "two.ttl"
        xsd = f"PREFIX xsd: <{XSD}> "
        schema = "PREFIX schema: <urn:schema#> "
        one.write_text(f"{xsd} PREFIX ex: <urn:ex#> ex:a ex:b '2020-01-01'^^xsd:date .")
        two.write_text(f"{schema} <urn:ex#a> <urn:ex#b> '2020-01-01'^^<{XSD.date}> .")
        graph = kind(store=store).parse(one)
        assert len(diff(one, graph)) == len(diff(graph, one)) == 0
        # The file binds a prefix to another IRI than rdflib does.
        changes = [(op[0].name, op[1]) for op in diff(graph, two) if len(op) > 1]
        assert changes == [("PD", "ex"), ("PD", "schema"), ("PA", "schema")]
        before = dict(graph.namespaces())
        diff(graph, two).apply(graph)
        del before["ex"]
        assert dict(graph.namespaces()) == before | {"schema": URIRef("urn:schema#")}

    @pytest.mark.parametrize("store", ["default", "Jelly"])
    def test_new_statements_bring_rdflibs_prefixes_that_they_use(self, store: str) -> None:
        old = empty_dataset()
        new = Dataset(store=store)
        new.add((S, SKOS.notation, Literal("2020-01-01", datatype=XSD.date)))
        assert [op[1] for op in diff(old, new) if op[0] == Op.PA] == ["skos", "xsd"]
        diff(old, new).apply(old)
        assert len(diff(old, new)) == len(diff(new, old)) == 0
        new.remove((None, None, None))
        assert [op[0].name for op in diff(old, new)] == ["TX", "D", "TC"]
        assert [op[0].name for op in diff(new, old)] == ["TX", "A", "TC"]
