"""Tests that the errors for common mistakes of newcomers say what to do instead."""

from __future__ import annotations

import gzip
import pydoc
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import click
import pytest
from rdflib import Dataset, Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib.cli.commands import jellyp

TEXT = "TX .\nA <urn:s> <urn:p> <urn:o> .\nTC .\n"
READERS: dict[str, Callable[[Any], object]] = {
    "apply": lambda source: jr.apply(source, Dataset()),
    "read_operations": lambda source: list(jr.read_operations(source)),
    "read_statements": lambda source: list(jr.read_statements(source)),
    "diff": lambda source: jr.diff(source, source),
    "merge": lambda source: jr.merge(source, source),
    "validate": jr.validate,
    "stats": jr.stats,
    "append": lambda source: jr.PatchLog("log", create=True).append(source),
}
TEXTS = [
    TEXT,
    TEXT * 200,
    "<urn:s> <urn:p> 'o' .",
    '{"@id": "urn:s"}',
    "_:b <urn:p> <urn:o> .",
    "\0",
    'TX . A <urn:s> <urn:p> "o" . TC .',
]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("way", READERS)
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:9])
def test_text_is_given_as_bytes(way: str, text: str) -> None:
    with pytest.raises(FileNotFoundError, match="give text as bytes") as caught:
        READERS[way](text)
    assert len(str(caught.value)) < 200


def test_a_file_that_is_not_there_is_no_text() -> None:
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'changes.jellyp'"):
        jr.apply("changes.jellyp", Dataset())
    # A file name may look like RDF Patch text.
    path = Path("<a> .\n")
    path.write_text(TEXT)
    assert jr.apply(str(path), Dataset()).added == 1


@pytest.mark.parametrize("way", READERS)
def test_nothing_is_fetched(way: str) -> None:
    with pytest.raises(FileNotFoundError, match="nothing is fetched"):
        READERS[way]("HTTP://localhost:1/changes.jellyp")


@pytest.mark.parametrize("target", [Graph(), Dataset()])
def test_arguments_of_apply_are_not_swapped(target: Any) -> None:
    with pytest.raises(TypeError, match=r"apply\(source, target\)"):
        jr.apply(target, "changes.jellyp")


@pytest.mark.parametrize("target", ["data.nq", "localhost:3030/ds", "ftp://localhost/ds"])
def test_only_an_address_is_an_address(target: str) -> None:
    with pytest.raises(TypeError, match="starts with http:// or https://"):
        jr.apply(TEXT.encode(), target)


WRITERS: dict[str, Callable[[Any], object]] = {
    "PatchWriter": jr.PatchWriter,
    "StatementWriter": jr.StatementWriter,
    "save": lambda path: jr.Patch([]).save(path),
    "record": lambda path: jr.record(Graph(), path),
    "split": lambda path: list(jr.split(TEXT.encode(), f"{path}{{}}.foo", by="transaction")),
}


@pytest.mark.parametrize("way", WRITERS)
@pytest.mark.parametrize("name", ["w.foo", "w", "w.foo.gz"])
def test_a_name_that_tells_no_format_is_refused(way: str, name: str) -> None:
    with pytest.raises(LookupError, match=r"the format of 'w.* is not known: give format="):
        WRITERS[way](name)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", ["x.foo", "x", "x.nq", "x.jellyp", "x.jelly.txt"])
def test_graphs_are_written_to_files_named_after_their_format(name: str) -> None:
    with pytest.raises(LookupError, match=r"must end with \.jelly, "):
        jr.write_graphs([Graph()], name)
    assert list(Path().iterdir()) == []
    jr.write_graphs([Graph()], Path("x.jelly.gz"))
    assert len(list(jr.read_graphs("x.jelly.gz"))) == 1


LIMITED: dict[str, Callable[[Any], object]] = {
    "apply": lambda limits: jr.apply(TEXT.encode(), Dataset(), limits=limits),
    "read_operations": lambda limits: list(jr.read_operations(TEXT.encode(), limits=limits)),
    "read_statements": lambda limits: list(jr.read_statements(b"", limits=limits)),
    "stats": lambda limits: jr.stats(TEXT.encode(), limits=limits),
    "validate": lambda limits: jr.validate(TEXT.encode(), limits=limits),
    "inspect": lambda limits: jr.inspect(TEXT.encode(), limits=limits),
    "compact": lambda limits: list(jr.compact(TEXT.encode(), limits=limits)),
    "PatchDecoder": lambda limits: jr.PatchDecoder(limits=limits),
    "PatchLog": lambda limits: jr.PatchLog("log", create=True, limits=limits),
    "Replica": lambda limits: jr.Replica("replica", limits=limits),
}


@pytest.mark.parametrize("way", LIMITED)
@pytest.mark.parametrize("limits", [{}, {"max_frame_size": 1}, 1])
def test_limits_are_no_dict(way: str, limits: Any) -> None:
    with pytest.raises(
        TypeError, match=r"limits must be a Limits, such as Limits\(max_frame_size="
    ):
        LIMITED[way](limits)


def test_a_format_may_be_given_for_any_name() -> None:
    with jr.PatchWriter("w.foo", format="jelly-patch"), jr.StatementWriter("w", format="jelly"):
        pass


def test_the_number_of_a_version_is_no_text() -> None:
    log = jr.PatchLog("log", create=True)
    for ask in (log.checkout, log.entry):
        with pytest.raises(jr.LogError, match="is an int, 1, "):
            ask("1")


# The command line uses these names for stream options.
OF_THE_SHELL = {
    "max_names": "max_name_table_size",
    "max_prefixes": "max_prefix_table_size",
    "max_datatypes": "max_datatype_table_size",
    "generalized": "generalized_statements",
    "namespaces": "namespace_declarations",
    "stream_type": "physical_type",
}


@pytest.mark.parametrize("name", OF_THE_SHELL)
def test_names_of_the_shell_lead_to_those_of_python(name: str) -> None:
    context = click.Context(jellyp)
    command = jellyp.get_command(context, "convert")
    assert command is not None
    options = {each for param in command.params for each in param.opts}
    assert f"--{name.replace('_', '-')}" in options
    with pytest.raises(TypeError, match=f"'{name}'; did you mean '{OF_THE_SHELL[name]}'"):
        jr.StreamOptions(**{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [jr.PatchOptions, jr.StreamOptions, jr.Limits])
def test_a_name_without_a_letter_is_found(kind: Any) -> None:
    for name in (field.name for field in fields(kind)):
        with pytest.raises(TypeError, match=rf"{kind.__name__} has no .* mean '{name}'"):
            kind(**{name[:3] + name[4:]: 1})
    with pytest.raises(TypeError, match="has no 'qqq'; there are: "):
        kind(qqq=1)


def _log() -> jr.PatchLog:
    log = jr.PatchLog("log", create=True)
    log.append(TEXT.encode())
    return log


PATCH = jr.Patch([])
OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "append an entry": (lambda: _log().append(_log().entry(1)), r"give its patch, entry\.read\(\)"),
    "apply an entry": (lambda: jr.apply(_log().entry(1), Dataset()), r"entry\.read\(\)"),
    "update from a path": (lambda: jr.Replica("r").update("log"), r"update\(PatchLog\('log'\)\)"),
    "concat a list": (lambda: list(jr.concat([PATCH])), r"concat\(\*patches\)"),
    "swap a patch": (lambda: jr.apply(Graph(), PATCH), r"apply\(source, target\)"),
    "apply to a number": (lambda: jr.apply(PATCH, 1), "rdflib Graph or Dataset, not int$"),
    "apply a log": (lambda: jr.apply(_log(), Dataset()), r"log\.checkout\(\)"),
    "read a log's folder": (lambda: jr.apply(_log().path, Dataset()), "open it as a PatchLog"),
    "open no log": (lambda: jr.PatchLog("none"), "create=True"),
    "append statements": (lambda: _log().append("v.ttl"), r"diff\(before, file\)"),
    "save as statements": (lambda: PATCH.save("v.ttl"), "save a patch as .rdfp or .jellyp"),
    "read changes": (lambda: jr.read_statements("v.rdfp"), r"apply\(\) them to a Dataset"),
    "write changes": (lambda: jr.StatementWriter("v.jellyp"), "write them with PatchWriter"),
    "apply a graph": (lambda: jr.apply(Graph(), Dataset()), r"diff\(Graph\(\), graph\)"),
    "invert a graph": (lambda: jr.invert(Graph()), r"diff\(Graph\(\), graph\)"),
    "a patch from a path": (lambda: jr.Patch("v.jellyp"), r"read_patches\(path\)"),
    "a patch from bytes": (lambda: jr.Patch(TEXT.encode()), r"read_patches\(path\)"),
    "a patch from a graph": (lambda: jr.Patch(Graph()), r"diff\(Graph\(\), graph\)"),
    "write one graph": (
        lambda: jr.write_graphs(Graph(), "v.jelly"),
        r"a list of graphs, \[graph\]",
    ),
    "compare a log": (lambda: jr.diff(_log(), Graph()), r"log\.checkout\(\)"),
    "compare an IRI": (lambda: jr.diff(URIRef("urn:g"), Graph()), "a URIRef is no path"),
    "record to a folder": (lambda: jr.record(Graph(), _log().path), r"give PatchLog\(…\)"),
    "record to a server": (lambda: jr.record(Graph(), "http://localhost"), r"give PatchLog\(…\)"),
    "append after a number": (lambda: _log().append(PATCH, prev="1"), r"log\.entry\(1\)\.id"),
    "go back": (lambda: _log().patches(1, 0), "version 1 is newer than 0: .* invert"),
}


@pytest.mark.parametrize("way", OTHERS)
def test_a_wrong_call_says_what_to_call(way: str) -> None:
    call: Any
    call, advice = OTHERS[way]
    errors = (TypeError, ValueError, LookupError, OSError, jr.ApplyError, jr.LogError)
    with pytest.raises(errors, match=advice):
        call()


def test_a_late_patch_says_how_to_make_it_again() -> None:
    stale = jr.PatchLog("log", create=True)
    _log()
    with pytest.raises(jr.LogConflict, match=r"version 1: make the patch .* refresh\(\)"):
        stale.append(TEXT.encode())


@pytest.mark.parametrize("store", ["Jelly", "default"])
def test_an_error_in_a_text_names_no_file(store: str) -> None:
    with pytest.raises(jr.DecodeError, match=r"^expected a term"):
        Graph(store).parse(data="A <urn:s> oh no", format="rdf-patch")


def test_a_type_that_is_almost_right_is_found() -> None:
    with pytest.raises(ValueError, match=r"StreamType has no 'flatt'; did you mean 'FLAT'\?$"):
        jr.PatchOptions(stream_type="flatt")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="StatementType has no 'x'; there are: TRIPLES, QUADS"):
        jr.PatchOptions(statement_type="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="7 is not a valid PatchStreamType"):
        jr.PatchOptions(stream_type=7)  # type: ignore[arg-type]


def test_a_format_that_is_almost_right_is_found() -> None:
    with pytest.raises(LookupError, match="did you mean 'rdf-patch'"):
        jr.apply(TEXT.encode(), Dataset(), format="rdfpatch")  # type: ignore[call-overload]


def test_only_a_file_of_another_kind_is_called_so() -> None:
    """A stream of which the end is missing starts as Jelly does."""
    Graph().serialize("v.jelly", format="jelly-rdf")
    whole = Path("v.jelly").read_bytes()
    with jr.StatementWriter("w.jelly", jr.StreamOptions(stream_name="x" * 120)):
        pass
    named = Path("w.jelly").read_bytes()
    for data, is_doubted in ((whole[:-1], False), (named[:-1], False), (b"oh no", True)):
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_statements(data))
        assert ("is the input" in str(caught.value)) == is_doubted
    with pytest.raises(jr.DecodeError, match="bad gzip data: the input ends inside a stream"):
        list(jr.read_statements(gzip.compress(whole)[:-9]))


def test_the_file_whose_format_is_unknown_is_named() -> None:
    Path("v.foo").write_text("<urn:s> <urn:p> <urn:o> .")
    with pytest.raises(jr.DecodeError, match=r"^v\.foo: .* give a file an extension"):
        jr.diff("v.foo", Graph())


def test_types_of_sources_can_be_resolved() -> None:
    for function in (jr.apply, jr.diff, jr.read_batches, jr.read_patches):
        assert get_type_hints(function)


def test_help_of_apply_begins_with_its_type_and_an_example() -> None:
    screen = pydoc.plain(pydoc.render_doc(jr.apply)).splitlines()[:15]
    assert "-> 'ApplyResult | RemoteResult'" in screen[2]
    assert any(">>> result = apply(" in line for line in screen)
