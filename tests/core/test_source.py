"""Tests compressed sources, and the limits on their expansion."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import jelly_rdflib as jr
from jelly_rdflib.core import source
from tests.pieces import Pieces

TEXT = b"TX .\n" + b"A <urn:s> <urn:p> <urn:o> .\n" * 200 + b"TC .\n"
RATIO = 3


def read(data: object, limits: jr.Limits | None = None) -> bytes:
    opened = source.open_source(data, limits)
    if isinstance(opened, memoryview):
        return bytes(opened)
    try:
        return b"".join(iter(lambda: opened.read(1 << 20), b""))
    finally:
        opened.close()


@pytest.mark.parametrize("first", range(0x4F, 0x61))
def test_a_zstd_frame_to_be_skipped_comes_first(first: int, tmp_path: Path) -> None:
    packed = bytes([first]) + b"\x2a\x4d\x18" + b"\2\0\0\0" + b"xy" + zstandard.compress(TEXT)
    is_packed = 0x50 <= first <= 0x5F
    path = tmp_path / "x"
    path.write_bytes(packed)
    assert source.is_compressed(path) == is_packed
    for given in (packed, path, Pieces(packed, 1), Pieces(packed, 3)):
        assert read(given) == (TEXT if is_packed else packed)


@pytest.mark.parametrize(("compress", "name"), [(lzma.compress, "xz"), (bz2.compress, "bzip2")])
def test_other_compression_is_refused(compress: Callable[[bytes], bytes], name: str) -> None:
    packed = compress(b"<urn:s> <urn:p> <urn:o> .\n")
    for given in (packed, Pieces(packed, 1), Pieces(packed, 5)):
        with pytest.raises(jr.DecodeError, match=f"is compressed with {name}, which is") as caught:
            read(given)
        assert caught.value.offset == 0


def test_a_frame_may_start_with_four_bytes_of_xz() -> None:
    """The bytes are the frame's length, and the tag and length of a metadata entry."""
    frame = b"\xfd7zX" + bytes(7165 - 2)
    for given in (frame, Pieces(frame, 1), Pieces(frame, 5)):
        assert read(given) == frame


@pytest.mark.parametrize("start", [b"", b"P", b"PA ", b'PA "', b"P*M\x19x", b"\x1f", b"(\xb5/"])
def test_what_only_starts_like_something_compressed(start: bytes) -> None:
    for size in range(1, 4):
        assert read(Pieces(start, size)) == start
    assert read(start) == start


@pytest.mark.parametrize("size", [1, 3000, 70_000])
def test_zeros_may_stand_behind_gzip(size: int) -> None:
    packed = gzip.compress(TEXT)
    assert read(packed + bytes(size)) == TEXT
    assert read(packed + bytes(size) + packed) == 2 * TEXT
    for wrong in (packed + bytes(size) + b"x", zstandard.compress(TEXT) + bytes(size)):
        with pytest.raises(jr.DecodeError, match=r"bad (gzip|zstd) data"):
            read(wrong)


def test_how_large_a_window_of_zstd_may_be() -> None:
    for log in (24, 25):
        parameters = zstandard.ZstdCompressionParameters(window_log=log, write_content_size=False)
        compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        packed = compressor.compress(TEXT) + compressor.flush()
        if log == 24:
            assert read(packed) == TEXT
        else:
            with pytest.raises(jr.LimitError, match="needs a window of more than 16 MiB"):
                read(packed)


def test_so_much_is_free_of_the_ratio() -> None:
    free = 16 << 20
    limits = jr.Limits(max_decompression_ratio=0)
    assert len(read(gzip.compress(bytes(free), 1), limits)) == free
    with pytest.raises(jr.LimitError, match="max_decompression_ratio"):
        read(gzip.compress(bytes(free + 1), 1), limits)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_the_largest_size(compress: Callable[[bytes], bytes]) -> None:
    packed = compress(TEXT)
    assert read(packed, jr.Limits(max_decompressed_size=len(TEXT))) == TEXT
    with pytest.raises(jr.LimitError, match=r"more than \d+ bytes \(limit max_decompressed_size"):
        read(packed, jr.Limits(max_decompressed_size=len(TEXT) - 1))


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_data_may_expand_by_the_ratio_and_some_free_bytes(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = compress(TEXT)
    limits = jr.Limits(max_decompression_ratio=RATIO)
    free = len(TEXT) - RATIO * len(data)
    assert free > 0
    monkeypatch.setattr(source, "FREE_SIZE", free)
    assert sum(map(len, jr.read_batches(data, format="rdf-patch", limits=limits))) == 203
    monkeypatch.setattr(source, "FREE_SIZE", free - 1)
    with pytest.raises(jr.LimitError, match="max_decompression_ratio"):
        list(jr.read_batches(data, format="rdf-patch", limits=limits))
