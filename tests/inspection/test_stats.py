"""Tests the counts of `stats`, which are the same for a patch and its file."""

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, BNode, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import NameCounts, Op, TransactionSizes, TripleTerm
from jelly_rdflib.inspection import stats as counting
from jelly_rdflib.inspection.stats import MAX_SIZES
from tests import strategies
from tests.cli.support import G, P, S, encode
from tests.display.cells import Cells
from tests.oracle import build, producer
from tests.strategies import Stream


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from([Op.A, Op.D]),
                st.just(S),
                st.sampled_from([P, S]),
                st.just(Literal("o")),
                st.sampled_from([None, G]),
            ),
            max_size=8,
        ),
        max_size=8,
    ),
    st.integers(1, 5),
)
def test_counts_are_those_of_the_operations(transactions: list[list[Any]], frame_rows: int) -> None:
    operations: list[Any] = []
    for transaction in transactions:
        operations += [(Op.TX,), *transaction, (Op.TC,)]
    data = encode(operations, frame_rows=frame_rows, stream_type="FLAT")
    counts = jr.stats(data)
    read = list(jr.read_operations(data))
    assert counts.operations == Counter(operation[0].name for operation in read)
    changes = [operation for operation in read if operation[0] in (Op.A, Op.D)]
    for name, added, deleted in counts.predicates.ranking():
        codes = [row[0] for row in changes if row[2].n3() == name]
        assert (added, deleted) == (codes.count(Op.A), codes.count(Op.D))
    for names in (counts.predicates, counts.graphs):
        assert sum(sum(numbers) for numbers in names.numbers.values()) == len(changes)
    assert counts.transactions.added == [
        sum(row[0] == Op.A for row in transaction) for transaction in transactions
    ]
    assert counts.committed == len(transactions)
    assert counts.patches == bool(operations)


def test_operations_outside_transactions_are_one_each_patch() -> None:
    row = (Op.A, S, P, S, None)
    counts = jr.stats(encode([row, row, (Op.END,), (Op.TX,), row, (Op.TA,), row]))
    assert counts.transactions.added == [2, 1, 1]
    assert (counts.patches, counts.committed, counts.aborted) == (2, 2, 1)


def test_a_log_counts_as_its_patches_one_after_the_other(tmp_path: Path) -> None:
    row = (Op.A, S, P, S, G)
    patches: list[list[Any]] = [
        [row, (Op.D, S, P, P, None)],
        [(Op.TX,), row, row, (Op.TA,)],
        [(Op.PA, "ex", URIRef("urn:"), None)],
    ]
    log = jr.PatchLog.create(tmp_path / "log")
    assert jr.stats(log).as_dict() == jr.StreamStats().as_dict()
    for patch in patches:
        log.append(patch)
    together = jr.stats(encode([part for patch in patches for part in [*patch, (Op.END,)]]))
    counts = jr.stats(log)
    # The log adds an id to each patch, and a prev to each but the first.
    assert counts.operations.pop("H") == 5
    for name in ("operations", "patches", "committed", "aborted", "transactions"):
        assert getattr(counts, name) == getattr(together, name)
    for name in ("graphs", "predicates"):
        assert getattr(counts, name).ranking() == getattr(together, name).ranking()
    with pytest.raises(ValueError, match="can't be used with a PatchLog"):
        jr.stats(log, isolated=True)


def test_batches_and_readers_are_counted() -> None:
    data = encode()
    expected = jr.stats(data).as_dict()
    assert jr.stats(jr.read_batches(data)).as_dict() == expected
    assert jr.stats(jr.read_operations(data)).as_dict() == expected
    assert jr.stats(jr.read_patches(data)).as_dict() == expected
    [batch, *_] = jr.read_batches(data)
    assert jr.stats(batch).operations["A"] > 0


def test_many_transactions_are_taken_together() -> None:
    sizes = TransactionSizes()
    for i in range(5000):
        sizes.append(i, 1)
    assert sizes.step == 8
    assert len(sizes.added) <= MAX_SIZES
    assert sum(sizes.added) == sum(range(5000))
    assert sum(sizes.deleted) == 5000
    assert sizes.added[0] == sum(range(8))
    assert sizes.median == 2500


def many_predicates() -> bytes:
    """Return adds with predicates 0 to 9, then deletes with the same, the last one three times."""
    rows = [f"A <urn:s> <urn:{i}> <urn:o> .\n" for i in range(10)]
    rows += [f"D <urn:s> <urn:{i}> <urn:o> .\n" for i in (*range(10), 9, 9)]
    return "".join(rows).encode()


@pytest.mark.parametrize("limit", ["names", "bytes"])
def test_names_beyond_a_limit_are_others(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "names":
        monkeypatch.setattr(counting, "MAX_NAMES", 4)
    else:
        monkeypatch.setattr(counting, "MAX_NAME_BYTES", 4 * sys.getsizeof("<urn:0>"))
    for frame_rows in (1, 3, 100):
        data = encode(list(jr.read_operations(many_predicates())), frame_rows=frame_rows)
        counts = jr.stats(data)
        assert counts.predicates.ranking() == [(f"<urn:{i}>", 1, 1) for i in range(4)]
        assert counts.predicates.others == [6, 8]
        assert counts.predicates.distinct == "more than 4"
        assert counts.operations["D"] == 12
        assert counts.graphs.ranking() == [("default graph", 10, 12)]
        assert counts.graphs.others == [0, 0]
        assert counts.as_dict()["other_predicates"] == {"added": 6, "deleted": 8}
        assert len(counts.as_dict()["predicates"]) == 4
        assert "other_graphs" not in counts.as_dict()


def test_what_is_full_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_NAME_BYTES", 200)
    counts = NameCounts()
    for name in ("a", "b" * 200, "c", "a"):
        counts.count(name, Op.A, 1)
    assert counts.ranking() == [("a", 2, 0)]
    assert counts.others == [2, 0]


def test_quoted_triples_that_would_be_long_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_NAME_BYTES", 10_000)
    term = TripleTerm(S, P, URIRef("urn:" + "x" * 100))
    rows: list[Any] = [(Op.A, S, term, S, None)]
    for _ in range(10):
        term = TripleTerm(term, P, term)
    rows.append((Op.A, S, term, S, None))
    data = encode(rows, rdf_star=True, generalized_statements=True)
    counts = jr.stats(data).predicates
    assert [name for name, _, _ in counts.ranking()] == [rows[0][2].n3()]
    assert counts.others == [1, 0]


def whole(counts: jr.StreamStats) -> dict[str, Any]:
    sizes = counts.transactions
    return {**counts.as_dict(), "sizes": (sizes.added, sizes.deleted, sizes.histogram)}


@given(strategies.streams(), strategies.dice)
def test_a_patch_counts_as_its_file_does(stream: Stream, rng: random.Random) -> None:
    messages = producer.frames(stream.operations, stream.options, rng)
    data = build.delimited(message.SerializeToString() for message in messages)
    options = jr.PatchOptions(rdf_star=True, generalized_statements=True)
    for patch in jr.read_patches(data, normalize=False):
        expected = whole(jr.stats(patch.serialize(options=options)))
        assert whole(jr.stats(patch)) == expected
        assert whole(jr.stats(jr.Patch(list(patch)))) == expected


def test_a_graph_and_a_dataset() -> None:
    graph, dataset = Graph(), Dataset()
    graph.add((S, P, S))
    dataset.add((S, P, S, G))
    assert jr.stats(graph).graphs.ranking() == [("default graph", 1, 0)]
    assert jr.stats(dataset).graphs.ranking() == [("<urn:g>", 1, 0)]


def test_html_is_the_tables_of_the_command() -> None:
    html = jr.stats(many_predicates())._repr_html_()
    cells = Cells(html)
    assert ["D", "12"] in cells.rows
    assert ["<urn:9>", "1", "3", ""] in cells.rows
    assert "patches: 1; transactions: 1, 1 committed, 0 aborted" in html


@pytest.mark.parametrize(
    ("term", "name"),
    [
        (URIRef("urn:no {IRI}"), "<urn:no {IRI}>"),
        (BNode("b"), "_:b"),
        (Literal('a "b"\\\n'), r'"a \"b\"\\\n"'),
        (Literal("x", lang="de"), '"x"@de'),
        (Literal("x", datatype=XSD.decimal), f'"x"^^<{XSD.decimal}>'),
        (TripleTerm(S, URIRef("urn:{"), S), f"<< <{S}> <urn:{{> <{S}> >>"),
    ],
)
def test_any_term_has_a_name(term: Any, name: str) -> None:
    patch = jr.Patch([(Op.A, S, term, S, None)])
    options = jr.PatchOptions(rdf_star=True, generalized_statements=True)
    for source in (patch, patch.serialize(options=options)):
        assert jr.stats(source).predicates.ranking() == [(name, 1, 0)]
