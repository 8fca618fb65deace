"""Tests how Thrift is written: another library reads the rows, and some terms are refused."""

import io
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.formats.rdf_patch import RDF_PATCH_THRIFT
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.terms import TripleTerm
from tests.core.patch_wires import THRIFT
from tests.core.thrift import oracle
from tests.core.thrift.oracle import SCHEMA
from tests.oracle.terms import Plain

S, P = URIRef("s"), URIRef("p")
XSD = "http://www.w3.org/2001/XMLSchema#"


def encoder_and_pieces() -> tuple[Any, list[bytes]]:
    pieces: list[bytes] = []
    return THRIFT.writer(pieces.append), pieces


def rows(data: bytes) -> list[Plain]:
    """Return the operations of rows, as thriftpy2 reads them."""
    return [oracle.operation(row) for row in oracle.decode(data, SCHEMA.RDF_Patch_Row)]


def test_bytes() -> None:
    """The bytes follow from the compact protocol: field headers, zigzag numbers, lengths, ends."""
    encoder, pieces = encoder_and_pieces()
    encoder.begin()
    encoder.add(S, P, Literal("o", lang="en"), BNode("g"))
    encoder.delete_prefix("ex")
    encoder.commit()
    encoder.finish()
    assert b"".join(pieces) == (
        b"\x65\x00\x00"  # field 6, an i32: 0
        b"\x2c"  # field 2, a struct
        b"\x1c\x1c\x18\x01s\x00\x00"
        b"\x1c\x1c\x18\x01p\x00\x00"
        b"\x1c\x3c\x18\x01o\x18\x02en\x00\x00"
        b"\x1c\x2c\x18\x01g\x00\x00"
        b"\x00\x00"
        b"\x5c\x28\x02ex\x00\x00"
        b"\x65\x02\x00"
    )


def test_options_are_refused() -> None:
    with pytest.raises(ValueError, match="has none"):
        RDF_PATCH_THRIFT.make_encoder(NODE_TYPES, jr.PatchOptions(), bytes)
    with pytest.raises(ValueError, match="has none"):
        jr.PatchWriter(io.BytesIO(), jr.PatchOptions(), format="rdf-patch-thrift")


class TestNesting:
    def nested(self, levels: int) -> Any:
        term: Any = S
        for level in range(levels):
            term = (TripleTerm(S, P, term), TripleTerm(term, P, S))[level % 2]
        return term

    def test_as_deep_as_it_is_read(self) -> None:
        encoder, pieces = encoder_and_pieces()
        term = self.nested(30)
        encoder.add(term, P, term)
        encoder.header("a", term)
        encoder.finish()
        assert len(THRIFT.read(b"".join(pieces))) == 3

    @pytest.mark.parametrize("levels", [31, 32, 1000, 100_000])
    def test_deeper(self, levels: int) -> None:
        encoder, pieces = encoder_and_pieces()
        for _ in range(2):
            with pytest.raises(jr.EncodeError, match=r"30 levels|nest deeper"):
                encoder.add(S, P, self.nested(levels))
        encoder.finish()
        assert pieces == []

    def test_a_triple_is_as_deep_as_the_place_where_it_stands(self) -> None:
        """A triple's depth depends on its position, even if it was written before, less deep."""
        inner = self.nested(20)
        term = TripleTerm(inner, P, S)
        for _ in range(9):
            term = TripleTerm(S, P, term)
        assert len(self.encoded(TripleTerm(inner, P, inner))) > 0
        assert len(self.encoded(term)) > 0
        with pytest.raises(jr.EncodeError, match="30 levels"):
            self.encoded(TripleTerm(inner, P, term))

    def encoded(self, term: Any) -> bytes:
        encoder, pieces = encoder_and_pieces()
        encoder.add(S, P, term)
        encoder.finish()
        return b"".join(pieces)


def test_triples_that_share_triples() -> None:
    """A few triples that share parts can expand to text of unlimited size."""
    term: Any = Literal("x" * 1000)
    for _ in range(30):
        term = TripleTerm(term, term, term)
    encoder, pieces = encoder_and_pieces()
    with pytest.raises(jr.EncodeError, match="longer than"):
        encoder.add(S, P, term)
    encoder.finish()
    assert pieces == []
