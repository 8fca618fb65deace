"""The columns of the tables."""

from __future__ import annotations

from jelly_rdflib.spark.pipeline import QUADS


def test_only_the_graph_of_a_quad_may_be_null() -> None:
    assert {field.name: field.nullable for field in QUADS} == {
        "s": False,
        "p": False,
        "o": False,
        "g": True,
    }
