"""Tests applying operations to every kind of store, completely or not at all."""

import io
import os
from collections.abc import Callable, Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, ConjunctiveGraph, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph, ReadOnlyGraphAggregate
from rdflib.namespace import NamespaceManager
from rdflib.plugins.stores.memory import Memory, SimpleMemory

import jelly_rdflib as jr
from jelly_rdflib import ApplyError, DecodeError, Op, TripleTerm
from jelly_rdflib.core.batch import OperationReader
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.operations import Operation
from tests.algebra.strategies import Pipe
from tests.algebra.strategies import write as encoded
from tests.faults.targets import OtherMemory, TransactionalStore
from tests.graph.stores.at_hand import AT_HAND, MORE, StoreAtHand, exact_state
from tests.graph.stores.test_prefix_changes import own as prefixes

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
G, H = URIRef("urn:g"), URIRef("urn:h")
DEFAULT = DATASET_DEFAULT_GRAPH_ID
TX, TC, TA, END = (Op.TX,), (Op.TC,), (Op.TA,), (Op.END,)


class StoreError(Exception):
    """The exception that a `FailingStore` raises."""


KINDS = [each for each in (*AT_HAND, *MORE) if not each.is_slow]


@pytest.fixture(params=[each for each in KINDS if each.is_dataset and each.unbinds], ids=str)
def dataset(request: pytest.FixtureRequest) -> Iterator[Dataset]:
    with request.param.make() as target:
        yield target


@pytest.fixture(params=[each for each in KINDS if not each.is_dataset], ids=str)
def graph(request: pytest.FixtureRequest) -> Iterator[Graph]:
    with request.param.make() as target:
        yield target


@pytest.fixture(params=["a graph", "a dataset"])
def target(request: pytest.FixtureRequest) -> Graph:
    return Graph() if request.param == "a graph" else Dataset()


def add(o: Any = O, g: Any = None, s: Any = S) -> Operation:
    return (Op.A, s, P, o if not isinstance(o, int) else Literal(str(o)), g)


def delete(o: Any = O, g: Any = None, s: Any = S) -> Operation:
    return (Op.D, s, P, o if not isinstance(o, int) else Literal(str(o)), g)


def quads(dataset: Dataset) -> set[tuple[str, Any]]:
    """Return the object and the graph of each statement."""
    return {(str(o), g) for _, _, o, g in dataset.quads((None, None, None, None))}


def objects(graph: Graph) -> set[str]:
    return {str(o) for _, _, o in graph}


# --- what is applied -----------------------------------------------------------------------------


def test_adds_and_deletes(dataset: Dataset) -> None:
    result = apply(
        [
            *(TX, add(1, G), add(2, G), add(1, H), add(3, DEFAULT), add(4, BNode("b")), TC, END),
            *(TX, delete(1, G), delete(9, G), add(2, G), TC, END),
        ],
        dataset,
    )
    assert quads(dataset) == {("2", G), ("1", H), ("3", DEFAULT), ("4", BNode("b"))}
    assert (result.added, result.deleted) == (5, 1)
    assert (result.patches, result.committed, result.aborted) == (2, 2, 0)
    assert result.operations == 12


def test_triples_go_to_the_default_graph(dataset: Dataset) -> None:
    apply([add(1), add(2, DEFAULT)], dataset)
    assert quads(dataset) == {("1", DEFAULT), ("2", DEFAULT)}
    apply([delete(2)], dataset)
    assert objects(dataset.default_graph) == {"1"}


def test_a_graph_holds_the_default_graph(graph: Graph) -> None:
    result = apply([TX, add(1), add(2, DEFAULT), add(3), delete(1, DEFAULT), TC], graph)
    assert objects(graph) == {"2", "3"}
    assert (result.added, result.deleted) == (3, 1)


def test_the_default_graph_stands_for_its_dataset(dataset: Dataset) -> None:
    apply([add(1, G), add(2, DEFAULT)], dataset.default_graph)
    assert quads(dataset) == {("1", G), ("2", DEFAULT)}


def test_a_named_graph_of_a_dataset_is_a_graph() -> None:
    dataset = Dataset()
    apply([add(1)], dataset.graph(G))
    assert quads(dataset) == {("1", G)}
    # Nor does the default graph include other graphs in a store without named graphs.
    for graph in (dataset.graph(G), Graph(SimpleMemory(), DEFAULT)):
        with pytest.raises(ApplyError, match="no named graphs"):
            apply([add(1, G)], graph)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_conjunctive_graph() -> None:
    graph = ConjunctiveGraph()
    apply([add(1, G), add(2, DEFAULT), add(3)], graph)
    assert objects(graph.default_context) == {"2", "3"}
    assert objects(graph.get_context(G)) == {"1"}


def test_blank_node_as_predicate(target: Graph) -> None:
    apply([(Op.A, S, BNode("p"), O, None)], target)
    assert [(s, p, o) for s, p, o, *_ in target] == [(S, BNode("p"), O)]


def test_headers_are_left_alone(target: Graph) -> None:
    result = apply([(Op.H, "id", URIRef("urn:1")), add(1), (Op.H, "prev", BNode("b"))], target)
    assert (result.operations, len(target)) == (3, 1)


# --- where operations come from ------------------------------------------------------------------


def sources(data: bytes, path: Path) -> list[Any]:
    path.write_bytes(data)
    seekable = io.BytesIO(b"other bytes" + data)
    seekable.seek(11)
    return [
        data,
        memoryview(data),
        bytearray(data),
        str(path),
        path,
        io.BytesIO(data),
        seekable,
        Pipe(data),
        io.BufferedReader(Pipe(data)),
        jr.read_operations(data),
    ]


def test_every_kind_of_source(tmp_path: Path) -> None:
    for statement_type, g in (("TRIPLES", None), ("QUADS", DEFAULT)):
        data = encoded([TX, add(1, g), add(2, g), TC], statement_type=statement_type, frame_rows=9)
        for make in (Graph, Dataset):
            operations = list(jr.read_operations(data))
            for source in [
                *sources(data, tmp_path / "x.jellyp"),
                operations,
                tuple(operations),
                iter(operations),
                *jr.read_batches(data),
                *jr.read_patches(data),
            ]:
                target = make()
                result = apply(source, target)
                assert objects(target.default_graph if make is Dataset else target) == {"1", "2"}
                assert (result.patches, result.committed, result.added) == (1, 1, 2)


@pytest.mark.parametrize("source", [5, None, object()])
def test_other_sources(source: Any) -> None:
    with pytest.raises(TypeError, match="give bytes, a path"):
        apply(source, Dataset())


@pytest.mark.parametrize(
    "make",
    [
        lambda: QuotedGraph(Memory(), URIRef("urn:f")),
        lambda: ReadOnlyGraphAggregate([Graph()]),
        Memory,
        lambda: None,
    ],
)
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_other_targets(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="give an rdflib Graph or Dataset"):
        apply([], make())


def test_limits_and_normalize() -> None:
    data = encoded([add(Literal("01", datatype=jr_integer(), normalize=False), DEFAULT)])
    with pytest.raises(jr.LimitError):
        apply(data, Dataset(), limits=jr.Limits(max_name_table_size=8))
    for normalize, text in ((None, "1"), (True, "1"), (False, "01")):
        dataset = Dataset()
        apply(data, dataset, normalize=normalize)
        assert quads(dataset) == {(text, DEFAULT)}


def jr_integer() -> URIRef:
    return URIRef("http://www.w3.org/2001/XMLSchema#integer")


@pytest.mark.parametrize("options", [{"limits": jr.Limits()}, {"normalize": False}])
def test_limits_and_normalize_are_not_for_operations(options: Any) -> None:
    for source in ([add(1)], iter([add(1)]), jr.Patch([add(1)])):
        for target in (Graph(), Dataset()):
            with pytest.raises(ValueError, match="limits, normalize and format are for bytes"):
                apply(source, target, **options)
            assert len(target) == 0


def test_operations_with_and_without_transactions_and_ends(target: Graph) -> None:
    for operations in (
        [add(1), add(2)],
        [add(1), add(2), END],
        [TX, add(1), add(2), TC],
        [TX, add(1), add(2), TC, END],
    ):
        result = apply(operations, target)
        assert (result.patches, result.committed, result.added) == (1, 1, 2)
        apply([delete(1), delete(2)], target)
    result = apply([add(1), END, TX, add(2), TC], target)
    assert (result.patches, result.committed, result.added) == (2, 2, 2)
    for operations, patches in (([], 0), ([add(1)], 1), ([END], 1), ([add(1), END, add(1)], 2)):
        assert apply(operations, target).patches == patches


def test_a_file_that_apply_opened_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    # The file has more data to read.
    more = [add(Literal("x" * 1000), DEFAULT)] * 1000
    path.write_bytes(encoded([add(TripleTerm(S, P, O), G), *more], rdf_star=True))
    opened = len(os.listdir("/proc/self/fd"))
    for target in (Graph(), Dataset()):
        # The traceback keeps the reader alive.
        with pytest.raises(ApplyError) as caught:
            apply(path, target)
        assert len(os.listdir("/proc/self/fd")) <= opened
        del caught


# --- transactions --------------------------------------------------------------------------------

BEFORE = [add(1, DEFAULT), add(2, G), add(3, H), (Op.PA, "before", URIRef("urn:before#"), None)]
# The changes include adding existing statements and deleting missing ones.
CHANGES = [
    add(1, DEFAULT),
    delete(1, DEFAULT),
    add(7, DEFAULT),
    delete(2, G),
    delete(2, H),
    add(3, H),
    delete(3, H),
    add(3, H),
    add(4, URIRef("urn:new")),
    add(5, BNode("new")),
    delete(5, BNode("new")),
    (Op.PA, "before", URIRef("urn:other#"), None),
    (Op.PA, "new", URIRef("urn:before#"), None),
    (Op.PD, "rdfs", None, None),
]
PLAIN_CHANGES = [op for op in CHANGES if len(op) < 5 or op[4] == DEFAULT]


def prepared(target: Graph) -> dict[str, Any]:
    """Add some statements to the target, and return its state."""
    plain = not isinstance(target, Dataset)
    apply([op for op in BEFORE if not plain or len(op) < 5 or op[4] == DEFAULT], target)
    return exact_state(target)


def test_aborted(dataset: Dataset) -> None:
    before = prepared(dataset)
    result = apply([TX, *CHANGES, TA, END, TX, add(6, G), TC], dataset)
    assert (result.aborted, result.committed, result.added, result.deleted) == (1, 1, 1, 0)
    assert (result.prefixes_added, result.prefixes_deleted) == (0, 0)
    apply([delete(6, G)], dataset)
    assert exact_state(dataset) == before


def raising(operations: list[Operation], error: BaseException) -> Iterator[Operation]:
    yield from operations
    raise error


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ([], "the input ends inside a transaction"),
        ([END], "patch ends inside a transaction"),
        ([TX], "starts inside"),
        ([add(TripleTerm(S, P, O))], '<< <urn:s> <urn:p> "o" >> as an object'),
        ([add(s=TripleTerm(S, P, O))], "as a subject"),
        ([add(s=Literal("s"))], 'can\'t hold "s" as a subject; read_operations or'),
        ([(Op.A, S, Literal("p"), O, None)], "as a predicate"),
        ([add(1, Literal("g"))], '"g" as a graph\'s name'),
        ([add(1, TripleTerm(S, P, O))], "as a graph's name"),
        ([add(1, Graph(identifier=G))], "given as a Graph: give its identifier as a graph's name"),
        ([(Op.A, "s", P, O, None)], "'s' can't be a subject: it is not a term"),
        ([(99,)], "not an operation"),
        ([5], "not an operation"),
        ([()], "not an operation"),
    ],
)
def test_errors_leave_the_dataset_as_it_was(
    dataset: Dataset, rest: list[Any], message: str
) -> None:
    before = prepared(dataset)
    with pytest.raises(ApplyError, match=message):
        apply([TX, *CHANGES, *rest], dataset)
    assert exact_state(dataset) == before


NOT_OPERATIONS: list[Any] = [
    *(5, None, "A", b"x", object(), S, [Op.A, S, P, O, None], {}, Graph(), (S, P, O)),
    *(
        (),
        (0,),
        (99,),
        (-1,),
        (1 << 70,),
        (None,),
        ("A", S, P, O, None),
        ([],),
        (7.0, S, P, O, None),
    ),
    *((Op.A,), (Op.A, S, P, O), (Op.A, S, P, O, None, None), (7, S, P), (Op.D, S, P, O)),
    *((Op.A, [], P, O, None), (Op.D, S, [], O, None), (Op.A, S, P, [], None)),
    *((Op.A, S, P, O, []), (Op.D, S, P, O, "urn:g"), (Op.A, None, P, O, None)),
    *((Op.D, S, P, None, None), (Op.A, S, P, "o", None), (Op.A, TripleTerm([], P, O), P, O, None)),
    *((Op.TX, 1), (Op.TC, None), (Op.TA, S), (Op.END, 1)),
    *((Op.H,), (Op.H, "k"), (Op.H, "k", S, S), (Op.H, 5, S), (Op.H, S, S), (Op.H, "k", "v")),
    *((Op.PA,), (Op.PA, "x"), (Op.PA, "x", S), (Op.PA, "x", S, None, None)),
    *((Op.PA, 5, S, None), (Op.PA, S, S, None), (Op.PA, "x", None, None), (Op.PA, "x", 5, None)),
    *((Op.PA, "x", BNode("b"), None), (Op.PA, "x", O, None), (Op.PA, "x", S, "g")),
    *((Op.PD,), (Op.PD, "x"), (Op.PD, 5, None, None), (Op.PD, "x", 5, None), (Op.PD, "x", S, [])),
]


# The ids are numbers, because the repr of some operations has an address or a random label.
@pytest.mark.parametrize("wrong", NOT_OPERATIONS, ids=range(len(NOT_OPERATIONS)))
def test_what_is_no_operation(wrong: Any) -> None:
    """Each way into a store raises the same error, whatever operations came before."""
    messages = set()
    kinds = (Dataset, Graph)
    for cls, store in [(Dataset, "Jelly"), *product(kinds, (Memory, OtherMemory))]:
        for start in ([], [TX], [add(1, DEFAULT)], [add(1)]):
            target = cls(store if isinstance(store, str) else store())
            before = prepared(target)
            with pytest.raises(ApplyError) as caught:
                apply([*start, wrong, add(2)], target)
            assert exact_state(target) == before
            messages.add(str(caught.value))
    assert len(messages) == 1
    assert len(messages.pop()) < 500


def test_what_is_no_operation_says_why() -> None:
    data = encoded([TX, add(1, DEFAULT), TC])
    for make_source, message in (
        (lambda: [(Op.A, S, P, O)], "A is a tuple of 5, not of 4"),
        (
            lambda: jr.read_patches(data),
            r"one by one: concat\(\*patches\), or patch.apply\(target\)",
        ),
        (lambda: jr.read_batches(data), r"chain.from_iterable\(batches\)"),
        (lambda: add(1), "put a single operation into a list"),
        (lambda: [(Op.PA, S, S, None)], "a prefix is a str"),
        (lambda: [(Op.PD, "x", 5, None)], "a prefix stands for an IRI"),
        (lambda: [(Op.H, "id", "urn:1")], "a header's value is a term of rdflib"),
    ):
        for target in (Graph(), Dataset()):
            with pytest.raises(ApplyError, match=message):
                apply(make_source(), target)
            assert len(target) == 0
    # The usages that the hints suggest work.
    target = Graph()
    for patch in jr.read_patches(data):
        patch.apply(target)
    assert objects(target) == {"1"}
    target = Graph()
    apply(chain.from_iterable(jr.read_batches(data)), target)
    assert objects(target) == {"1"}


def test_names_that_rdflib_refuses_to_write() -> None:
    with pytest.raises(ApplyError, match="in the graph <a b>"):
        apply([add(1, URIRef("a b"))], Graph())
    term = TripleTerm(URIRef("a b"), P, O)
    with pytest.raises(ApplyError, match="can't hold << <a b> "):
        apply([add(term)], Graph())


def nested(depth: int) -> TripleTerm:
    term = TripleTerm(S, P, O)
    for level in range(depth):
        term = TripleTerm(*((term, P, O) if level % 2 else (S, P, term)))
    return term


@pytest.mark.slow
@pytest.mark.parametrize("depth", [500, 50_000])
def test_deeply_quoted_triples(depth: int) -> None:
    term, other = nested(depth), nested(depth)
    assert term == other
    assert hash(term) == hash(other)
    assert term != nested(depth - 1)
    assert term.n3().count("<<") == term.n3().count(">>") == depth + 1
    assert repr(term).count("TripleTerm(") == depth + 1
    for target in (Graph(), Graph(SimpleMemory())):
        with pytest.raises(ApplyError, match="as an object"):
            apply([add(term)], target)


def test_a_triple_quoted_twice_at_each_depth() -> None:
    term, other = TripleTerm(S, P, O), TripleTerm(S, P, O)
    for _ in range(100):
        term, other = TripleTerm(term, P, term), TripleTerm(other, P, other)
    assert hash(term) == hash(other)
    assert term is not other
    assert term == other


@pytest.mark.parametrize("end", [TC, TA])
def test_end_without_start(dataset: Dataset, end: Operation) -> None:
    before = prepared(dataset)
    with pytest.raises(ApplyError, match="none was started"):
        apply([*CHANGES, end], dataset)
    assert exact_state(dataset) == before
    with pytest.raises(ApplyError, match="none was started"):
        apply([TX, TC, end], dataset)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit, SystemExit])
def test_exceptions_of_the_source_leave_the_target_as_it_was(
    kind: StoreAtHand, error: type[BaseException]
) -> None:
    changes = CHANGES if kind.is_dataset else PLAIN_CHANGES
    changes = [each for each in changes if kind.unbinds or each[0] not in (Op.PA, Op.PD)]
    with kind.make() as target:
        before = prepared(target)
        for start in ([TX], []):
            with pytest.raises(error):
                apply(raising([*start, *changes], error()), target)
            assert exact_state(target) == before


def test_implicit_transactions_end_with_the_patch_and_before_tx(dataset: Dataset) -> None:
    result = apply([add(1, G), END, END, add(2, G), TX, add(3, G), TC, add(4, G), TX, TC], dataset)
    assert (result.patches, result.committed) == (3, 5)
    assert quads(dataset) == {("1", G), ("2", G), ("3", G), ("4", G)}
    with pytest.raises(ZeroDivisionError):
        apply(raising([add(5, G), TX, add(6, G)], ZeroDivisionError()), dataset)
    assert ("5", G) in quads(dataset)
    assert ("6", G) not in quads(dataset)


# --- stores with transactions --------------------------------------------------------------------


def test_a_store_with_transactions_commits_and_rolls_back() -> None:
    dataset = Dataset(TransactionalStore())
    dataset.add((S, P, O, G))
    store = dataset.store
    apply([TX, add(1, G), add(2, G), TC], dataset)
    assert store.calls == ["commit", "commit"]
    store.calls.clear()
    apply([TX, add(3, G), delete(1, G), TA], dataset)
    assert store.calls == ["commit", "rollback"]
    assert quads(dataset) == {("o", G), ("1", G), ("2", G)}
    store.calls.clear()
    apply([TX, add(1, G), TC, TX, TC], dataset)
    assert store.calls == []


# --- without a log -------------------------------------------------------------------------------


def test_not_atomic(dataset: Dataset) -> None:
    result = apply([TX, *CHANGES, TC], dataset, atomic=False)
    other = Dataset()
    assert result == apply([TX, *CHANGES, TC], other)
    assert quads(dataset) == quads(other)
    assert dict(dataset.namespaces()) == dict(other.namespaces())


def test_not_atomic_leaves_what_was_applied(dataset: Dataset) -> None:
    dataset.bind("old", "urn:x#")
    assert dataset.namespace_manager.qname("urn:x#y") == "old:y"
    with pytest.raises(ApplyError, match="ends inside a transaction"):
        apply([TX, add(1, G), (Op.PA, "x", URIRef("urn:x#"), None)], dataset, atomic=False)
    assert quads(dataset) == {("1", G)}
    assert dataset.namespace_manager.qname("urn:x#y") == "x:y"
    with pytest.raises(ApplyError, match="atomic=False"):
        apply([TX, add(2, G), TA], dataset, atomic=False)
    assert quads(dataset) == {("1", G), ("2", G)}


def test_not_atomic_leaves_the_stores_transactions_alone() -> None:
    dataset = Dataset(TransactionalStore())
    apply([TX, add(1, G), TC], dataset, atomic=False)
    assert dataset.store.calls == []


# --- named graphs for a plain graph --------------------------------------------------------------


def test_a_named_graph_undoes_its_transaction(graph: Graph, tmp_path: Path) -> None:
    committed = [
        (Op.H, "id", URIRef("urn:1")),
        *(op for n in range(50) for op in (TX, add(n, DEFAULT), TC, END)),
        (Op.PA, "x", URIRef("urn:x#"), DEFAULT),
    ]
    undone = [
        *(TX, add(98, DEFAULT), delete(1, DEFAULT), (Op.PD, "x", None, DEFAULT)),
        *(add(99, G), add(97, DEFAULT), TC, END),
    ]
    prepared(graph)
    data = encoded([*committed, *undone], frame_rows=20)
    for source in sources(data, tmp_path / "x.jellyp"):
        with pytest.raises(ApplyError, match=r"urn:g.*a Dataset can hold it") as caught:
            apply(source, graph)
        assert objects(graph) >= {str(n) for n in range(50)}
        assert objects(graph).isdisjoint({"97", "98", "99"})
        assert graph.store.namespace("x") == URIRef("urn:x#")
        if not isinstance(source, OperationReader):
            assert (caught.value.frame or 0) > 3
            assert (caught.value.offset or 0) > len(data) // 2
    state = exact_state(graph)
    assert apply(committed, graph).added == 0
    assert exact_state(graph) == state


def test_the_graphs_of_prefixes_are_ignored(target: Graph) -> None:
    data = encoded([(Op.PA, "x", URIRef("urn:x#"), G), add(1, DEFAULT), (Op.PD, "rdf", None, H)])
    apply(data, target)
    assert target.store.namespace("x") == URIRef("urn:x#")
    assert target.store.namespace("rdf") is None


def test_a_bad_stream_of_quads_is_applied_up_to_the_error(tmp_path: Path) -> None:
    data = encoded(
        [TX, add(1, DEFAULT), TC, TX, add(2, DEFAULT), TC], frame_rows=3, stream_type="FLAT"
    )[:-1]
    for source in sources(data, tmp_path / "x.jellyp"):
        graph = Graph()
        with pytest.raises(DecodeError):
            apply(source, graph)
        assert objects(graph) == {"1"}


@pytest.mark.parametrize(("statement_type", "g"), [("TRIPLES", None), ("QUADS", DEFAULT)])
def test_a_live_stream_is_applied_as_it_comes(statement_type: str, g: Any) -> None:
    graph = Graph()
    data = encoded(
        [op for n in range(3) for op in (TX, add(n, g), TC, END)],
        statement_type=statement_type,
        stream_type="FRAME",
    )
    seen = []

    class Live(Pipe):
        def readinto(self, buffer: Any) -> int:
            seen.append(len(graph))
            return super().readinto(buffer)

    apply(Live(data), graph)
    assert set(seen) == {0, 1, 2, 3}


# --- prefixes ------------------------------------------------------------------------------------


def test_prefixes_are_bound_exactly(dataset: Dataset) -> None:
    result = apply(
        [(Op.PA, "x", URIRef("urn:x#"), None), (Op.PA, "y", URIRef("urn:y#"), G)], dataset
    )
    assert prefixes(dataset) == {"x": "urn:x#", "y": "urn:y#"}
    assert result.prefixes_added == 2
    # rdflib's own bind would create "x1" here.
    result = apply([(Op.PA, "x", URIRef("urn:z#"), None)], dataset)
    assert prefixes(dataset) == {"x": "urn:z#", "y": "urn:y#"}
    # The prefix of one IRI becomes the prefix of another IRI.
    result = apply([(Op.PA, "x", URIRef("urn:y#"), None)], dataset)
    assert prefixes(dataset) == {"x": "urn:y#"}
    assert dataset.store.prefix(URIRef("urn:y#")) == "x"
    assert dataset.store.prefix(URIRef("urn:z#")) is None
    result = apply([(Op.PA, "x", URIRef("urn:y#"), None)], dataset)
    assert result.prefixes_added == 0


def test_prefixes_are_unbound(dataset: Dataset, graph: Graph) -> None:
    for target in (dataset, graph):
        target.bind("x", "urn:x#")
        result = apply(
            [(Op.PD, "x", URIRef("urn:whatever"), None), (Op.PD, "z", None, None)], target
        )
        assert (result.prefixes_deleted, result.operations) == (1, 2)
        assert target.store.namespace("x") is None
        assert target.store.prefix(URIRef("urn:x#")) is None
        assert prefixes(target) == {}
        target.bind("x", "urn:x#")
        assert prefixes(target) == {"x": "urn:x#"}


def test_short_names_follow_the_prefixes(target: Graph) -> None:
    manager = target.namespace_manager
    target.bind("x", "urn:x/")
    assert manager.qname("urn:x/a") == "x:a"
    apply([(Op.PA, "y", URIRef("urn:x/"), None)], target)
    assert manager.qname("urn:x/a") == "y:a"
    apply([TX, (Op.PD, "y", None, None), TA], target)
    assert manager.qname("urn:x/a") == "y:a"
    apply([(Op.PD, "y", None, None)], target)
    assert manager.qname("urn:x/a") == "ns1:a"
    # The longest namespace applies, which can't be seen from an IRI alone.
    apply([(Op.PA, "longer", URIRef("urn:x/b"), None)], target)
    assert manager.qname("urn:x/bc") == "longer:c"


def test_prefixes_go_where_the_namespace_manager_keeps_them(dataset: Dataset) -> None:
    for target in (dataset, Graph()):
        elsewhere = Graph()
        target.namespace_manager = NamespaceManager(elsewhere)
        target.bind("gone", "urn:gone#")
        before = prefixes(target)
        apply([TX, (Op.PA, "x", S, None), (Op.PD, "gone", None, None), TA], target)
        assert prefixes(target) == before == {"gone": "urn:gone#"}
        result = apply([(Op.PA, "x", S, None), (Op.PD, "gone", None, None), add(1)], target)
        assert (result.prefixes_added, result.prefixes_deleted) == (1, 1)
        assert prefixes(target) == {"x": "urn:s"}
        assert elsewhere.store.namespace("x") == S
        assert target.store.namespace("x") is None
        other = Graph()
        jr.diff(other, target).apply(other)
        assert prefixes(other) == {"x": "urn:s"}


def test_no_prefixes_no_namespace_manager() -> None:
    # Access to the namespace manager would bind rdflib's own prefixes.
    graph = Graph(bind_namespaces="rdflib")
    apply([TX, add(1), TC], graph)
    assert dict(graph.store.namespaces()) == {}


def test_rdflibs_own_prefixes_stay_unbound() -> None:
    dataset = Dataset()
    apply([(Op.PD, "brick", None, None), add(1, G)], dataset)
    assert "brick" not in dict(dataset.namespaces())
    for graph in dataset.graphs():
        assert "brick" not in dict(graph.namespaces())


def test_a_store_that_does_not_bind() -> None:
    class Deaf(SimpleMemory):
        def __init__(self) -> None:
            super().__init__()
            del self._SimpleMemory__prefix

        def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None: ...

        def prefix(self, namespace: URIRef) -> None: ...

    with pytest.raises(ApplyError, match=r"Deaf.*does not bind the prefix 'x'"):
        apply([(Op.PA, "x", URIRef("urn:x#"), None)], Graph(Deaf()))


@pytest.mark.parametrize("store", [Memory, OtherMemory])
def test_a_rollback_leaves_a_graph_that_others_made_between_transactions(
    store: type[Memory],
) -> None:
    dataset = Dataset(store())

    def operations() -> Iterator[Operation]:
        yield from [TX, (Op.A, S, P, O, H), TC]
        dataset.add((S, P, O, G))
        yield from [TX, (Op.A, S, P, Literal("more"), G), TA]

    jr.apply(operations(), dataset)
    assert set(dataset.quads()) == {(S, P, O, G), (S, P, O, H)}


class StubbornStore(OtherMemory):
    """A store that has transactions but can't roll back."""

    transaction_aware = True

    def commit(self) -> None:
        pass

    def rollback(self) -> None:
        raise StoreError("no way back")


def test_a_store_that_can_not_roll_back() -> None:
    """The package undoes the changes that the store left in place; the error has the reason."""
    dataset = Dataset(StubbornStore())
    dataset.add((S, P, O, G))
    with pytest.raises(ApplyError, match="no way back"):
        apply([TX, add(1, G), (Op.D, S, P, O, G), TA], dataset)
    assert set(dataset.quads()) == {(S, P, O, G)}


@pytest.mark.parametrize("name", [URIRef(""), BNode("")])
def test_an_empty_name_of_a_graph(dataset: Dataset, name: Any) -> None:
    """rdflib would invent a name for such a graph."""
    before = quads(dataset)
    with pytest.raises(ApplyError, match="empty name"):
        apply([add(1, H), add(2, name)], dataset)
    assert quads(dataset) == before


@pytest.mark.parametrize(
    ("extension", "place"),
    [
        ("rdfp", " (at or after line 1, byte 0)"),
        ("rdfpb", " (at or after byte 0, row 1)"),
        ("jellyp", " (byte 2, frame 1)"),
    ],
)
def test_an_error_names_the_first_of_the_rows_that_were_read_together(
    tmp_path: Path, extension: str, place: str
) -> None:
    path = tmp_path / f"x.{extension}"
    jr.Patch([*(add(n) for n in range(30)), add(g=G)]).save(path)
    with pytest.raises(ApplyError) as caught:
        apply(path, Graph())
    assert str(caught.value).endswith(f"can hold it{place}")
    with pytest.raises(ApplyError, match="operation 31, in patch 1: ") as caught:
        apply(path, Graph(), strict=True)
    assert str(caught.value).endswith("can hold it")
