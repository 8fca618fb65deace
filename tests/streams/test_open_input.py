"""Tests opening inputs: when a source is read, how far, and who closes the source."""

import gc
import io
from pathlib import Path
from typing import Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.streams.open_input import open_input
from tests.pieces import Trickle

TEXT = b"TX . A <s> <p> <o> . TC ."
TURTLE = b"<urn:s> <urn:p> <urn:o> ."
S = URIRef("urn:s")


class Live(Trickle):
    """A source that must never be asked for more data than it has."""

    def readinto(self, buffer: Any) -> int:
        assert self.at < len(self.data)
        return super().readinto(buffer)


def test_a_live_source_is_not_read_before_the_first_batch() -> None:
    source = Trickle(TEXT)
    opened = open_input(source)
    batches = opened.batches()
    assert (opened.format, batches.options, source.at) == (None, None, 0)
    assert sum(map(len, batches)) == 4
    assert opened.format is not None
    assert opened.format.name == "rdf-patch"


def test_a_look_waits_for_no_more_than_it_needs_and_takes_nothing() -> None:
    opened = open_input(Live(TEXT[:4]))
    assert opened.look() is opened.look()
    again = open_input(opened.source)
    assert again.look() is opened.format


def test_operations_are_held_only_if_that_is_asked_for() -> None:
    limits = jr.Limits(max_held_operations=1)
    changes = b"A <s> <p> <o> . D <s> <p> <o> ."
    assert len(list(open_input(changes, limits=limits).operations())) == 3
    with pytest.raises(jr.LimitError, match="max_held_operations"):
        list(open_input(changes, limits=limits).operations(is_held=True))


def test_the_kind_that_jelly_has_goes_before_the_name(tmp_path: Path) -> None:
    for written, name in (("jelly-patch", "x.jelly"), ("rdf-patch", "x.nt")):
        path = tmp_path / name
        with path.open("wb") as file, jr.PatchWriter(file, format=written) as writer:
            writer.add(S, S, S, S)
    assert len(list(jr.read_operations(tmp_path / "x.jelly"))) == 2
    with pytest.raises(LookupError, match="n-triples is for statements, not for changes"):
        jr.read_operations(tmp_path / "x.nt")
    with pytest.raises(LookupError, match="jelly-rdf is for statements, not for changes"):
        jr.read_operations(tmp_path / "x.jelly", format="jelly")
    with pytest.raises(jr.DecodeError):
        list(open_input(tmp_path / "x.jelly", is_exact=True).batches())


@pytest.mark.parametrize(
    ("name", "content", "arguments", "error"),
    [
        ("x.nt", TURTLE, {"base": "urn:b"}, ValueError),
        ("x.ttl", TURTLE, {"base": "b"}, ValueError),
        ("x", TURTLE, {}, jr.DecodeError),
        ("x", TEXT, {"base": "urn:b"}, ValueError),
        ("x", b"\x1f\x8b\x00", {}, jr.DecodeError),
    ],
)
def test_a_path_that_can_not_be_read_is_closed(
    name: str, content: bytes, arguments: dict[str, Any], error: type[Exception], tmp_path: Path
) -> None:
    """An unclosed file gives a ResourceWarning, which pytest turns into an error."""
    path = tmp_path / name
    path.write_bytes(content)
    for get in ("open", "batches"):
        with pytest.raises(error):
            list(getattr(open_input(path, **arguments), get)())
        with pytest.raises(error):
            list(
                getattr(
                    open_input(io.BytesIO(content), format=name[2:] or None, **arguments), get
                )()
            )
    gc.collect()
