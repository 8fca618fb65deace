"""Hypothesis strategies for whole legal streams of Jelly-RDF 1.2, in the plain form of patches."""

import random
from typing import Any

from hypothesis import strategies as st

from tests import strategies
from tests.oracle.columns_decoder import LANGUAGE_DATATYPES
from tests.oracle.columns_producer import Stream, options, rdf_versions
from tests.oracle.columns_schema import (
    DRAFTS,
    FLAT,
    MESSAGES,
    QUADS,
    RDF_1_1,
    RDF_1_2,
    TRIPLES,
    Draft,
)
from tests.oracle.terms import DEFAULT_GRAPH, Plain, with_simple_strings

literals = strategies.literals.filter(lambda term: term[3] not in LANGUAGE_DATATYPES).map(
    with_simple_strings
)

directed_literals = st.builds(
    lambda lex, language, direction: ("literal", lex, language, None, direction),
    strategies.texts,
    st.sampled_from(strategies.LANGUAGES),
    st.sampled_from(["ltr", "rtl"]),
)


class _Pool:
    """A few terms for each column that a stream uses repeatedly."""

    def __init__(self, draw: st.DrawFn, rdf_version: int, has_datatypes: bool) -> None:
        iris = draw(st.lists(strategies.iris, min_size=1, max_size=6))
        if draw(st.integers(0, 4)) == 0:
            # These are more names than fit in the lookup.
            iris += [("iri", f"http://example.org/n{number}") for number in range(300)]
        nodes = draw(st.lists(strategies.blank_nodes, min_size=1, max_size=3))
        texts = draw(st.lists(literals, min_size=1, max_size=6))
        if not has_datatypes:
            texts = [(*text[:3], None) for text in texts]
        if rdf_version != RDF_1_1:
            texts += draw(st.lists(directed_literals, max_size=3))
        self.s = iris + nodes
        self.p = self.v = iris
        self.o = iris + nodes + texts
        self.g = [DEFAULT_GRAPH, *(term for term in self.s if term != DEFAULT_GRAPH)]
        for _ in range(draw(st.integers(0, 3)) if rdf_version == RDF_1_2 else 0):
            parts = map(st.sampled_from, (self.s, self.p, self.o))
            triples = draw(st.lists(st.tuples(st.just("triple"), *parts), max_size=2))
            self.o = self.o + triples


def _operations(
    pool: _Pool, rng: random.Random, count: int, physical_type: int, stream_type: int
) -> list[Plain]:
    """Return `count` operations whose terms repeat for a while or change each time."""
    stays = [rng.choice([0.0, 0.5, 0.9, 0.98, 1.0]) for _ in range(4)]
    columns = (pool.s, pool.p, pool.o, pool.g)
    row = [rng.choice(terms) for terms in columns]
    namespaces = rng.choice([0.0, 0.02, 0.3])
    ends = rng.choice([0.02, 0.3]) if stream_type == MESSAGES else 0.0
    operations: list[Plain] = []
    for _ in range(count):
        if rng.random() < namespaces:
            name = rng.choice(["", "ex", "é", "a.b"])
            operations.append(("PA", name, rng.choice(pool.v), None))
        for number, terms in enumerate(columns):
            if rng.random() >= stays[number]:
                row[number] = rng.choice(terms)
        operations.append(("A", *row[:3], row[3] if physical_type == QUADS else None))
        while rng.random() < ends:
            operations.append(("END",))
    if stream_type == MESSAGES and operations and operations[-1] != ("END",):
        operations.append(("END",))
    return operations


@st.composite
def streams(
    draw: st.DrawFn,
    *,
    physical_type: int | None = None,
    stream_type: int | None = None,
    rdf_version: int | None = None,
    draft: Draft | None = None,
) -> Stream:
    """Draw a legal stream that `columns_producer.write_columns` can write.

    Args:
        draw: Hypothesis' draw function.
        physical_type: TRIPLES or QUADS, or None for either.
        stream_type: FLAT or MESSAGES, or None for either.
        rdf_version: The RDF version whose terms are allowed, or None for any.
        draft: The draft, or None for either.
    """
    physical_type = physical_type or draw(st.sampled_from([TRIPLES, QUADS]))
    if stream_type is None:
        stream_type = draw(st.sampled_from([FLAT, MESSAGES]))
    rdf_version = rdf_version or draw(st.integers(RDF_1_1, RDF_1_2))
    prefixes, datatypes = draw(st.sampled_from([(0, 0), (1, 1), (2, 2), (16, 16), (150, 32)]))
    pool = _Pool(draw, rdf_version, datatypes > 0)
    count = draw(st.integers(0, 10) | st.integers(0, 150))
    operations = _operations(pool, draw(strategies.dice), count, physical_type, stream_type)
    fields: dict[str, Any] = options(
        stream_name=draw(st.sampled_from(["", "", "a stream", "é\x00"])),
        physical_type=physical_type,
        stream_type=stream_type,
        rdf_version=draw(st.sampled_from(rdf_versions(operations))),
        max_name_table_size=draw(st.sampled_from([128, 128, 129, 4000])),
        max_prefix_table_size=prefixes,
        max_datatype_table_size=datatypes,
    )
    return Stream(fields, operations, draft or draw(st.sampled_from(DRAFTS)))
