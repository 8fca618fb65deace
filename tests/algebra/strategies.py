"""Hypothesis strategies: patches on a few statements and prefixes, and datasets for them."""

import io
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD

import jelly_rdflib as jr
from jelly_rdflib import Op, Operation
from jelly_rdflib.terms import plain
from tests.support import encode

DEFAULT = DATASET_DEFAULT_GRAPH_ID

NODES = [URIRef("urn:a"), BNode("b")]
# Three literals; two of them have two spellings each.
OBJECTS = [
    *NODES,
    Literal("x"),
    Literal("x", datatype=XSD.string),
    Literal("x", lang="en"),
    Literal("x", lang="EN"),
    Literal(1),
]
GRAPHS = [None, None, URIRef("urn:g"), BNode("g")]
NAMES = ["", "ex", "rdf"]
IRIS = [URIRef("urn:a#"), URIRef("urn:b#")]

quads = st.tuples(
    st.sampled_from(NODES),
    st.just(URIRef("urn:p")),
    st.sampled_from(OBJECTS),
    st.sampled_from(GRAPHS),
)
statements = st.builds(lambda op, quad: (op, *quad), st.sampled_from([Op.A, Op.D]), quads)


def prefixes(graphs: list[Any]) -> st.SearchStrategy[Operation]:
    """Return operations on prefixes of these graphs."""
    return st.tuples(
        st.just(Op.PA), st.sampled_from(NAMES), st.sampled_from(IRIS), st.sampled_from(graphs)
    ) | st.tuples(
        st.just(Op.PD),
        st.sampled_from(NAMES),
        st.none() | st.sampled_from(IRIS),
        st.sampled_from(graphs),
    )


def changes(graphs: list[Any] = GRAPHS) -> st.SearchStrategy[Operation]:
    """Return changes to statements, and to prefixes in these graphs."""
    return st.one_of(statements, statements, statements, prefixes(graphs))


headers = st.tuples(
    st.just(Op.H), st.sampled_from(["by", "at"]), st.sampled_from([Literal("x"), URIRef("urn:x")])
)


@st.composite
def bodies(draw: st.DrawFn, graphs: list[Any] = GRAPHS) -> list[Operation]:
    """Return the body of a patch, with changes outside of and inside transactions."""
    operations: list[Operation] = []
    for chunk in draw(st.lists(st.lists(changes(graphs), max_size=6), max_size=4)):
        end = draw(st.sampled_from([None, Op.TC, Op.TC, Op.TA]))
        operations += chunk if end is None else [(Op.TX,), *chunk, (end,)]
    return operations


@st.composite
def patches(draw: st.DrawFn, graphs: list[Any] = GRAPHS) -> list[Operation]:
    """Return one patch, without an END."""
    return [*draw(st.lists(headers, max_size=2)), *draw(bodies(graphs))]


@st.composite
def streams(draw: st.DrawFn, graphs: list[Any] = GRAPHS) -> list[Operation]:
    """Return several patches, each with an END."""
    return [
        operation
        for patch in draw(st.lists(patches(graphs), max_size=3))
        for operation in [*patch, (Op.END,)]
    ]


datasets = st.tuples(
    st.sets(quads, max_size=8),
    st.dictionaries(st.sampled_from([*NAMES, "other"]), st.sampled_from(IRIS), max_size=2),
)
"""The contents of a dataset: statements and prefixes."""


def make_dataset(content: Any, make: Callable[[], Graph] = Dataset) -> Any:
    """Return a dataset with these statements and prefixes."""
    statements, prefixes = content
    dataset = make()
    jr.apply(
        [
            *((Op.PA, prefix, iri, None) for prefix, iri in prefixes.items()),
            *((Op.A, *quad) for quad in statements),
        ],
        dataset,
    )
    return dataset


def contents(graph: Graph) -> tuple[Any, Any]:
    """Return all prefixes, and all statements in the spelling of RDF 1.1."""
    quads = graph.quads() if isinstance(graph, Dataset) else graph
    statements = {tuple(plain(term) if term else term for term in quad) for quad in quads}
    return statements, dict(graph.namespaces())


def write(operations: Iterable[Operation], **options: Any) -> bytes:
    """Write operations as Jelly-Patch, in small frames."""
    return encode(operations, **{"frame_rows": 3, **options})


def write_text(operations: Iterable[Operation]) -> bytes:
    # Without this comment, text without operations would not be recognized as text.
    file = io.BytesIO(b"# text\n")
    file.seek(0, io.SEEK_END)
    with jr.PatchWriter(file, format="rdf-patch") as writer:
        writer.write_all(operations)
    return file.getvalue()


class Pipe(io.RawIOBase):
    """A binary file that can't seek."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._rest = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # Return a few bytes at a time.
        return self._rest.readinto(memoryview(buffer)[:7])


def in_file(data: bytes) -> io.BytesIO:
    """Return an open file that is positioned at the data, after other bytes."""
    file = io.BytesIO(b"before" + data)
    file.seek(6)
    return file


FORMS: dict[str, Callable[[list[Operation]], Any]] = {
    "list": list,
    "iterator": iter,
    "jellyp": write,
    "text": write_text,
    "file": lambda operations: in_file(write(operations)),
    "pipe": lambda operations: Pipe(write(operations)),
}
"""Functions that convert operations to each form in which changes may be passed."""

forms = st.sampled_from(sorted(FORMS)).map(FORMS.__getitem__)


def same_graphs(operations: Iterable[Operation]) -> list[Operation]:
    """Return the operations, with the name of the default graph in place of None."""
    return [
        (*operation[:-1], DEFAULT) if operation[-1] is None and len(operation) > 3 else operation
        for operation in operations
    ]
