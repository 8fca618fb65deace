"""Tests the destinations of streams."""

import io

import zstandard

from jelly_rdflib.streams.destination import compressed


def test_a_compressed_file_is_one_frame() -> None:
    file = io.BytesIO()
    with compressed(file, "x.zst") as packed:
        packed.write(b"ab" * 5000)
        packed.flush()
        packed.write(b"c")
    stream = zstandard.ZstdDecompressor().decompressobj()
    assert stream.decompress(file.getvalue()) == b"ab" * 5000 + b"c"
    assert (stream.eof, stream.unused_data) == (True, b"")
