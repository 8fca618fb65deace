"""Tests that an append copies batches: it makes no tuples, and decodes or encodes little."""

import gzip
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import rdflib
from rdflib import Dataset, Literal

import jelly_rdflib as jr
from jelly_rdflib import LogError, Op, Patch, PatchLog
from jelly_rdflib.options import PatchOptions
from tests.log.conftest import NOTED
from tests.log.support import GRAPH, P, S, add, change, patch_id

ID = (Op.H, "id", patch_id(1))
SEGMENT = PatchOptions.small(stream_type="FLAT")


def noted(number: int) -> Any:
    return (Op.A, S, P, Literal(str(number), datatype=NOTED), GRAPH)


def encode(operations: Any, options: PatchOptions = SEGMENT) -> bytes:
    return Patch(operations).serialize(options=options)


NOTES = list(map(noted, range(1000)))
FORMS: dict[str, tuple[Any, int, int]] = {
    "a segment": (encode([ID, *NOTES]), 1, 0),
    "bytes": (encode(NOTES), 2, 1),
    "text": (Patch(NOTES).to_text().encode(), 1, 1),
    "patch": (next(jr.read_patches(encode(NOTES))), 1, 1),
    "batch": (next(jr.read_batches(encode(NOTES, PatchOptions(frame_rows=2000)))), 1, 1),
    "operations of a reader": (jr.read_operations(encode(NOTES), normalize=False), 1, 1),
}


@pytest.mark.parametrize(("patch", "decoded", "encoded"), FORMS.values(), ids=FORMS.keys())
def test_rows_stay_rows(
    log: PatchLog, works: Counter[str], patch: Any, decoded: int, encoded: int
) -> None:
    entry = log.append(patch)
    assert works == {"decoded": decoded} | ({"encoded": encoded} if encoded else {})
    assert sum(bytes(batch.ops).count(Op.A) for batch in entry.batches()) == len(NOTES)


def test_what_is_made_of_rows_is_rows(log: PatchLog, works: Counter[str]) -> None:
    patch = next(jr.read_patches(FORMS["a segment"][0]))
    inverse = patch.invert()
    both = patch + inverse
    assert [len(each.slices or ()) > 0 for each in (inverse, both)] == [True, True]
    works.clear()
    log.append(patch)
    log.append(inverse)
    assert len(Patch.of_slices((patch + inverse).slices or []).serialize()) > 1000
    assert works == {"decoded": 2, "encoded": 2}
    # These functions compare terms, so they make nodes, but no tuples for all rows.
    for each in (patch.compact(), patch.effective(Dataset())):
        assert each.slices
    assert len(log.checkout()) == 0


def test_a_commit_and_a_recording_make_no_tuple(
    log: PatchLog, works: Counter[str], tmp_path: Path
) -> None:
    with closing(Dataset(store="Jelly")) as dataset:
        dataset.open(str(tmp_path / "data.jelly"), create=True)
        works.clear()
        dataset.add((S, P, Literal("1")))
        dataset.commit()
        assert works == {"decoded": 1, "encoded": 1}
    dataset = Dataset(store="Jelly")
    works.clear()
    with jr.record(dataset, log):
        dataset.add((S, P, Literal("1")))
    assert works == {"decoded": 1, "encoded": 1}
    assert len(log.checkout()) == 1


@pytest.mark.parametrize("compression", [None, "zst"])
def test_a_segment_is_stored_as_it_came(tmp_path: Path, compression: Any) -> None:
    log = PatchLog.create(tmp_path / "log", compression=compression)
    first = encode([ID, (Op.H, "by", Literal("me")), *NOTES], PatchOptions(stream_type="FLAT"))
    # The second frame only uses the lookups of the first.
    second = encode(
        [(Op.H, "id", patch_id(2)), (Op.H, "prev", patch_id(1)), *change(2), *change(2)],
        PatchOptions.small(stream_type="FLAT", frame_rows=9),
    )
    for data in (first, second):
        entry = log.append(data)
        stored = entry.path.read_bytes()
        assert (stored == data) == (compression is None)
        with closing(jr.read_batches(stored)) as batches:
            assert next(batches).metadata == {}
        assert list(entry.operations()) == list(jr.read_operations(data, normalize=False))
    assert log.verify(deep=True) == []


def framed(frame: bytes) -> bytes:
    assert len(frame) < 128
    return bytes([len(frame)]) + frame


BARE = PatchOptions.small(stream_type="FLAT", delimited=False)
OTHERS = {
    "a bare frame": jr.PatchEncoder(BARE).encode_frame([ID, add(1)]),
    "several patches of a stream": encode([ID, add(1)], PatchOptions.small()),
    "triples": encode(
        [ID, add(1)], PatchOptions.small(stream_type="FLAT", statement_type="TRIPLES")
    ),
    "an empty frame first": framed(b"") + encode([ID, add(1)]),
    "another header first": encode([(Op.H, "by", Literal("me")), ID, add(1)]),
    "a key in capitals": encode([(Op.H, "ID", patch_id(1)), add(1)]),
    "compressed": gzip.compress(encode([ID, add(1)])),
}


@pytest.mark.parametrize("data", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_no_segment_becomes_one(log: PatchLog, data: bytes) -> None:
    entry = log.append(data)
    assert entry.path.read_bytes() != data
    assert (entry.id, len(log.checkout()), log.verify(deep=True)) == (patch_id(1), 1, [])
    with closing(entry.batches()) as batches:
        next(batches)
        assert batches.options.stream_type == jr.PatchStreamType.FLAT
        assert batches.options.statement_type == jr.PatchStatementType.QUADS


def stored(entry: jr.LogEntry) -> list[str]:
    operations = jr.read_operations(entry.stored(), normalize=False)
    return [str(each[3]) for each in operations if each[0] == Op.A]


def test_literals_are_spelled_as_their_reader_gives_them(log: PatchLog) -> None:
    """A patch's literals keep the spelling of its file, as with `Patch.write`."""
    text = b'A <urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    for normalize, spelled in ((True, "1"), (False, "01")):
        reading: Any = {"format": "rdf-patch", "normalize": normalize}
        sources = [jr.read_operations(text, **reading), jr.concat(text, **reading)]
        for source in [*sources, list(jr.read_operations(text, **reading))]:
            assert stored(log.append(source)) == [spelled]
        assert stored(log.append(next(jr.read_patches(text, **reading)))) == ["01"]


def test_a_segment_of_other_options_or_another_place_is_encoded_anew(log: PatchLog) -> None:
    data = encode([ID, add(1)])
    log.append([add(0)])
    entry = log.append(data)
    # The patch had no prev header.
    assert entry.path.read_bytes() != data
    assert entry.header["prev"] == entry.prev
    data = encode([(Op.H, "id", patch_id(2)), (Op.H, "prev", patch_id(1)), add(2)])
    entry = log.append(data, options=PatchOptions())
    with closing(entry.batches()) as batches:
        next(batches)
        assert batches.options.max_name_table_size == 4000
    assert log.verify(deep=True) == []


@pytest.mark.parametrize(
    ("later", "reason"),
    [
        ([(Op.H, "id", patch_id(2))], "'id' comes later"),
        ([(Op.H, "BY", Literal("me"))], "headers 'by' and 'BY'"),
        ([(Op.H, "previous", patch_id(2))], "'previous' comes later"),
    ],
)
def test_headers_in_a_segment_follow_the_rules(log: PatchLog, later: Any, reason: str) -> None:
    data = encode([ID, (Op.H, "by", Literal("me")), add(1), *later])
    with pytest.raises(LogError, match=reason):
        log.append(data)
    assert (log.version, list((log.path / "staging").iterdir())) == (0, [])


@pytest.mark.parametrize("start", [[], [ID]], ids=["bytes", "a segment"])
@pytest.mark.parametrize("is_patch", [False, True], ids=["", "patch"])
def test_values_that_nobody_could_read_are_refused(
    tmp_path: Path, start: Any, is_patch: bool
) -> None:
    limits = jr.Limits(max_xml_tags=30)
    log = PatchLog.create(tmp_path / "log", limits=limits)
    xml = rdflib.RDF.XMLLiteral
    rows = [(Op.A, S, P, Literal("<a/>" * number, datatype=xml), None) for number in range(10)]
    data: Any = encode([*start, *map(add, range(600)), *rows])
    if is_patch:
        data = next(jr.read_patches(data, limits=limits))
    with pytest.raises(jr.LimitError) as caught:
        log.append(data)
    assert caught.value.limit == "max_xml_tags"
    assert caught.value.frame == (None if is_patch else 2)
    assert log.version == 0
    # Each patch by itself is within the limit.
    for row in rows[:3]:
        log.append(encode([row]))
    assert len(list(log.checkout(store="default").quads())) == 3
