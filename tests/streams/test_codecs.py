"""Tests the encoders of single frames."""

import io
from typing import Any

import pytest
from rdflib import BNode, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.core.jelly.formats import PATCH_QUADS, RDF_QUADS, Format
from tests.oracle import decoder, wire
from tests.oracle.terms import plain_operation

S, P = URIRef("http://example.org/s"), URIRef("http://example.org/p")
ADD = (Op.A, S, P, BNode("o"), S)


def kinds(f: Format, frame: bytes) -> list[str]:
    return [row.WhichOneof("row") for row in f.Frame.FromString(frame).rows]


CODECS = {PATCH_QUADS: (jr.PatchEncoder, ADD), RDF_QUADS: (jr.StatementEncoder, ADD[1:])}
codecs = pytest.mark.parametrize("f", CODECS, ids=repr)


@codecs
def test_the_first_frame_has_the_options_and_the_others_have_not(f: Format) -> None:
    make, item = CODECS[f]
    assert kinds(f, make().encode_frame([])) == ["options"]
    encoder = make()
    assert kinds(f, encoder.encode_frame([item]))[0] == "options"
    assert kinds(f, encoder.encode_frame([item])) in (["statement_add"], ["quad"])
    assert encoder.encode_frame([]) == b""


@codecs
def test_frames_are_bare_and_as_large_as_they_are_asked_to_be(f: Format) -> None:
    make, item = CODECS[f]
    encoder = make(f.Options(frame_rows=1, frame_bytes=10))
    frame = encoder.encode_frame([item] * 100)
    assert wire.looks_bare(frame)
    assert len(kinds(f, frame)) > 100


@codecs
@pytest.mark.parametrize(
    "items", [None, 5, ADD, [ADD, 5], [[Op.TX]], [("A",)], [ADD[1:], 5], [[S]]]
)
def test_what_is_no_list_of_items_is_an_error(f: Format, items: Any) -> None:
    with pytest.raises((TypeError, jr.EncodeError)):
        CODECS[f][0]().encode_frame(items)


def test_a_frame_of_frame_has_one_patch() -> None:
    encoder = jr.PatchEncoder(jr.PatchOptions(stream_type="FRAME"))
    with pytest.raises(jr.EncodeError):
        encoder.encode_frame([ADD, (Op.END,), ADD])


def test_a_frame_of_frame_does_not_end_inside_a_transaction() -> None:
    encoder = jr.PatchEncoder(jr.PatchOptions(stream_type="FRAME"))
    with pytest.raises(jr.EncodeError, match="transaction"):
        encoder.encode_frame([(Op.TX,), ADD])
    reference = decoder.Reference()
    got = reference.frame(decoder.parse(encoder.encode_frame([(Op.TC,)])))
    assert got == [("TX",), plain_operation(ADD), ("TC",), ("END",)]


def test_an_error_of_the_iterable_goes_through() -> None:
    encoder = jr.PatchEncoder()

    def operations() -> Any:
        yield ADD
        raise KeyError("x")

    with pytest.raises(KeyError):
        encoder.encode_frame(operations())
    assert kinds(PATCH_QUADS, encoder.encode_frame([])).count("statement_add") == 1


@pytest.mark.parametrize("kind", ["Patch", "Statement"])
def test_the_options_are_told(kind: str) -> None:
    options = {"Patch": jr.PatchOptions, "Statement": jr.StreamOptions}[kind](
        max_name_table_size=77
    )
    encoder, decoder = getattr(jr, f"{kind}Encoder")(options), getattr(jr, f"{kind}Decoder")()
    assert decoder.options is None
    decoder.decode_frame(encoder.encode_frame([]))
    assert encoder.options == decoder.options == options
    assert getattr(jr, f"{kind}Writer")(io.BytesIO(), options).options == options
