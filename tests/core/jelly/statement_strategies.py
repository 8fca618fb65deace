"""Hypothesis strategies for whole legal streams of statements, in the plain form of patches."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracle.rdf_build import GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import Frame
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.strategies import Pool, make_room, term_options

PHYSICAL_TYPES = (TRIPLES, QUADS, GRAPHS)

FLAT = {TRIPLES: [1, 11, 31], QUADS: [2, 12], GRAPHS: [2, 102]}
GROUPED = {TRIPLES: [3, 13, 23], QUADS: [4, 14, 114, 24], GRAPHS: [4, 14, 114, 1004]}
"""The logical types that are legal with each physical type; some of them are not defined yet."""


@dataclass
class Stream:
    """A legal stream: the fields of its options row, and the content of each of its frames."""

    options: dict[str, Any]
    frames: list[Frame]

    @property
    def operations(self) -> list[Plain]:
        """Return the statements and namespaces of all frames."""
        return [op for frame in self.frames for op in frame.operations]

    @property
    def statements(self) -> list[Plain]:
        return [statement for frame in self.frames for statement in frame.statements]

    @property
    def has_namespaces(self) -> bool:
        return any(frame.namespaces for frame in self.frames)


def _operations(pool: Pool, physical_type: int) -> st.SearchStrategy[list[Plain]]:
    triples = physical_type == TRIPLES
    statement = st.tuples(
        st.just("A"),
        st.sampled_from(pool.s),
        st.sampled_from(pool.p),
        st.sampled_from(pool.o),
        st.sampled_from([None] if triples else [DEFAULT_GRAPH, *pool.g]),
    )
    prefixes = st.sampled_from(["", "ex", "é", "a.b"]) | st.text(max_size=3)
    namespace = st.tuples(st.just("PA"), prefixes, st.sampled_from(pool.v), st.none())
    return st.lists(st.one_of(*[statement] * 5, namespace), max_size=8)


def _metadata() -> st.SearchStrategy[dict[str, bytes]]:
    keys = st.sampled_from(["", "id", "é", "\x00", "a" * 200]) | st.text(max_size=4)
    values = st.sampled_from([b"", b"\xff", b"x" * 300]) | st.binary(max_size=8)
    return st.just({}) | st.just({}) | st.dictionaries(keys, values, max_size=3)


@st.composite
def streams(
    draw: st.DrawFn,
    *,
    physical_type: int | None = None,
    logical: str = "any",
    one_frame: bool = False,
    rdf_1_1: bool = False,
) -> Stream:
    """Draw a legal stream whose lookups are large enough for each of its rows.

    Args:
        draw: Hypothesis' draw function.
        physical_type: The physical type of the stream, or None for any.
        logical: The logical type: "flat", "grouped", or "any", which includes unspecified.
        one_frame: Draw exactly one frame.
        rdf_1_1: Draw neither quoted triples nor generalized statements.
    """
    physical_type = physical_type or draw(st.sampled_from(PHYSICAL_TYPES))
    logical_types = {
        "flat": FLAT[physical_type],
        "grouped": GROUPED[physical_type],
        "any": [0, *FLAT[physical_type], *GROUPED[physical_type]],
    }[logical]
    options = {
        **draw(term_options),
        "stream_name": draw(st.sampled_from(["", "", "a stream", "é\x00"])),
        "physical_type": physical_type,
        "logical_type": draw(st.sampled_from(logical_types)),
        "version": draw(st.sampled_from([1, 2])),
    }
    if rdf_1_1:
        options["rdf_star"] = options["generalized_statements"] = False
    pool = Pool(draw, options)
    frames = draw(
        st.lists(
            st.builds(Frame, _operations(pool, physical_type), _metadata()),
            min_size=1,
            max_size=1 if one_frame else 4,
        )
    )
    make_room(options, [op for frame in frames for op in frame.operations])
    return Stream(options, frames)
