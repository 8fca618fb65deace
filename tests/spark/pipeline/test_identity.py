"""Tests that Spark treats different spellings of a literal as the same term, like the package."""

from typing import Any

from pyspark.sql import SparkSession
from rdflib import Literal

from jelly_rdflib.spark.pipeline import CHANGES, QUADS, diff, history, net_changes, replay
from jelly_rdflib.spark.pipeline.identity import with_identity, with_spelling
from jelly_rdflib.terms import identity

STRING = "^^<http://www.w3.org/2001/XMLSchema#string>"
SPELLINGS = [
    ['"a"', f'"a"{STRING}'],
    ['"a"@en-gb', '"a"@en-GB', '"a"@EN-gb'],
    # Literals that look like other spellings of a term, but are different terms.
    [f'"\\"{STRING}"', f'"\\"{STRING}"{STRING}'],
    ['"a@EN"'],
    ['"a"^^<urn:A@EN>'],
    [f'"\\"{STRING}"@en'],
    ["<urn:A@EN>"],
    ["_:A"],
    ['<< <urn:s> <urn:p> "a"@EN >>'],
    ['"01"^^<http://www.w3.org/2001/XMLSchema#integer>'],
    ['"1"^^<http://www.w3.org/2001/XMLSchema#integer>'],
]
ALL = [term for terms in SPELLINGS for term in terms]
PAIRS = [(one, other) for terms in SPELLINGS[:3] for one in terms for other in terms]


def change(op: str, subject: int, o: str, seq: int) -> tuple[Any, ...]:
    return ("f", 0, 0, seq, op, f"<urn:{subject}>", "<urn:p>", o, None, None)


def test_groups_the_spellings_of_a_term_and_gives_each_back(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("<urn:s>", "<urn:p>", term, None) for term in ALL], QUADS)
    found = [row.o for row in with_identity(rows).collect()]
    assert [[found[ALL.index(term)] for term in terms] for terms in SPELLINGS] == [
        [found[ALL.index(terms[0])]] * len(terms) for terms in SPELLINGS
    ]
    assert len(set(found)) == len(SPELLINGS)
    assert [row.o for row in with_spelling(with_identity(rows)).collect()] == ALL


def test_it_is_that_of_nodes() -> None:
    nodes = [
        [Literal("a"), Literal("a", datatype=STRING[3:-1])],
        [Literal("a", lang="en-gb"), Literal("a", lang="en-GB"), Literal("a", lang="EN-gb")],
    ]
    assert [[node.n3() for node in group] for group in nodes] == SPELLINGS[:2]
    assert [len({identity(node) for node in group}) for group in nodes] == [1, 1]


def test_a_change_in_another_spelling_is_of_the_same_statement(spark: SparkSession) -> None:
    def changes_of(op: str) -> Any:
        """Add each statement in one spelling, then change it in another."""
        rows = [
            row
            for number, (one, other) in enumerate(PAIRS)
            for row in (
                change("A", number, one, 2 * number),
                change(op, number, other, 2 * number + 1),
            )
        ]
        return spark.createDataFrame(rows, CHANGES)

    def state_of(side: int) -> Any:
        rows = [(f"<urn:{n}>", "<urn:p>", pair[side], None) for n, pair in enumerate(PAIRS)]
        return spark.createDataFrame(rows, QUADS)

    deleted = changes_of("D")
    assert replay(deleted).collect() == []
    assert [row.op for row in net_changes(deleted).operations.collect()] == ["D"] * len(PAIRS)
    assert replay(changes_of("A")).count() == len(PAIRS)
    assert history(changes_of("A"), o=SPELLINGS[1][2]).count() == 9
    assert diff(state_of(0), state_of(1)).collect() == []
