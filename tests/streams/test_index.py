"""Tests the parts of a long file, and the index that stores them."""

import gzip
import json
import os
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pytest
import zstandard
from rdflib import Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.arrow import ArrowRows, arrow_schema, read_arrow
from jelly_rdflib.streams import index
from jelly_rdflib.streams.index import (
    FilePart,
    StaleIndexError,
    find_parts,
    index_path,
    load_index,
    read_part,
    write_index,
)
from tests.core.jelly.draft_streams import DRAFT_STREAMS
from tests.core.jelly.streams import PATCH_BARE
from tests.security.test_index import forge, header_of

SPACING = 300
S = URIRef("urn:s")


@pytest.fixture(params=[False, True], ids=["patch", "statements"])
def is_statements(request: pytest.FixtureRequest) -> bool:
    is_chosen: bool = request.param
    return is_chosen


@pytest.fixture
def file(tmp_path: Path, is_statements: bool) -> Path:
    """Return a file in which later frames refer to prefixes, names and terms of earlier ones."""
    quads = [
        (URIRef(f"urn:s{n % 7}"), URIRef(f"http://e.org/p{n % 5}"), Literal("text" * (n % 9)),
         URIRef("urn:g") if n % 3 else DATASET_DEFAULT_GRAPH_ID)
        for n in range(300)
    ]  # fmt: skip
    if is_statements:
        path = tmp_path / "x.jelly"
        options = jr.StreamOptions(frame_rows=8)
        with jr.StatementWriter(path, options) as statements:
            statements.write_all(quads)
        return path
    path = tmp_path / "x.jellyp"
    with jr.PatchWriter(path, jr.PatchOptions(frame_rows=8)) as patch:
        patch.header("id", URIRef("uuid:1"))
        for number, quad in enumerate(quads):
            if number % 50 == 0:
                patch.begin()
            patch.write((Op.A, *quad[:3], None if quad[3] == DATASET_DEFAULT_GRAPH_ID else quad[3]))
            if number % 50 == 49:
                patch.commit()
    return path


def whole(path: Path, *, is_statements: bool) -> list[Any]:
    return list(jr.read_statements(path) if is_statements else jr.read_operations(path))


def rows_of(path: Path | BinaryIO, part: FilePart, *, is_statements: bool) -> list[Any]:
    batches = read_part(path, part, is_statements=is_statements)
    return [
        row
        for batch in batches
        for row in (batch.statements() if is_statements else batch.operations())
    ]


def read_places(path: Path, part: FilePart, schema: pa.Schema, *, is_statements: bool) -> list[Any]:
    """Return the rows of a part as in a table, with their row numbers in the file."""
    rows = ArrowRows(schema, is_statements=is_statements, file=str(path), place=part.place)
    batches = read_part(path, part, is_statements=is_statements)
    return [row for table in rows.convert(batches) for row in table.to_pylist()]


def test_each_part_is_read_by_itself(file: Path, is_statements: bool) -> None:
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    assert len(parts) > 5
    rows = [rows_of(file, part, is_statements=is_statements) for part in reversed(parts)]
    assert list(chain.from_iterable(reversed(rows))) == whole(file, is_statements=is_statements)


def test_an_open_file_stays_open(file: Path, is_statements: bool) -> None:
    with file.open("rb") as opened:
        opened.seek(7)
        parts = find_parts(opened, is_statements=is_statements, spacing=SPACING)
        assert parts == find_parts(file, is_statements=is_statements, spacing=SPACING)
        for part in (parts[3], parts[0]):
            rows = rows_of(opened, part, is_statements=is_statements)
            assert rows == rows_of(file, part, is_statements=is_statements)
        assert not opened.closed


def test_parts_follow_each_other_and_have_their_length(file: Path, is_statements: bool) -> None:
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    assert [part.start for part in parts] == [0, *(part.end for part in parts[:-1])]
    assert parts[-1].end == os.path.getsize(file)
    assert [part.is_last for part in parts] == [False] * (len(parts) - 1) + [True]
    lengths = [part.end - part.start for part in parts[:-1]]
    assert min(lengths) >= SPACING
    # The next frame starts a part.
    assert max(lengths) < 2 * SPACING
    assert (parts[0].place, parts[0].load_state()) == (None, None)
    assert all(part.place is not None and part.load_state() for part in parts[1:])


def test_what_has_one_part(file: Path, is_statements: bool) -> None:
    size = os.path.getsize(file)
    one = [FilePart(0, size, True, None, None)]
    assert find_parts(file, is_statements=is_statements) == one
    assert find_parts(file, is_statements=is_statements, spacing=size) == one
    packed = file.with_name("packed.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    one = [FilePart(0, os.path.getsize(packed), True, None, None)]
    assert find_parts(packed, is_statements=is_statements, spacing=1, keep_going=False) == one


def test_a_file_of_a_byte_more_than_the_spacing_is_looked_through(file: Path) -> None:
    file.write_bytes(b"\x05\xff\xff")
    with pytest.raises(jr.DecodeError):
        find_parts(file, spacing=2, keep_going=False)
    assert find_parts(file, spacing=3, keep_going=False) == [FilePart(0, 3, True, None, None)]


def test_an_error_ends_the_search(file: Path, is_statements: bool) -> None:
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    damage = (parts[2].start + parts[2].end) // 2
    file.write_bytes(file.read_bytes()[:damage] + b"\xff" * 2000)
    with pytest.raises(jr.DecodeError) as caught:
        find_parts(file, is_statements=is_statements, spacing=SPACING, keep_going=False)
    found = find_parts(file, is_statements=is_statements, spacing=SPACING)
    assert 1 < len(found) <= 3
    assert [part.start for part in found] == [part.start for part in parts[: len(found)]]
    assert found[-1].end == os.path.getsize(file)
    with pytest.raises(jr.DecodeError) as by_part:
        rows_of(file, found[-1], is_statements=is_statements)
    assert by_part.value.offset == caught.value.offset


def test_limits_hold_in_the_search_and_in_a_part(file: Path, is_statements: bool) -> None:
    limits = jr.Limits(max_frame_rows=3)
    with pytest.raises(jr.LimitError, match="max_frame_rows"):
        find_parts(
            file, is_statements=is_statements, spacing=SPACING, limits=limits, keep_going=False
        )
    part = find_parts(file, is_statements=is_statements, spacing=SPACING)[2]
    with pytest.raises(jr.LimitError, match="max_frame_rows"):
        list(read_part(file, part, is_statements=is_statements, limits=limits))


def test_progress_adds_up_to_the_file(file: Path, is_statements: bool) -> None:
    steps: list[int] = []
    find_parts(file, is_statements=is_statements, spacing=SPACING, advance=steps.append)
    assert sum(steps) == os.path.getsize(file)


def test_places_number_the_rows_of_the_file(file: Path, is_statements: bool) -> None:
    names = ["frame", "seq", "s"] if is_statements else ["patch", "txn", "seq", "op", "s"]
    schema = arrow_schema(names)
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    rows = [
        row
        for part in parts
        for row in read_places(file, part, schema, is_statements=is_statements)
    ]
    assert rows == [row for table in read_arrow(file, columns=names) for row in table.to_pylist()]


def states_loaded(parts: list[FilePart] | None) -> list[Any]:
    assert parts is not None
    return [(part.start, part.end, part.is_last, part.place, part.load_state()) for part in parts]


def test_an_index_has_the_parts_that_were_found(file: Path, is_statements: bool) -> None:
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    assert write_index(file, parts, is_statements=is_statements) == f"{file}.idx"
    loaded = load_index(file, is_statements=is_statements, spacing=SPACING)
    assert states_loaded(loaded) == states_loaded(parts)
    assert sorted(os.listdir(file.parent)) == [file.name, f"{file.name}.idx"]


def test_short_parts_of_an_index_are_merged(file: Path, is_statements: bool) -> None:
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    write_index(file, parts, is_statements=is_statements)
    assert load_index(file, is_statements=is_statements) == [
        FilePart(0, os.path.getsize(file), True, None, None)
    ]
    # Use exactly the length of the first two parts as the spacing.
    spacing = parts[2].start
    merged = load_index(file, is_statements=is_statements, spacing=spacing)
    assert merged is not None
    assert merged[1].start == parts[2].start
    assert len(merged) < len(parts)
    assert all(part.end - part.start >= spacing for part in merged[:-1])
    rows = [row for part in merged for row in rows_of(file, part, is_statements=is_statements)]
    assert rows == whole(file, is_statements=is_statements)


def test_there_may_be_no_index(file: Path) -> None:
    assert load_index(file) is None


@pytest.mark.parametrize("is_statements", [False], indirect=True)
class TestStale:
    """An index is refused if its file has changed."""

    @pytest.fixture(autouse=True)
    def _index(self, file: Path) -> None:
        # Make the file longer than both samples.
        file.write_bytes(file.read_bytes() + bytes(3 * index.SAMPLE))
        os.utime(file, ns=(0, 10**18))
        write_index(file, [FilePart(0, os.path.getsize(file), True, None, None)])
        assert load_index(file) is not None

    def refuse(self, file: Path, words: str, *, is_statements: bool = False) -> None:
        with pytest.raises(StaleIndexError, match=words) as caught:
            load_index(file, is_statements=is_statements)
        assert str(caught.value).startswith(f"{file}.idx: ")

    def test_a_file_of_another_kind(self, file: Path) -> None:
        self.refuse(file, r"\(is_statements\)", is_statements=True)

    def test_a_file_written_later(self, file: Path) -> None:
        os.utime(file, ns=(0, 10**18 + 1))
        self.refuse(file, r"\(modified\)")

    def test_a_longer_file(self, file: Path) -> None:
        with open(file, "ab") as more:
            more.write(b"\0")
        os.utime(file, ns=(0, 10**18))
        self.refuse(file, r"\(size\)")

    @pytest.mark.parametrize("offset", [0, index.SAMPLE - 1, -index.SAMPLE, -1])
    def test_other_bytes_at_the_start_or_the_end(self, file: Path, offset: int) -> None:
        data = bytearray(file.read_bytes())
        data[offset] ^= 1
        file.write_bytes(data)
        os.utime(file, ns=(0, 10**18))
        self.refuse(file, r"\(digest\)")

    @pytest.mark.parametrize("start", [b"jelly-index 2\n", b"jelly-index 1\n\0\0"])
    def test_an_index_of_another_version(self, file: Path, start: bytes) -> None:
        path = Path(index_path(file))
        rest = path.read_bytes()[len(index.MAGIC) :]
        path.write_bytes(start if start.startswith(index.MAGIC) else start + rest)
        self.refuse(file, "not an index, or an index of another version")

    def test_an_index_cut_off_or_too_long(self, file: Path) -> None:
        path = Path(index_path(file))
        path.write_bytes(path.read_bytes() + b"\0")
        self.refuse(file, "cut off, or has bytes after its end")


@pytest.mark.parametrize("is_statements", [False], indirect=True)
class TestForged:
    """Tests that a forged entry is refused with an error that contains its number."""

    @pytest.mark.parametrize(
        ("number", "field", "value"),
        [
            *((0, 0, 1), (0, 0, -1), (0, 0, False), (0, 1, [0] * 5), (0, 2, -1), (0, 2, None)),
            *((1, 0, 0), (1, 0, -5), (1, 0, 1.5), (1, 0, True), (1, 1, None), (1, 1, {})),
            *((1, 1, [0] * 4), (1, 1, [0] * 6), (1, 1, [0, 0, 0, 0, -2]), (1, 1, [None] * 5)),
            *((1, 1, [0, 0, 0, 0, 1 << 62]), (1, 2, -1), (1, 2, "7"), (1, 2, 1 << 62)),
        ],
    )  # fmt: skip
    def test_a_field_of_an_entry(self, file: Path, number: int, field: int, value: Any) -> None:
        fields = header_of(file)
        fields["parts"][number][field] = value
        self.refuse(file, fields, f"damaged: part {number}$")

    def test_entries_that_do_not_rise(self, file: Path) -> None:
        fields = header_of(file)
        fields["parts"][2][0] = fields["parts"][1][0]
        self.refuse(file, fields, "damaged: part 2$")

    def test_an_entry_behind_the_end(self, file: Path) -> None:
        fields = header_of(file)
        del fields["parts"][2:]
        fields["parts"][1][0] = os.path.getsize(file) + 1
        self.refuse(file, fields, "damaged: part 1$")

    @pytest.mark.parametrize("entry", [None, 1, {}, [], [0, None], [0, None, 0, 0]])
    def test_an_entry_of_another_shape(self, file: Path, entry: Any) -> None:
        self.refuse(file, {**header_of(file), "parts": [entry]}, "damaged: part 0$")

    @pytest.mark.parametrize("parts", [None, [], {}, {"0": 1}, 5])
    def test_no_parts(self, file: Path, parts: Any) -> None:
        self.refuse(file, {**header_of(file), "parts": parts}, "has no parts")

    def test_the_widest_fields_are_taken(self, file: Path) -> None:
        """A part may start at the end of the file, outside a patch, with the largest count."""
        fields = header_of(file)
        place = [-1, -1, 0, 0, (1 << 62) - 1]
        fields["parts"] = [[0, None, 0], [os.path.getsize(file), place, 0]]
        forge(file, json.dumps(fields).encode())
        parts = load_index(file, spacing=1)
        assert parts is not None
        assert parts[1].place == tuple(place)

    def refuse(self, file: Path, fields: dict[str, Any], words: str) -> None:
        states = Path(f"{file}.idx").read_bytes()
        forge(file, json.dumps(fields).encode(), states)
        with pytest.raises(StaleIndexError, match=words):
            load_index(file, spacing=1)


@pytest.mark.parametrize("is_statements", [False], indirect=True)
def test_a_state_larger_than_any_decoders(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_index(file, find_parts(file, spacing=SPACING))
    parts = load_index(file, spacing=SPACING)
    assert parts is not None
    assert isinstance(parts[1].state, tuple)
    # Even with this limit, a state has space for lookups of short strings.
    state = parts[1].load_state(jr.Limits(max_text_size=1))
    assert state is not None
    monkeypatch.setattr(index, "MAX_STATE_OVERHEAD", 8)
    assert parts[1].load_state() == state
    # A state may be as large as four times the maximum text size plus the overhead.
    monkeypatch.setattr(index, "MAX_STATE_OVERHEAD", len(state) - 4 * 100)
    assert parts[1].load_state(jr.Limits(max_text_size=100)) == state
    with pytest.raises(jr.DecodeError, match=f"is larger than {len(state) - 4} bytes"):
        parts[1].load_state(jr.Limits(max_text_size=99))
    # A state that this process has made has no size limit.
    made = FilePart(1, 2, True, None, zstandard.compress(state))
    assert made.load_state(jr.Limits(max_text_size=1)) == state


def test_parts_of_an_index_make_no_other(file: Path, is_statements: bool) -> None:
    parts = find_parts(file, is_statements=is_statements, spacing=SPACING)
    write_index(file, parts, is_statements=is_statements)
    loaded = load_index(file, is_statements=is_statements, spacing=SPACING)
    assert loaded is not None
    with pytest.raises(ValueError, match="give parts from find_parts"):
        write_index(file, loaded, is_statements=is_statements)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_an_index_is_made_in_one_step(
    file: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        assert not os.path.exists(index_path(file))
        assert len(os.listdir(file.parent)) == 2
        raise OSError("no room")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="no room"):
        write_index(file, [FilePart(0, os.path.getsize(file), True, None, None)])
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.filterwarnings("ignore:Jelly-RDF 1.2 is a draft")
@pytest.mark.parametrize(
    "data", [PATCH_BARE, *(each.data for each in DRAFT_STREAMS.values() if not each.is_delimited)]
)
def test_a_bare_frame_is_one_part(data: bytes, tmp_path: Path) -> None:
    """A bare frame of Jelly-RDF 1.2 may start with its columns, whose tag looks like a length."""
    path = tmp_path / "x"
    path.write_bytes(data)
    is_statements = data != PATCH_BARE
    [part] = find_parts(path, is_statements=is_statements, spacing=1)
    got = [pa.record_batch(batch) for batch in read_part(path, part, is_statements=is_statements)]
    assert got == [pa.record_batch(batch) for batch in jr.read_batches(path)]
