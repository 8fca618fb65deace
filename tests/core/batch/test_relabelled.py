"""Tests adding prefixes to blank-node labels."""

from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.core.batch import OperationReader, RelabelledBatches

TEXT = b"""
_:b <urn:p> "b" .
<urn:s> <urn:p> _:b1 .
<urn:s> <urn:p> "\xc3\xa9"@en .
<urn:b> <urn:p> "1"^^<urn:b> .
"""


def read(source: bytes) -> Any:
    return jr.read_batches(source, format="nt" if source.startswith(b"\n_:") else None)


def relabelled(source: Any, prefix: str) -> list[tuple[Any, ...]]:
    return [row[1:4] for row in OperationReader(RelabelledBatches(read(source), prefix))]


@pytest.mark.parametrize("prefix", ["x", "N0123456789abcdef" * 10])
def test_only_labels_of_blank_nodes_change(prefix: str) -> None:
    p = URIRef("urn:p")
    assert relabelled(TEXT, prefix) == [
        (BNode(f"{prefix}b"), p, Literal("b")),
        (URIRef("urn:s"), p, BNode(f"{prefix}b1")),
        (URIRef("urn:s"), p, Literal("\u00e9", lang="en")),
        (URIRef("urn:b"), p, Literal("1", datatype=URIRef("urn:b"))),
    ]


def test_terms_are_found_by_their_new_labels() -> None:
    # Both encoders use a table of terms, whose hashes must be those of the new labels.
    batches = RelabelledBatches(read(TEXT), "x")
    encoder = jr.StatementEncoder(jr.StreamOptions(physical_type="TRIPLES"))
    wanted = encoder.encode_frame(next(batches))
    text = TEXT.replace(b"_:", b"_:x")
    again = jr.StatementEncoder(jr.StreamOptions(physical_type="TRIPLES"))
    assert wanted == again.encode_frame(next(read(text)))
    changes = [(jr.Op.D, *row, None) for row in relabelled(TEXT, "x")]
    added = [row for batch in RelabelledBatches(read(TEXT), "x") for row in batch]
    assert [op[0] for op in jr.compact([*added, *changes])].count(jr.Op.A) == 0


def test_quoted_triples_have_them_too() -> None:
    encoder = jr.StatementEncoder(jr.StreamOptions(physical_type="TRIPLES", rdf_star=True))
    quoted = jr.TripleTerm(BNode("a"), URIRef("urn:p"), BNode("b"))
    frame = encoder.encode_frame([(quoted, URIRef("urn:p"), quoted)])
    ((s, _, o),) = relabelled(frame, "x")
    assert s == o == jr.TripleTerm(BNode("xa"), URIRef("urn:p"), BNode("xb"))


def test_errors_and_places_are_those_of_the_batches() -> None:
    batches = RelabelledBatches(read(TEXT + b"<urn:s> oh no"), "x")
    sizes: list[int] = []
    with pytest.raises(jr.DecodeError) as caught:
        sizes.extend(map(len, batches))
    assert sum(sizes) == 4
    assert caught.value.offset == len(TEXT) + len("<urn:s> ")
    assert list(batches) == []
