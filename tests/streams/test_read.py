"""Reading: against protobuf and the reference decoder, and from every kind of source."""

from __future__ import annotations

import gzip
import io
import mmap
import os
import pickle
import random
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from tests import strategies
from tests.oracle import build as b
from tests.oracle import decoder, producer, wire
from tests.oracle.build import PUNCTUATED, QUADS
from tests.oracle.terms import Plain, node, operation, plain, plain_operation, same_term
from tests.strategies import Stream
from tests.support import options_of, read, run

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": lambda data: zstandard.compress(data),
}


class TestAgainstProtobuf:
    """What protobuf's classes write is read as the reference decoder reads it."""

    @given(strategies.streams(), strategies.dice, st.sampled_from(sorted(COMPRESSIONS)))
    def test_delimited_streams(self, stream: Stream, rng: random.Random, compression: str) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        expected = decoder.read(data)
        assert expected == stream.operations
        assert read(COMPRESSIONS[compression](data)) == expected

    @given(strategies.streams(one_patch=True), strategies.dice)
    def test_bare_frames(self, stream: Stream, rng: random.Random) -> None:
        messages = producer.frames(stream.operations, stream.options, rng, single=True)
        data = producer.spelled(messages, rng, single=True)
        assert read(data) == decoder.read(data) == stream.operations

    @given(strategies.streams(), strategies.dice)
    def test_frames_one_by_one(self, stream: Stream, rng: random.Random) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        reference = decoder.Reference()
        package = jr.PatchDecoder(normalize=False)
        assert package.options is None
        for message in messages:
            data = wire.spell(message, rng, 0.1)
            batch = package.decode_frame(data)
            assert list(map(plain_operation, batch)) == reference.frame(message)
        assert list(map(plain_operation, package.finish())) == reference.finish()
        assert package.options == options_of(stream.options)

    @given(strategies.streams(), strategies.dice, st.integers(1, 40))
    def test_pieces_of_any_size(self, stream: Stream, rng: random.Random, size: int) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        assert read(OnlyRead(data, size)) == stream.operations

    @given(strategies.streams(), strategies.dice)
    def test_batches_say_the_same(self, stream: Stream, rng: random.Random) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        operations = [plain_operation(op) for batch in jr.read_batches(data) for op in batch]
        assert operations == stream.operations

    @given(strategies.streams(), strategies.dice)
    def test_patches_say_the_same(self, stream: Stream, rng: random.Random) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        patches = list(jr.read_patches(data, normalize=False))
        assert [list(map(plain_operation, patch)) for patch in patches] == stream.patches
        for patch, expected in zip(patches, stream.patches, strict=True):
            assert len(patch) == len(expected)
            header = {op[1]: op[2] for op in expected if op[0] == "H"}
            assert {key: plain(value) for key, value in patch.header.items()} == header


class TestNodes:
    """A produced term equals, attribute by attribute, the one rdflib's constructor makes."""

    def literals(self, terms: list[Plain], normalize: bool | None) -> list[Any]:
        datatypes = list(dict.fromkeys(term[3] for term in terms if term[3] is not None))
        rows = [b.datatype(datatype) for datatype in datatypes]
        for _, lex, language, datatype in terms:
            number = None if datatype is None else datatypes.index(datatype) + 1
            rows.append(b.header("", b.literal(lex, language, number)))
        head = b.options(max_datatype_table_size=max(16, len(datatypes)))
        operations = jr.read_operations(b.stream([head, *rows]), normalize=normalize)
        return [op[2] for op in operations if op[0] is jr.Op.H]

    @pytest.mark.parametrize("normalize", [None, True])
    def test_typed_literals(self, normalize: bool | None) -> None:
        terms = strategies.TYPED_LITERALS
        for term, got in zip(terms, self.literals(terms, normalize), strict=True):
            expected = node(term, normalize)
            assert same_term(got, expected), (term, got, expected)

    def test_without_normalizing_lexical_forms_stay(self) -> None:
        terms = strategies.TYPED_LITERALS
        for term, got in zip(terms, self.literals(terms, False), strict=True):
            _, lex, _, datatype = term
            expected = node(term, False)
            assert type(got) is Literal
            if not datatype.endswith(("#normalizedString", "#token")):
                # rdflib's constructor rewrites these two whatever it is told
                assert same_term(got, expected), (term, got, expected)
                assert str(got) == lex

    @pytest.mark.parametrize("name", ["normalizedString", "token"])
    def test_without_normalizing_strings_stay_too(self, name: str) -> None:
        term: Plain = ("literal", " a\tb \r\n", None, strategies.XSD + name)
        (got,) = self.literals([term], False)
        assert str(got) == term[1]

    def test_none_follows_rdflibs_flag(self, monkeypatch: pytest.MonkeyPatch) -> None:
        term: Plain = ("literal", "01", None, strategies.XSD + "integer")
        assert str(self.literals([term], None)[0]) == "1"
        monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
        assert str(self.literals([term], None)[0]) == "01"
        assert str(self.literals([term], True)[0]) == "1"

    @given(st.lists(strategies.literals, max_size=12), st.sampled_from([None, True]))
    def test_any_literals(self, terms: list[Plain], normalize: bool | None) -> None:
        for term, got in zip(terms, self.literals(terms, normalize), strict=True):
            assert same_term(got, node(term, normalize)), term

    @pytest.mark.parametrize("language", ["en", "EN", "en-GB", "eN-gB", "zh-Hant-TW", "x-1a"])
    def test_languages_keep_their_case(self, language: str) -> None:
        (got,) = self.literals([("literal", "x", language, None)], None)
        assert same_term(got, Literal("x", lang=language))

    @given(strategies.streams(), strategies.dice, st.sampled_from([None, True]))
    def test_operations(self, stream: Stream, rng: random.Random, normalize: bool | None) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        got = list(jr.read_operations(data, normalize=normalize))
        expected = [operation(op, normalize) for op in stream.operations]
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert one[0] is other[0]
            for a, c in zip(one[1:], other[1:], strict=True):
                plain = a is None or type(a) is str
                assert (a == c and type(a) is type(c)) if plain else same_term(a, c), (one, other)

    def test_a_datatype_that_was_bound_is_known(self) -> None:
        datatype = URIRef("urn:test:bound")
        rdflib.term.bind(datatype, complex, complex, str)
        try:
            (got,) = self.literals([("literal", "1+2j", None, str(datatype))], None)
            assert got.value == 1 + 2j
            assert same_term(got, Literal("1+2j", datatype=datatype))
        finally:
            rdflib.term._reset_bindings()

    def test_terms_can_be_used_like_rdflibs(self) -> None:
        (got,) = self.literals([("literal", "1", None, strategies.XSD + "integer")], None)
        assert got == Literal(1)
        assert hash(got) == hash(Literal(1))
        assert got + 1 == Literal(2)
        assert got.n3() == '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'


class OnlyRead:
    """A file object with nothing but read(), which gives at most ``size`` bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.file = io.BytesIO(data)
        self.size = size

    def read(self, size: int = -1) -> bytes:
        return self.file.read(self.size if size < 0 else min(size, self.size))


class Trickle(io.RawIOBase):
    """A raw file that gives 1 byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.data[self.at : self.at + 1]
        buffer[: len(piece)] = piece
        self.at += len(piece)
        return len(piece)


KINDS = ("name", "prefix", "datatype")


def example() -> tuple[bytes, list[Plain]]:
    """A stream of several frames, some larger than a pipe's buffer, and its operations."""
    stream = {
        **{f"max_{kind}_table_size": 16 for kind in KINDS},
        "stream_type": PUNCTUATED,
        "statement_type": QUADS,
        "generalized_statements": False,
        "rdf_star": False,
        "version": 1,
    }
    g: Plain = ("iri", "http://example.org/g")
    p: Plain = ("iri", "http://example.org/p")
    operations: list[Plain] = []
    for n in range(5):
        operations += [("H", "id", ("bnode", str(n))), ("TX",)]
        operations += [("A", ("bnode", f"b{m}"), p, ("literal", "é" * m, "fr", None), g)
                       for m in range(20)]  # fmt: skip
        operations += [("TC",), ("END",)]
    messages = producer.frames(operations, stream, random.Random(3))
    return b.delimited(message.SerializeToString() for message in messages), operations


DATA, OPERATIONS = example()
assert 4_000 < len(DATA) < 20_000
assert decoder.read(DATA) == OPERATIONS


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
def test_a_memoryview_of_other_items(compress: Callable[[bytes], bytes]) -> None:
    streams = (b.stream([b.options(), b.header("x" * n, "")]) for n in range(200))
    whole = [data for data in map(compress, streams) if len(data) % 4 == 0]
    assert whole
    for data in whole:
        assert read(memoryview(data).cast("I")) == read(data)


@pytest.mark.parametrize("compression", COMPRESSIONS)
class TestSources:
    """The same operations come from every kind of source, compressed or not."""

    @pytest.fixture
    def data(self, compression: str) -> bytes:
        return COMPRESSIONS[compression](DATA)

    @pytest.mark.parametrize("make", [bytes, bytearray, memoryview, io.BytesIO])
    def test_memory(self, data: bytes, make: Any) -> None:
        assert read(make(data)) == OPERATIONS

    def test_an_mmap(self, data: bytes, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(data)
        with path.open("rb") as file:
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            operations = jr.read_operations(view, normalize=False)
            assert list(map(plain_operation, operations)) == OPERATIONS
            # the iterator is at its end, so it does not keep the mmap from being closed
            view.close()

    @pytest.mark.parametrize("make", [str, Path, os.fspath])
    def test_a_path(self, data: bytes, tmp_path: Path, make: Any) -> None:
        path = tmp_path / "é x.jellyp"
        path.write_bytes(data)
        assert read(make(path)) == OPERATIONS
        path.unlink()

    @pytest.mark.parametrize("buffering", [0, -1])
    def test_a_file(self, data: bytes, tmp_path: Path, buffering: int) -> None:
        path = tmp_path / "x"
        path.write_bytes(data)
        with path.open("rb", buffering=buffering) as file:
            assert read(file) == OPERATIONS
            assert not file.closed

    def test_a_file_from_where_it_is(self, data: bytes, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(b"skipped" + data)
        with path.open("rb") as file:
            assert file.read(7) == b"skipped"
            assert read(file) == OPERATIONS

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 100_000])
    def test_an_object_with_read_alone(self, data: bytes, size: int) -> None:
        assert read(OnlyRead(data, size)) == OPERATIONS

    def test_a_raw_file_that_gives_one_byte_at_a_time(self, data: bytes) -> None:
        assert read(Trickle(data)) == OPERATIONS
        assert read(io.BufferedReader(Trickle(data))) == OPERATIONS

    @pytest.mark.parametrize("size", [1, 1000])
    @pytest.mark.parametrize("buffering", [0, -1])
    def test_a_pipe(self, data: bytes, size: int, buffering: int) -> None:
        read_end, write_end = os.pipe()

        def feed() -> None:
            for piece in pieces(data, size):
                os.write(write_end, piece)
            os.close(write_end)

        thread = threading.Thread(target=feed)
        thread.start()
        try:
            with os.fdopen(read_end, "rb", buffering=buffering) as file:
                assert read(file) == OPERATIONS
        finally:
            thread.join()

    @pytest.mark.parametrize("buffering", [0, None])
    def test_a_socket(self, data: bytes, buffering: int | None) -> None:
        left, right = socket.socketpair()

        def feed() -> None:
            for piece in pieces(data, 1):
                left.send(piece)
            left.close()

        thread = threading.Thread(target=feed)
        thread.start()
        try:
            with right, right.makefile("rb", buffering=buffering) as file:
                assert read(file) == OPERATIONS
        finally:
            thread.join()


class TestCompression:
    @pytest.mark.parametrize("at", [1, 100, len(DATA) - 1])
    def test_gzip_of_several_members(self, at: int) -> None:
        data = gzip.compress(DATA[:at]) + gzip.compress(b"") + gzip.compress(DATA[at:])
        assert read(data) == OPERATIONS
        assert read(OnlyRead(data, 1)) == OPERATIONS

    @pytest.mark.parametrize("at", [1, 100, len(DATA) - 1])
    def test_zstd_of_several_frames(self, at: int) -> None:
        data = zstandard.compress(DATA[:at]) + zstandard.compress(DATA[at:])
        assert read(data) == OPERATIONS
        assert read(OnlyRead(data, 1)) == OPERATIONS

    def test_zstd_without_a_content_size(self) -> None:
        compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
        assert read(compressor.compress(DATA) + compressor.flush()) == OPERATIONS

    def test_a_bare_frame(self) -> None:
        frame = b.frame(b.options(), b.header("id", "s"))
        for compress in COMPRESSIONS.values():
            assert read(compress(frame)) == [("H", "id", ("bnode", "s")), ("END",)]

    @pytest.mark.parametrize("name", ["gzip", "zstd"])
    def test_compressed_data_that_is_cut_is_refused(self, name: str) -> None:
        data = COMPRESSIONS[name](DATA)
        for size in {*range(4, 40), *range(40, len(data), 37), len(data) - 1}:
            for source in (data[:size], OnlyRead(data[:size], 7)):
                with pytest.raises(jr.DecodeError) as caught:
                    read(source)
                assert isinstance(caught.value.offset, int)
                assert isinstance(caught.value.frame, int)

    @pytest.mark.parametrize("name", ["gzip", "zstd"])
    def test_compressed_data_that_is_damaged_is_refused(self, name: str) -> None:
        data = COMPRESSIONS[name](DATA)
        refused = 0
        for at in range(0, len(data), 11):
            damaged = bytearray(data)
            damaged[at] ^= 0x10
            try:
                operations = read(bytes(damaged))
            except jr.DecodeError as error:
                refused += 1
                assert isinstance(error.offset, int)  # noqa: PT017
            else:
                # a header's time stamp and the like, or no checksum
                assert operations == OPERATIONS or name == "zstd"
        assert refused > len(data) / 11 / 2


class TestWrongSources:
    @pytest.mark.parametrize("source", [None, 5, 1.5, object(), [b"x"], {"a": 1}, iter([])])
    def test_what_can_not_be_read_is_a_type_error(self, source: Any) -> None:
        with pytest.raises(TypeError):
            read(source)

    def test_a_text_file_is_a_clear_type_error(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(DATA)
        with path.open("r", encoding="latin-1") as file, pytest.raises(TypeError, match="binary"):
            read(file)
        with pytest.raises(TypeError, match="binary"):
            read(io.StringIO("x"))

    def test_an_object_whose_read_gives_text_is_a_clear_type_error(self) -> None:
        class Text:
            def read(self, size: int) -> str:
                return "x"

        with pytest.raises(TypeError, match=r"text|bytes"):
            read(Text())

    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "missing.jellyp")
        with pytest.raises(IsADirectoryError):
            read(tmp_path)

    def test_an_error_of_the_file_goes_through(self) -> None:
        class Broken:
            def read(self, size: int) -> bytes:
                raise ConnectionResetError("reset")

        with pytest.raises(ConnectionResetError):
            read(Broken())

    def test_a_read_that_gives_too_much(self) -> None:
        class Generous:
            def read(self, size: int) -> bytes:
                return DATA + bytes(300_000)

        with pytest.raises((ValueError, jr.DecodeError)):
            read(Generous())


class TestIteration:
    def test_frames_come_as_soon_as_they_are_there(self) -> None:
        left, right = socket.socketpair()
        right.settimeout(30)
        with left, right, right.makefile("rb") as file:
            left.sendall(b.stream([b.options(stream_type=PUNCTUATED), b.header("1", "s")]))
            operations = jr.read_operations(file)
            assert next(operations)[1] == "1"
            left.sendall(b.stream([b.header("2", "s")]))
            assert next(operations)[1] == "2"
            left.shutdown(socket.SHUT_WR)
            assert [op[0] for op in operations] == [jr.Op.END]

    def test_a_file_is_not_read_before_it_is_iterated(self) -> None:
        """A live source may have nothing yet; the call must not wait for it."""

        class NotYet:
            def read(self, size: int) -> bytes:
                raise AssertionError("read too early")

        for call in (jr.read_operations, jr.read_batches, jr.read_patches):
            call(NotYet())

    def test_the_end_stays_the_end(self) -> None:
        operations = jr.read_operations(DATA)
        assert len(list(operations)) == len(OPERATIONS)
        assert list(operations) == []
        assert iter(operations) is operations

    def test_readers_tell_the_options(self) -> None:
        for call in (jr.read_operations, jr.read_batches):
            reader = call(DATA)
            assert reader.options is None
            next(reader)
            expected = dict.fromkeys([f"max_{kind}_table_size" for kind in KINDS], 16)
            assert reader.options == jr.PatchOptions(stream_type="PUNCTUATED", **expected)

    def test_what_is_something_else_is_called_so(self) -> None:
        for data in (b"<a> <b> <c> .\n", b"PK\x03\x04 and more", b"{}"):
            with pytest.raises(jr.DecodeError, match="is the input Jelly-Patch at all"):
                list(jr.read_operations(data))
        for data in (b"", DATA + b"TX .\n"):
            with pytest.raises(jr.DecodeError) as caught:
                list(jr.read_operations(data))
            assert "at all" not in str(caught.value)

    def test_nothing_follows_finish(self) -> None:
        package = jr.PatchDecoder()
        package.decode_frame(b.frame(b.options(), b.header("1", "s")))
        package.finish()
        for call in (package.finish, lambda: package.decode_frame(b"")):
            with pytest.raises(jr.DecodeError, match="finish"):
                call()

    def test_after_an_error_comes_nothing_more(self) -> None:
        operations = jr.read_operations(DATA + b"\x05\x01")
        with pytest.raises(jr.DecodeError):
            list(operations)
        assert list(operations) == []

    def test_a_path_is_closed_at_the_end_and_at_an_error(self, tmp_path: Path) -> None:
        """pytest turns a ResourceWarning of an unclosed file into an error."""
        path = tmp_path / "x"
        path.write_bytes(DATA)
        list(jr.read_operations(path))
        path.write_bytes(DATA[:-1])
        with pytest.raises(jr.DecodeError):
            list(jr.read_operations(path))

    def test_two_readers_do_not_disturb_each_other(self) -> None:
        one, two = jr.read_operations(DATA, normalize=False), jr.read_operations(DATA)
        both = list(zip(one, two, strict=True))
        assert [plain_operation(a) for a, _ in both] == OPERATIONS
        assert [plain_operation(c) for _, c in both] == OPERATIONS

    def test_threads_with_a_reader_each(self) -> None:
        results: list[list[Plain]] = []

        def work() -> None:
            results.extend(read(DATA) for _ in range(5))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 20
        assert all(result == OPERATIONS for result in results)

    def test_a_source_that_reads_its_own_reader_does_no_harm(self) -> None:
        """A generator would raise ValueError; nothing may crash."""
        run(
            """
import io
import jelly_rdflib as jr
from tests.streams.test_read import DATA

class Evil:
    def __init__(self):
        self.file = io.BytesIO(DATA * 1)
        self.inside = False
    def read(self, size):
        if not self.inside and hasattr(self, "operations"):
            self.inside = True
            for _ in range(3):
                try:
                    next(self.operations)
                except (ValueError, StopIteration, RuntimeError):
                    pass
            self.inside = False
        return self.file.read(min(size, 100))

for call in (jr.read_operations, jr.read_batches, jr.read_patches):
    evil = Evil()
    evil.operations = call(evil)
    try:
        for _ in evil.operations:
            pass
    except (ValueError, RuntimeError):
        pass
"""
        )

    def test_threads_that_share_a_reader_do_no_harm(self) -> None:
        """A generator would raise ValueError; nothing may crash."""
        run(
            """
import threading
import jelly_rdflib as jr
from tests.oracle import build as b

rows = [b.header(str(n), b.literal("x" * n)) for n in range(400)]
frame = b.stream(rows)
data = b.stream([b.options(stream_type=3)]) + frame * 60

class Slow:
    def __init__(self):
        self.at = 0
    def read(self, size):
        piece = data[self.at : self.at + 70000]
        self.at += len(piece)
        return piece[:size]

for source in (lambda: data, Slow):
    for _ in range(4):
        batches = jr.read_batches(source())
        def work():
            while True:
                try:
                    if next(batches, None) is None:
                        return
                except (ValueError, RuntimeError):
                    pass
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join(30)
        assert not any(thread.is_alive() for thread in threads)
"""
        )


class TestPatch:
    def test_the_end_is_no_operation_of_it(self) -> None:
        header = (jr.Op.H, "id", URIRef("urn:1"))
        assert list(jr.Patch([header, (jr.Op.END,)])) == [header]
        with pytest.raises(ValueError, match=r"Op\.END"):
            jr.Patch([header, (jr.Op.END,), header])

    def test_it_can_be_pickled(self) -> None:
        for patch in jr.read_patches(DATA):
            copy = pickle.loads(pickle.dumps(patch))
            assert list(copy) == list(patch)
            assert copy.header == patch.header


class TestMemory:
    """Memory is bounded by the largest frame."""

    def test_a_long_stream(self) -> None:
        """300 MB of frames of 1 MB each."""
        out = run(
            """
import jelly_rdflib as jr
from tests.oracle import build as b

rows = [b.header("k", b.literal(f"{n}" + "x" * 5000)) for n in range(200)]
frame = b.stream(rows)
assert len(frame) > 1_000_000

class Endless:
    def __init__(self):
        self.parts = [b.stream([b.options(stream_type=3)])] + [frame] * 300
        self.rest = b""
    def read(self, size):
        if not self.rest and self.parts:
            self.rest = self.parts.pop(0)
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece

before = peak()
count = sum(len(batch) for batch in jr.read_batches(Endless()))
print(count, peak() - before)
"""
        )
        count, grown = map(int, out.split())
        assert count == 300 * 200 + 1
        assert grown < 32 << 20

    def test_a_long_stream_of_distinct_long_terms(self) -> None:
        """Nodes are not kept for longer than their frame needs them, if they are large."""
        out = run(
            """
import jelly_rdflib as jr
from tests.oracle import build as b

class Endless:
    def __init__(self):
        self.n = 0
        self.rest = b.stream([b.options(stream_type=3)])
    def read(self, size):
        if not self.rest and self.n < 200:
            self.n += 1
            self.rest = b.stream([b.header("k", b.literal(f"{self.n}" + "x" * 1_000_000))])
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece

before = peak()
count = sum(1 for operation in jr.read_operations(Endless()))
print(count, peak() - before)
"""
        )
        count, grown = map(int, out.split())
        assert count == 201
        assert grown < 48 << 20
