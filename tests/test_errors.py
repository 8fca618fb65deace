"""Tests that an error about an input names its source and position."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from rdflib import Dataset, URIRef

import jelly_rdflib as jr
from jelly_rdflib import arrow

BAD = {
    "bad.rdfp": b"TX .\nA <urn:s> oh no\n",
    "bad.jellyp": b"\x20\x0a\x0a" + b"\xff" * 40,
    "bad.jelly": b"\x20\x0a\x0a" + b"\xff" * 40,
    "bad.nq": b"<urn:s> oh no",
    "bad.ttl": b"<urn:s> oh no",
}
CHANGES = ("bad.rdfp", "bad.jellyp")


def _format(path: str) -> str | None:
    """Return the format to pass, or None if the file name determines it.

    Another package has a plugin for Jelly-RDF, so that format must be passed.
    """
    return "jelly-rdf" if path.endswith(".jelly") else None


OF_CHANGES: dict[str, Callable[[Any], object]] = {
    "read_operations": lambda source: list(jr.read_operations(source)),
    "read_patches": lambda source: list(jr.read_patches(source)),
    "apply": lambda source: jr.apply(source, Dataset()),
    "invert": lambda source: list(jr.invert(source)),
    "compact": lambda source: list(jr.compact(source)),
    "stats": jr.stats,
    "parse": lambda source: Dataset().parse(source),
    "read_arrow": lambda source: list(arrow.read_arrow(source)),
}
OF_BOTH: dict[str, Callable[[Any], object]] = {
    "read_batches": lambda source: list(jr.read_batches(source)),
    "load": lambda source: Dataset(store="Jelly").parse(source, format=_format(source)),
}
WAYS = {
    **OF_CHANGES,
    **OF_BOTH,
    "read_statements": lambda source: list(jr.read_statements(source)),
}
CASES = [
    (name, way)
    for name in BAD
    for way in WAYS
    if way in OF_BOTH or (way in OF_CHANGES) == (name in CHANGES)
]


def _error(way: str, source: Any) -> jr.DecodeError:
    with pytest.raises(jr.DecodeError) as caught:
        WAYS[way](source)
    return caught.value


@pytest.mark.parametrize(("name", "way"), CASES)
def test_an_error_names_the_file(name: str, way: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(BAD[name])
    error = _error(way, str(path))
    assert error.source == str(path)
    assert str(error) == f"{path}: {error.text}"
    assert error.text.startswith(error.message)


def test_the_name_of_an_answer_has_no_query() -> None:
    answer = io.BytesIO(BAD["bad.jellyp"])
    answer.url = "http://localhost/bad.jellyp?token=secret#start"  # type: ignore[attr-defined]
    assert _error("read_operations", answer).source == "http://localhost/bad.jellyp"


def test_files_and_answers_have_names_and_bytes_have_none(tmp_path: Path) -> None:
    path = tmp_path / "bad.jellyp"
    path.write_bytes(BAD["bad.jellyp"])
    address = path.as_uri()
    with path.open("rb") as file, urlopen(address) as answer, path.open("rb") as unnamed:
        assert _error("read_operations", file).source == str(path)
        assert _error("read_operations", answer).source == address
        assert _error("read_operations", memoryview(unnamed.read())).source is None


OF_USE: dict[str, tuple[Callable[[Any], object], str]] = {
    "apply": (lambda source: jr.apply(source, Dataset()), "line 1"),
    "apply to a server": (lambda source: jr.apply(source, "http://localhost:1/ds"), "line 1"),
    "apply strictly": (lambda source: jr.apply(source, Dataset(), strict=True), "patch 1"),
    "effective": (lambda source: list(jr.effective(source, Dataset())), "line 1"),
}


@pytest.mark.parametrize("way", OF_USE)
def test_an_error_of_use_names_the_file(way: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.rdfp"
    path.write_text("A <urn:s> <urn:p> << <urn:s> <urn:p> <urn:o> >> .\n")
    use, place = OF_USE[way]
    with pytest.raises(jr.ApplyError, match=rf"^{path}: .*{place}") as caught:
        use(path)
    assert caught.value.source == str(path)


def test_a_place_in_a_patch_is_not_that_of_the_frame_that_was_read_last(tmp_path: Path) -> None:
    """The whole transaction is read before its first change is applied."""
    path = tmp_path / "frames.jellyp"
    changes = [
        (jr.Op.A, URIRef("urn:s"), URIRef("urn:p"), URIRef(f"urn:{n}"), None) for n in (1, 1, 2)
    ]
    with jr.PatchWriter(path, options=jr.PatchOptions(frame_rows=1)) as writer:
        writer.write_all([(jr.Op.TX,), *changes, (jr.Op.TC,)])
    with pytest.raises(jr.ApplyError, match="operation 3, in transaction 1") as caught:
        jr.apply(path, Dataset(), strict=True)
    error = caught.value
    assert (error.source, error.offset, error.frame) == (str(path), None, None)
    with pytest.raises(jr.LimitError) as limited:
        jr.apply(path, Dataset("Jelly"), strict=True, limits=jr.Limits(max_held_operations=2))
    assert limited.value.source == str(path)
    assert limited.value.frame is not None
