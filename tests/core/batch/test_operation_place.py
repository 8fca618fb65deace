"""Tests errors raised only when a batch is used: they include the position of the batch."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from rdflib import Dataset

import jelly_rdflib as jr
from jelly_rdflib.core.batch import OperationReader
from jelly_rdflib.streams.index import find_parts, read_part
from tests.oracle import build as b

XML = "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"
FIRST = b.stream([b.options(), b.name("urn:p"), b.datatype(XML), b.begin()])
SECOND = b.stream([b.add(b.iri(0, 1), b.iri(0, 1), b.literal("<b/>" * 3, datatype=1))] * 2)
THIRD = b.stream([b.add(b.iri(0, 1), b.iri(0, 1), b.literal("<b/>" * 9, datatype=1))])
DATA = FIRST + SECOND + THIRD
HELD, TAGS = jr.Limits(max_held_operations=2), jr.Limits(max_xml_tags=16)


def apply(source: Any, limits: jr.Limits) -> None:
    jr.apply(source, Dataset(), limits=limits)


def read(source: Any, limits: jr.Limits) -> None:
    list(jr.read_operations(source, limits=limits))


def read_patches(source: Any, limits: jr.Limits) -> None:
    list(jr.read_patches(source, limits=limits))


@pytest.mark.parametrize(
    ("use", "limits", "place"),
    [
        (apply, HELD, (len(FIRST + SECOND), 3)),
        (apply, TAGS, (len(FIRST + SECOND), 3)),
        (read, TAGS, (len(FIRST + SECOND), 3)),
        # For the limit on held operations, each frame counts as 128 operations.
        (read_patches, jr.Limits(max_held_operations=200), (len(FIRST), 2)),
    ],
)
def test_a_frame(
    use: Callable[[Any, jr.Limits], None], limits: jr.Limits, place: tuple[int, int]
) -> None:
    with pytest.raises(jr.LimitError) as caught:
        use(DATA, limits)
    offset, frame = place
    # As in all errors, the offset is that of the frame's first byte, after the length prefix.
    assert (caught.value.offset, caught.value.frame) == (offset + 1, frame)
    assert f"(byte {offset + 1}, frame {frame})" in str(caught.value)


def test_a_frame_of_a_part(tmp_path: Any) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(DATA)
    parts = find_parts(path, spacing=1)
    with pytest.raises(jr.LimitError) as caught:
        list(OperationReader(read_part(path, parts[-1], limits=TAGS)))
    assert (caught.value.offset, caught.value.frame) == (len(FIRST + SECOND) + 1, 3)


def test_text() -> None:
    rows = b"TX .\n" + b"A <urn:s> <urn:p> <urn:o> .\n" * 3
    with pytest.raises(jr.LimitError) as caught:
        jr.apply(rows, Dataset(), limits=HELD, format="rdf-patch")
    # The reader read the three rows together, so the error has the position of the first row.
    assert (caught.value.line, caught.value.offset) == (2, len(b"TX .\n"))


BAD_FRAMES = {
    "a literal as a subject": [b.add(b.literal("x"), b.iri(0, 1), b.iri(0, 1))],
    "a prefix too many": [b.prefix_add(f"p{n}", b.iri(0, 1)) for n in range(50)],
}


@pytest.mark.parametrize("rows", BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_what_can_not_be_applied(rows: list[Any]) -> None:
    first = b.stream([b.options(generalized_statements=True), b.name("urn:p"), b.begin()])
    second = b.stream(rows)
    with pytest.raises((jr.ApplyError, jr.LimitError)) as caught:
        apply(first + second + b.stream([b.commit()]), jr.Limits(max_prefixes=40))
    length = len(second) - len(b.frame(*rows))
    assert (caught.value.offset, caught.value.frame) == (len(first) + length, 2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.frame == 2


def test_what_compact_keeps() -> None:
    with pytest.raises(jr.LimitError) as caught:
        list(jr.compact(DATA + b.stream([b.commit()]), limits=jr.Limits(max_held_operations=1)))
    assert caught.value.frame is not None
