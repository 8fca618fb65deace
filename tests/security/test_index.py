"""Tests forged indexes: a digest detects damage, but does not show who made the index."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.streams.index import (
    DIGEST_SIZE,
    MAGIC,
    StaleIndexError,
    find_parts,
    load_index,
    read_part,
    write_index,
)
from tests.support import run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "changes.jellyp"
    with jr.PatchWriter(path, jr.PatchOptions(frame_rows=8)) as writer:
        for n in range(100):
            writer.write((Op.A, URIRef(f"urn:s{n}"), URIRef("urn:p"), Literal(n), None))
    return path


def forge(path: Path, header: bytes, states: bytes = b"") -> None:
    """Write an index with a forged header and the matching digest."""
    digest = hashlib.blake2b(header, digest_size=DIGEST_SIZE).digest()
    Path(f"{path}.idx").write_bytes(
        MAGIC + len(header).to_bytes(8, "little") + header + digest + states
    )


def header_of(path: Path) -> dict[str, Any]:
    write_index(path, find_parts(path, spacing=300))
    data = Path(f"{path}.idx").read_bytes()
    size = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 8], "little")
    fields: dict[str, Any] = json.loads(data[len(MAGIC) + 8 :][:size])
    return fields


@pytest.mark.parametrize(
    "header",
    [
        *(b"", b"{", b"null", b"[]", b"{}", b"\xff", b"1" * 5000, b'"' + b"x" * 99),
        *(b"[" * 100_000, b'{"size":1e999}', b'{"size":' + b"9" * 6000 + b"}"),
    ],
)
def test_headers_that_are_no_header(file: Path, header: bytes) -> None:
    forge(file, header)
    with pytest.raises(StaleIndexError):
        load_index(file)


@pytest.mark.parametrize("told", [1 << 29, 100, None])
def test_a_state_that_is_huge_takes_no_memory(file: Path, told: int | None) -> None:
    """A compressed state need not declare its size, and may declare a wrong one."""
    fields = header_of(file)
    assert len(fields["parts"]) > 1
    size = 1 << 29
    compressor = zstandard.ZstdCompressor().compressobj(size=-1 if told is None else size)
    state = b"".join(compressor.compress(bytes(1 << 24)) for _ in range(32)) + compressor.flush()
    if told is not None:
        assert size.to_bytes(4, "little") in state[:12]
        state = state.replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"), 1)
    fields["parts"] = [fields["parts"][0], [*fields["parts"][1][:2], len(state)]]
    forge(file, json.dumps(fields).encode(), state)
    out = run(
        """
from jelly_rdflib.streams.index import load_index
part = load_index(sys.argv[1], spacing=1)[1]
before = peak()
try:
    part.load_state()
except DecodeError as error:
    assert "is larger than" in str(error) or "is damaged" in str(error), error
else:
    raise AssertionError
print(peak() - before)
""",
        str(file),
    )
    # This bound is the maximum size of a decoder's state, not the 512 MB of data.
    assert int(out) < 200e6


def test_a_state_that_is_cut_off(file: Path) -> None:
    fields = header_of(file)
    state = zstandard.ZstdCompressor().compress(os.urandom(500))[:-9]
    fields["parts"] = [fields["parts"][0], [*fields["parts"][1][:2], len(state)]]
    forge(file, json.dumps(fields).encode(), state)
    parts = load_index(file, spacing=1)
    assert parts is not None
    with pytest.raises(jr.DecodeError, match="the checkpoint of a decoder is damaged"):
        parts[1].load_state()


def test_a_header_larger_than_any_that_is_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = find_parts(file, spacing=300)
    monkeypatch.setattr("jelly_rdflib.streams.index.MAX_HEADER", 300)
    with pytest.raises(ValueError, match="parts are too many for an index"):
        write_index(file, parts)
    assert os.listdir(file.parent) == [file.name]
    forge(file, b" " * 301)
    with pytest.raises(StaleIndexError, match="is damaged"):
        load_index(file)


def test_the_largest_header_takes_little_memory(file: Path) -> None:
    """Two bytes of JSON can become a Python object."""
    from jelly_rdflib.streams.index import MAX_HEADER

    forge(file, b"[%s{}]" % (b"{}," * (MAX_HEADER // 3 - 2)))
    out = run(
        """
from jelly_rdflib.streams.index import StaleIndexError, load_index
before = peak()
try:
    load_index(sys.argv[1])
except StaleIndexError:
    print(peak() - before)
""",
        str(file),
    )
    assert int(out) < 45e6


def test_the_states_of_another_file_are_read_as_a_stream_is(file: Path) -> None:
    """Such states may change the rows that are read, but they are checked like a stream."""
    parts = find_parts(file, spacing=300)
    assert sum(len(batch) for part in parts for batch in read_part(file, part)) == 101
    fields = header_of(file)
    for state in (b"", b"\xff" * 50, bytes(50), os.urandom(200)):
        packed = zstandard.ZstdCompressor().compress(state)
        forged = {
            **fields,
            "parts": [fields["parts"][0], [*fields["parts"][1][:2], len(packed)]],
        }
        forge(file, json.dumps(forged).encode(), packed)
        loaded = load_index(file, spacing=1)
        assert loaded is not None
        with pytest.raises(jr.DecodeError):
            list(read_part(file, loaded[1]))
