"""Language tags in other cases of letters are one term, for rdflib and for Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr

pytest.importorskip("pyspark")
from jelly_rdflib.spark import register
from jelly_rdflib.spark.pipeline import replay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

S, P = URIRef("urn:s"), URIRef("urn:p")


def test_a_deletion_finds_a_literal_in_another_case(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.jellyp"
    with jr.PatchWriter(path) as writer:
        writer.add(S, P, Literal("a", lang="EN"))
        writer.add(S, P, Literal("b", lang="en"))
        writer.delete(S, P, Literal("a", lang="en"))
    dataset = Dataset()
    jr.apply(path, dataset)
    assert {str(o) for _, _, o, _ in dataset.quads()} == {"b"}
    register(spark)
    now = replay(spark.read.format("jelly-patch").load(str(path)))
    assert {row.o for row in now.collect()} == {'"b"@en'}
