"""Tests reading both formats from every kind of source, compressed or not, complete or not."""

import contextlib
import gzip
import io
import mmap
import os
import random
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests.core.jelly.formats import PATCH_QUADS, RDF_GRAPHS, Format, formats
from tests.core.jelly.streams import REALISTIC
from tests.oracle import wire
from tests.oracle.terms import Plain
from tests.pieces import Pieces, Trickle, breaking
from tests.strategies import dice
from tests.streams.test_reading import COMPRESSIONS

DATA = {f: REALISTIC[f] for f in (PATCH_QUADS, RDF_GRAPHS)}
ITEMS = {
    f: [
        item
        for part in f.decoder.read(data)
        for item in ([part] if f is PATCH_QUADS else f.said(part))
    ]
    for f, data in DATA.items()
}

both = pytest.mark.parametrize("f", DATA, ids=repr)


def items(f: Format, source: Any) -> list[Plain]:
    """Return the operations or statements that the package reads from `source`."""
    return [f.plain(item) for item in f.readers[0](source, normalize=False, format=f.format)]


class TestAgainstProtobuf:
    """The package reads frames built with protobuf's classes like the reference decoder."""

    @formats
    @given(st.data(), dice, st.sampled_from(sorted(COMPRESSIONS)), st.integers(1, 40))
    def test_delimited_streams(
        self, f: Format, data: st.DataObject, rng: random.Random, compression: str, size: int
    ) -> None:
        stream = data.draw(f.streams())
        written = f.spelled(stream, rng)
        expected = f.decoder.read(written)
        assert expected[: len(f.content(stream))] == f.content(stream)
        for source in (COMPRESSIONS[compression](written), Pieces(written, size)):
            assert f.support.read(source) == expected
        for call in set(f.readers) - {jr.read_graphs}:
            reader = call(written)
            assert reader.options is None
            list(reader)
            assert reader.options == f.support.options_of(stream.options)

    @formats
    @given(st.data(), dice, st.sampled_from(sorted(COMPRESSIONS)))
    def test_bare_frames(
        self, f: Format, data: st.DataObject, rng: random.Random, compression: str
    ) -> None:
        stream = data.draw(f.single_streams())
        written = f.spelled(stream, rng, single=True)
        assert f.decoder.read(written) == f.content(stream)
        assert f.support.read(COMPRESSIONS[compression](written)) == f.content(stream)

    @formats
    @given(st.data(), dice)
    def test_frames_one_by_one(self, f: Format, data: st.DataObject, rng: random.Random) -> None:
        stream = data.draw(f.streams())
        reference, package = f.decoder.Reference(), f.Decoder(normalize=False)
        assert package.options is None
        for message in f.spoken(stream, rng):
            frame = package.decode_frame(wire.spell(message, rng, 0.1))
            assert f.decoded(frame) == reference.frame(message)
        assert f.decoded(package.finish()) == reference.finish()
        assert package.options == f.support.options_of(stream.options)


@both
@pytest.mark.parametrize("compression", COMPRESSIONS)
class TestSources:
    """Every kind of source gives the same result, compressed or not."""

    @pytest.fixture
    def data(self, f: Format, compression: str) -> bytes:
        return COMPRESSIONS[compression](DATA[f])

    @pytest.mark.parametrize("make", [bytes, bytearray, memoryview, io.BytesIO])
    def test_memory(self, f: Format, data: bytes, make: Any) -> None:
        assert items(f, make(data)) == ITEMS[f]

    def test_an_mmap(self, f: Format, data: bytes, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(data)
        with path.open("rb") as file:
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            # All bytes of a buffer are read, whatever its position.
            view.seek(5)
            operations = f.readers[0](view, normalize=False)
            assert list(map(f.plain, operations)) == ITEMS[f]
            # The iterator is at its end, so it does not prevent the closing of the mmap.
            view.close()

    @pytest.mark.parametrize("make", [str, Path, os.fspath])
    def test_a_path(self, f: Format, data: bytes, tmp_path: Path, make: Any) -> None:
        path = tmp_path / f"é x.{f.extension}"
        path.write_bytes(data)
        assert items(f, make(path)) == ITEMS[f]
        path.unlink()

    @pytest.mark.parametrize("buffering", [0, -1])
    def test_a_file(self, f: Format, data: bytes, tmp_path: Path, buffering: int) -> None:
        path = tmp_path / "x"
        path.write_bytes(data)
        with path.open("rb", buffering=buffering) as file:
            assert items(f, file) == ITEMS[f]
            assert not file.closed

    def test_a_file_from_where_it_is(self, f: Format, data: bytes, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(b"skipped" + data)
        with path.open("rb") as file:
            assert file.read(7) == b"skipped"
            assert items(f, file) == ITEMS[f]

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 100_000])
    def test_an_object_with_read_alone(self, f: Format, data: bytes, size: int) -> None:
        assert items(f, Pieces(data, size)) == ITEMS[f]

    def test_a_raw_file_that_gives_one_byte_at_a_time(self, f: Format, data: bytes) -> None:
        assert items(f, Trickle(data)) == ITEMS[f]
        assert items(f, io.BufferedReader(Trickle(data))) == ITEMS[f]

    @pytest.mark.parametrize("size", [1, 1000])
    @pytest.mark.parametrize("buffering", [0, -1])
    @pytest.mark.parametrize("kind", ["pipe", "socket"])
    def test_what_is_written_meanwhile(
        self, f: Format, data: bytes, size: int, buffering: int, kind: str
    ) -> None:
        if kind == "pipe":
            read_end, write_end = os.pipe()
            source, sink = os.fdopen(read_end, "rb", buffering), os.fdopen(write_end, "wb", 0)
        else:
            right, left = socket.socketpair()
            with left, right:
                source, sink = right.makefile("rb", buffering), left.makefile("wb", 0)

        def feed() -> None:
            with sink:
                for at in range(0, len(data), size):
                    sink.write(data[at : at + size])

        thread = threading.Thread(target=feed)
        thread.start()
        with source:
            assert items(f, source) == ITEMS[f]
        thread.join()


@both
class TestCompression:
    @pytest.mark.parametrize("at", [1, 100, -1])
    def test_gzip_of_several_members(self, f: Format, at: int) -> None:
        data = gzip.compress(DATA[f][:at]) + gzip.compress(b"") + gzip.compress(DATA[f][at:])
        assert items(f, data) == ITEMS[f]
        assert items(f, Pieces(data, 1)) == ITEMS[f]

    @pytest.mark.parametrize("at", [1, 100, -1])
    def test_zstd_of_several_frames(self, f: Format, at: int) -> None:
        data = zstandard.compress(DATA[f][:at]) + zstandard.compress(DATA[f][at:])
        assert items(f, data) == ITEMS[f]
        assert items(f, Pieces(data, 1)) == ITEMS[f]

    def test_zstd_without_a_content_size(self, f: Format) -> None:
        compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
        assert items(f, compressor.compress(DATA[f]) + compressor.flush()) == ITEMS[f]

    @pytest.mark.parametrize("name", ["gzip", "zstd"])
    def test_compressed_data_that_is_cut_is_refused(self, f: Format, name: str) -> None:
        data = COMPRESSIONS[name](DATA[f])
        for size in {*range(4, 40), *range(40, len(data), 37), len(data) - 1}:
            for source in (data[:size], Pieces(data[:size], 7)):
                with pytest.raises(jr.DecodeError) as caught:
                    items(f, source)
                assert isinstance(caught.value.offset, int)
                assert isinstance(caught.value.frame, int)

    @pytest.mark.parametrize("name", ["gzip", "zstd"])
    def test_compressed_data_that_is_damaged_is_refused(self, f: Format, name: str) -> None:
        data = COMPRESSIONS[name](DATA[f])
        refused = 0
        for at in range(0, len(data), 11):
            damaged = bytearray(data)
            damaged[at] ^= 0x10
            try:
                operations = items(f, bytes(damaged))
            except jr.DecodeError as error:
                refused += 1
                assert isinstance(error.offset, int)  # noqa: PT017
            else:
                # The damaged byte may be in a header's time stamp or the like, or the format may
                # have no checksum.
                assert operations == ITEMS[f] or name == "zstd"
        assert refused > len(data) / 11 / 2


@both
class TestWrongSources:
    @pytest.mark.parametrize("source", [None, 5, 1.5, object(), [b"x"], {"a": 1}, iter([])])
    def test_what_can_not_be_read_is_a_type_error(self, f: Format, source: Any) -> None:
        for call in f.readers:
            with pytest.raises(TypeError):
                list(call(source))

    def test_a_text_file_is_a_clear_type_error(self, f: Format, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(DATA[f])
        with path.open("r", encoding="latin-1") as file, pytest.raises(TypeError, match="binary"):
            items(f, file)
        with pytest.raises(TypeError, match="binary"):
            items(f, io.StringIO("x"))

    def test_an_object_whose_read_gives_text_is_a_clear_type_error(self, f: Format) -> None:
        class Text:
            def read(self, size: int) -> str:
                return "x"

        with pytest.raises(TypeError, match=r"text|bytes"):
            items(f, Text())

    def test_a_path_that_is_not_there(self, f: Format, tmp_path: Path) -> None:
        for call in f.readers:
            with pytest.raises(FileNotFoundError):
                list(call(tmp_path / f"missing.{f.extension}"))
        with pytest.raises(IsADirectoryError):
            items(f, tmp_path)
        (tmp_path / "log.db").touch()
        with pytest.raises(IsADirectoryError, match="folder of a patch log: open it as a PatchLog"):
            items(f, tmp_path)

    def test_an_error_of_the_file_goes_through(self, f: Format) -> None:
        with pytest.raises(ConnectionResetError):
            items(f, breaking(ConnectionResetError("reset")))

    def test_a_read_that_gives_too_much(self, f: Format) -> None:
        class Generous:
            def read(self, size: int) -> bytes:
                return DATA[f] + bytes(300_000)

        with pytest.raises((ValueError, jr.DecodeError)):
            items(f, Generous())


@formats
class TestLiveSources:
    def test_frames_come_as_soon_as_they_are_there(self, f: Format) -> None:
        left, right = socket.socketpair()
        right.settimeout(30)
        with left, right, right.makefile("rb") as file:
            left.sendall(f.stream([f.options(), f.name("urn:p"), f.triple("1")]))
            reader = f.readers[0](file)
            assert ("bnode", "1") in f.plain(next(reader))
            left.sendall(f.stream([f.spo("2")]))
            assert ("bnode", "2") in f.plain(next(reader))
            left.shutdown(socket.SHUT_WR)
            assert [f.plain(item) for item in reader] in ([], [("END",)])

    def test_a_file_is_not_read_before_it_is_iterated(self, f: Format) -> None:
        """A live source may have no data yet, so the call must not wait for data."""

        for call in f.readers:
            call(breaking(AssertionError("read too early")))


@both
class TestIteration:
    def test_the_end_stays_the_end(self, f: Format) -> None:
        operations = f.readers[0](DATA[f])
        assert len(list(operations)) == len(ITEMS[f])
        assert list(operations) == []
        assert iter(operations) is operations

    def test_after_an_error_comes_nothing_more(self, f: Format) -> None:
        for call in set(f.readers) - {jr.read_graphs}:
            reader = call(DATA[f] + b"\x05\x01")
            with pytest.raises(jr.DecodeError):
                list(reader)
            assert list(reader) == []

    def test_a_path_is_closed_at_the_end_and_at_an_error(self, f: Format, tmp_path: Path) -> None:
        """An unclosed file causes a ResourceWarning, which pytest turns into an error."""
        path = tmp_path / "x"
        path.write_bytes(DATA[f])
        list(f.readers[0](path))
        path.write_bytes(DATA[f][:-1])
        with pytest.raises(jr.DecodeError):
            list(f.readers[0](path))


@formats
class TestDecoder:
    """A decoder reads the frames of a message broker."""

    def some(self, f: Format) -> bytes:
        return f.frame(f.options(), f.name("urn:p"), f.triple())

    @pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
    def test_any_bytes(self, f: Format, make: Any) -> None:
        assert len(f.Decoder().decode_frame(make(self.some(f)))) == 1

    @pytest.mark.parametrize("data", [None, 5, "text", [1]])
    def test_what_is_no_bytes_is_a_type_error(self, f: Format, data: Any) -> None:
        with pytest.raises(TypeError):
            f.Decoder().decode_frame(data)

    def test_a_frame_with_its_length_is_refused(self, f: Format) -> None:
        with pytest.raises(jr.DecodeError):
            f.Decoder().decode_frame(f.one(f.triple()))

    def test_finish_without_a_frame_is_refused(self, f: Format) -> None:
        with pytest.raises(jr.DecodeError):
            f.Decoder().finish()

    def test_nothing_follows_finish(self, f: Format) -> None:
        package = f.Decoder()
        package.decode_frame(self.some(f))
        package.finish()
        for call in (package.finish, lambda: package.decode_frame(b"")):
            with pytest.raises(jr.DecodeError, match="finish"):
                call()


@both
def test_a_source_that_reads_its_own_reader_does_no_harm(f: Format) -> None:
    """The source must not crash the reader; a generator would raise a ValueError."""

    class Evil:
        def __init__(self) -> None:
            self.file = io.BytesIO(DATA[f])
            self.reader: Any = None

        def read(self, size: int) -> bytes:
            for _ in range(3):
                with contextlib.suppress(ValueError, StopIteration, RuntimeError):
                    next(self.reader)
            return self.file.read(min(size, 100))

    for call in f.readers:
        evil = Evil()
        evil.reader = call(evil)
        with contextlib.suppress(ValueError, RuntimeError):
            list(evil.reader)
