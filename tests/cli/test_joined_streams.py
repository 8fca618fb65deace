"""Tests ``jellyp convert`` with several inputs and with stream options."""

from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal

import jelly_rdflib as jr
from jelly_rdflib import TripleTerm
from tests.cli.support import OPERATIONS, TEXT, G, P, S, encode, run, run_well

RESTART = ("--repeated-options", "restart")


def write(path: Path, *statements: Any, **options: Any) -> Path:
    with jr.StatementWriter(path, jr.StreamOptions(**options)) as writer:
        if options.get("namespace_declarations"):
            writer.add_namespace("ex", "http://example.org/")
        writer.write_all(statements)
    return path


def read(path: Any) -> list[Any]:
    return list(jr.read_statements(path, normalize=False))


def options_of(path: Path) -> Any:
    return jr.inspect(path).options


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return write(tmp_path / "1.jelly", (S, P, Literal("1")), physical_type="TRIPLES")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    quads = (S, P, Literal("2"), G), (S, P, TripleTerm(S, P, S), G)
    return write(tmp_path / "2.jelly", *quads, rdf_star=True, namespace_declarations=True)


def test_streams_of_statements_are_joined(one: Path, two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jelly"
    run_well("convert", one, two, "-o", out)
    assert [row[:3] for row in read(out)] == [row[:3] for row in [*read(one), *read(two)]]
    options = options_of(out)
    assert options.physical_type.name == "QUADS"
    assert options.logical_type.name == "FLAT_QUADS"
    assert (options.rdf_star, options.generalized_statements) == (True, False)
    assert options.namespace_declarations
    assert [name for frame in jr.read_frames(out) for name, _ in frame.namespaces] == ["ex"]
    # A file may contain several streams one after another.
    both = one.read_bytes() + one.read_bytes()
    assert len(read(run_well("convert", *RESTART, "-", stdin=both).out)) == 2
    assert len(read(run_well("convert", one, "-", stdin=both).out)) == 3


def test_streams_of_changes_are_joined(tmp_path: Path) -> None:
    flat = encode(OPERATIONS[:7], stream_type="FLAT")
    (tmp_path / "1.jellyp").write_bytes(flat)
    (tmp_path / "2.jellyp").write_bytes(encode(stream_type="FRAME"))
    out = run_well("convert", "1.jellyp", "2.jellyp", cwd=tmp_path).out
    expected = [
        row for path in ("1", "2") for row in jr.read_operations(tmp_path / f"{path}.jellyp")
    ]
    reader = jr.read_operations(out)
    assert list(reader) == expected
    assert reader.options.stream_type.name == "PUNCTUATED"
    twice = run_well("convert", "1.jellyp", "1.jellyp", cwd=tmp_path).out
    assert len(list(jr.read_patches(twice))) == 2
    ended = run("convert", *RESTART, "-", stdin=flat + flat)
    assert ended.code == 1
    assert "a flat stream" in ended.err
    arguments = ("convert", *RESTART, "-", "--stream-type", "punctuated")
    piped = run_well(*arguments, stdin=flat + flat).out
    assert len(list(jr.read_patches(piped))) == 2


def test_new_lookups_and_frames(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jelly"
    chosen = ["--max-names", "16", "--max-prefixes", "0", "--max-datatypes", "8"]
    run_well("convert", two, "-o", out, *chosen, "--frame-rows", "1", "--stream-name", "x")
    options = options_of(out)
    assert (options.max_name_table_size, options.max_prefix_table_size) == (16, 0)
    assert (options.max_datatype_table_size, options.stream_name) == (8, "x")
    assert len(list(jr.read_frames(out))) > 2
    assert read(out) == read(two)
    run_well("convert", two, "-o", out, "--preset", "small", "--max-names", "200")
    options = options_of(out)
    assert (options.max_name_table_size, options.max_prefix_table_size) == (200, 16)
    run_well("convert", two, "-o", out, "--frame-bytes", "1", "--no-namespaces")
    assert not options_of(out).namespace_declarations
    assert len(list(jr.read_frames(out))) > 1


def test_options_from_another_file(one: Path, two: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.jelly", tmp_path / "out.jelly"
    write(model, rdf_star=True, max_name_table_size=99, stream_name="model")
    run_well("convert", one, "-o", out, "--options-from", model)
    options = options_of(out)
    assert (options.max_name_table_size, options.stream_name) == (99, "model")
    assert options.physical_type.name == "QUADS"
    run_well("convert", one, "-o", out, "--options-from", model, "--max-names", "20")
    assert options_of(out).max_name_table_size == 20
    nt = tmp_path / "x.nt"
    nt.write_text("<urn:s> <urn:p> <urn:o> .\n")
    run_well("convert", nt, "-o", out, "--options-from", model)
    assert options_of(out).max_name_table_size == 99
    for bad in (nt, one.with_name("2.jellyp")):
        bad.exists() or bad.write_bytes(encode())
        ended = run("convert", one, "-o", out, "--options-from", bad)
        assert ended.code == 2
        assert "has no Jelly-RDF options" in ended.err


def test_types_of_streams(one: Path, two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jelly"
    run_well("convert", one, "-o", out, "--stream-type", "graphs", "--logical-type", "datasets")
    options = options_of(out)
    assert (options.physical_type.name, options.logical_type.name) == ("GRAPHS", "DATASETS")
    ended = run("convert", two, "-o", out, "--stream-type", "triples")
    assert ended.code == 1
    assert "give --stream-type quads" in ended.err
    ended = run("convert", two, "-o", out, "--no-rdf-star")
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {two}: ")
    assert "--rdf-star" in ended.err
    ended = run("convert", one, "-o", out, "--logical-type", "datasets")
    assert ended.code == 2
    ended = run("convert", one, "-o", out, "--logical-type", "what")
    assert ended.code == 2
    assert "'--logical-type'" in ended.err


def test_frames_with_a_meaning_or_metadata_stay_frames(tmp_path: Path) -> None:
    grouped, flat, out = (tmp_path / f"{name}.jelly" for name in ("grouped", "flat", "out"))
    for path, options in (
        (grouped, jr.StreamOptions(logical_type="DATASETS")),
        (flat, jr.StreamOptions()),
    ):
        with jr.StatementWriter(path, options) as writer:
            for number in range(3):
                writer.add(S, P, Literal(number), G)
                writer.end_frame({"n": bytes([number])} if number != 1 else None)
        run_well("convert", path, path, "-o", out)
        metadata = [frame.metadata for frame in jr.read_frames(out)]
        assert metadata == [{"n": b"\0"}, {}, {"n": b"\2"}] * 2
        assert [len(frame) for frame in jr.read_frames(out)] == [1] * 6


def test_inputs_that_do_not_go_together(one: Path, tmp_path: Path) -> None:
    patch, text = tmp_path / "x.jellyp", tmp_path / "x.rdfp"
    patch.write_bytes(encode())
    text.write_text(TEXT)
    jr.PatchLog.create(tmp_path / "log")
    for arguments, message in (
        ([one, patch], "is Jelly-Patch, but"),
        ([one, text], "is not Jelly: convert joins only Jelly files"),
        ([one, one, "--merge-graphs"], "are for one IN"),
        ([one, tmp_path / "log"], "is a patch log: convert it alone, as one IN"),
        ([one, one, "-o", tmp_path / "out.jellyp"], "the streams are Jelly-RDF"),
        (["-", "-"], "only once"),
        ([one, patch.with_name("no.jelly")], "does not exist"),
    ):
        ended = run("convert", *arguments)
        assert ended.code == 2
        assert message in ended.err
    ended = run("convert", patch, "-o", tmp_path / "out.jellyp", "--logical-type", "graphs")
    assert "--logical-type is for Jelly-RDF" in ended.err
    assert run("convert", "-", stdin=b"").code in (1, 2)


def test_a_bad_input_writes_nothing(one: Path, tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.jelly", tmp_path / "out.jelly"
    bad.write_bytes(one.read_bytes() + one.read_bytes()[:-3])
    ended = run("convert", one, bad, "-o", out)
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {bad}: ")
    assert not out.exists()
