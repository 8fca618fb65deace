"""Where streams go."""

from __future__ import annotations

import io
import os
import sys

import zstandard

from jelly_rdflib.streams.destination import ZstdFile


def test_zstd_file_is_one_frame() -> None:
    for has_checksum in (False, True):
        file = io.BytesIO()
        with ZstdFile(file, has_checksum=has_checksum) as compressed:
            compressed.write(b"ab" * 5000)
            compressed.flush()
            compressed.write(b"c")
        data = file.getvalue()
        stream = zstandard.ZstdDecompressor().decompressobj()
        assert stream.decompress(data) == b"ab" * 5000 + b"c"
        assert (stream.eof, stream.unused_data) == (True, b"")
        assert zstandard.get_frame_parameters(data).has_checksum == has_checksum


def test_closing_a_zstd_file_leaves_nothing_in_memory() -> None:
    """What is written at the end has more bytes than the numbers that Python keeps anyway.

    One object for each file would be 500; threads of earlier tests may allocate some.
    """
    data = os.urandom(1000)

    def write() -> None:
        with ZstdFile(io.BytesIO()) as compressed:
            compressed.write(data)

    write()
    before = sys.getallocatedblocks()
    for _ in range(500):
        write()
    assert sys.getallocatedblocks() - before < 400
