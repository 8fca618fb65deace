"""Tests ``jellyp convert``."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from rdflib import XSD, BNode, Literal

import jelly_rdflib as jr
from tests.cli.support import TEXT, G, P, S, encode, run, run_well


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jellyp"
    path.write_bytes(encode())
    return path


def read(path: Path) -> list[Any]:
    return list(jr.read_operations(path, normalize=False))


def test_jelly_patch_to_text_and_back(source: Path) -> None:
    text, back = source.with_name("x.rdfp"), source.with_name("back.jellyp")
    run_well("convert", source, "-o", text)
    assert text.read_text() == TEXT
    run_well("convert", text, "-o", back)
    assert read(back) == read(source)
    assert sorted(os.listdir(source.parent)) == ["back.jellyp", "in.jellyp", "x.rdfp"]


def test_a_format_that_is_given_goes_before_the_name(source: Path) -> None:
    wrong = source.with_name("in.rdfp")
    source.rename(wrong)
    out = source.with_name("out.jellyp")
    assert run("convert", "--from", "rdf-patch", wrong, "-o", out).code == 1
    run_well("convert", "--from", "application/x-jelly-rdf-patch", "--to", "rdfp", wrong, "-o", out)
    assert out.read_text() == TEXT


def test_standard_output_has_the_format_of_the_input(source: Path, statements: Path) -> None:
    for path in (source, statements):
        for shown in (run_well("convert", path), run_well("convert", "-", stdin=path.read_bytes())):
            assert jr.inspect(shown.out).format == jr.inspect(path).format
    text = source.with_name("x.rdfp")
    text.write_text(TEXT)
    assert run_well("convert", text).text == TEXT


def test_options_of_the_output(source: Path) -> None:
    out = source.with_name("out.jellyp")
    single = source.with_name("single.rdfp")
    single.write_text(TEXT.split("Z .\n")[0])
    options = ("--stream-type", "flat", "--preset", "small", "--frame-rows", "2")
    run_well("convert", *options, single, "-o", out)
    with open(out, "rb") as file:
        batches = jr.read_batches(file)
        frames = list(batches)
    assert batches.options.stream_type.name == "FLAT"
    assert batches.options.max_name_table_size == 128
    assert len(frames) > 3
    small = source.with_name("small.jellyp")
    run_well("convert", "--preset", "small", source, "-o", small)
    for wish, size in (([], 128), (["--preset", "big"], 4000)):
        run_well("convert", *wish, small, "-o", out)
        reader = jr.read_operations(out)
        next(reader)
        assert reader.options.max_name_table_size == size


def test_what_the_output_can_not_say_exits_with_1(tmp_path: Path) -> None:
    path, out = tmp_path / "in.rdfp", tmp_path / "out.jellyp"
    path.write_text("A <urn:s> <urn:p> << <urn:s> <urn:p> <urn:o> >> .\n")
    ended = run("convert", path, "-o", out)
    assert ended.code == 1
    assert "--rdf-star" in ended.err
    assert not out.exists()
    run_well("convert", "--rdf-star", path, "-o", out)
    path.write_text('A "s" <urn:p> "o" .\n')
    ended = run("convert", path, "-o", out)
    assert ended.code == 1
    assert "--generalized" in ended.err
    run_well("convert", "--generalized", path, "-o", out)
    path.write_text("TX . TC . Z . TX . TC .\n")
    ended = run("convert", "--stream-type", "flat", path, "-o", out)
    assert ended.code == 1
    assert "nothing can be written after that" in ended.err


def test_an_output_that_was_there_is_replaced_whole(source: Path) -> None:
    out = source.with_name("out.rdfp")
    out.write_text("precious")
    out.chmod(0o640)
    bad = source.with_name("bad.jellyp")
    bad.write_bytes(source.read_bytes()[:-3])
    assert run("convert", bad, "-o", out).code == 1
    assert out.read_text() == "precious"
    link = source.with_name("link.rdfp")
    link.symlink_to(out)
    run_well("convert", source, "-o", link)
    assert out.read_text() == TEXT
    assert link.is_symlink()
    assert out.stat().st_mode & 0o777 == 0o640
    run_well("convert", "--to", "rdfp", source, "-o", source)
    assert source.read_text() == TEXT


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has another error")
def test_an_output_that_cannot_be_made_is_named(source: Path) -> None:
    """The error is about the output, not about the temporary file."""
    # The name is not too long itself, but that of the temporary file is.
    out = source.with_name(f"{'x' * 240}.jellyp")
    ended = run("convert", source, "-o", out)
    assert (ended.code, ended.err) == (1, f"jellyp: {out}: File name too long\n")
    link = source.with_name("link.jellyp")
    link.symlink_to(out)
    assert run("convert", source, "-o", link).err == f"jellyp: {link}: File name too long\n"
    assert not out.exists()


def test_changes_are_no_statements(source: Path) -> None:
    ended = run("convert", source, "-o", source.with_name("out.jelly"))
    assert ended.code == 2
    assert "has changes, but jelly-rdf is for statements" in ended.err


def test_statements_are_no_changes(tmp_path: Path) -> None:
    path = tmp_path / "in.jelly"
    with jr.StatementWriter(path) as writer:
        writer.add(S, P, Literal("o"), G)
    ended = run("convert", path, "-o", tmp_path / "out.rdfp")
    assert ended.code == 2
    assert "has statements, but rdf-patch is for changes: jellyp diff makes a patch" in ended.err
    ended = run("convert", "-", "-o", tmp_path / "out.rdfp", stdin=path.read_bytes())
    assert ended.code == 2
    assert "standard input has statements" in ended.err


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "in.jelly"
    with jr.StatementWriter(path, jr.StreamOptions(namespace_declarations=True)) as writer:
        writer.add_namespace("ex", "http://example.org/")
        writer.add(S, P, Literal("01", datatype=XSD.integer), G)
        writer.add(S, P, BNode("b7"))
    return path


def test_the_type_of_a_stream_is_that_of_the_input(statements: Path) -> None:
    out, triples = statements.with_name("out.jelly"), statements.with_name("x.ttl")
    triples.write_text("<urn:s> <urn:p> <urn:o> .")
    for source, wish, physical_type in (
        (statements, [], "QUADS"),
        (statements, ["--stream-type", "graphs"], "GRAPHS"),
        (triples, [], "TRIPLES"),
        (triples, ["--stream-type", "quads"], "QUADS"),
    ):
        run_well("convert", *wish, source, "-o", out)
        reader = jr.read_statements(out)
        assert len(list(reader)) == (1 if source == triples else 2)
        assert reader.options.physical_type.name == physical_type


def test_without_in_standard_input_is_converted(statements: Path) -> None:
    shown = run_well("convert", "--to", "nq", stdin=statements.read_bytes())
    assert shown.out == run_well("convert", "--to", "nq", statements).out


def test_turtle_in_a_pipe_is_known_by_its_first_directive(tmp_path: Path) -> None:
    """The input is read as TriG: the statements and the labels are the same."""
    path = tmp_path / "x.ttl"
    text = "ex: <urn:x:> {}\nex:a ex:b [ ex:c (1 2) ], ex:graph .\n[] ex:p ex:o . () ex:p _:b .\n"
    for start, end in (("@prefix", "."), ("PREFIX", ""), ("\n\t@base <urn:y:> . @prefix", ".")):
        path.write_text(f"{start} {text.format(end)}")
        shown = run_well("convert", "--to", "nt", stdin=path.read_bytes()).text
        assert shown == run_well("convert", "--to", "nt", path).text
        assert shown.count("\n") == 9
    ended = run(
        "convert", "--to", "nt", stdin=b"@prefix : <urn:> .\n{ :a :b :c } => { :d :e :f } ."
    )
    assert ended.code == 1
    assert "=> is not" in ended.err


def test_statements_without_their_graphs(statements: Path) -> None:
    out = statements.with_name("out.jelly")
    ended = run("convert", "--to", "ttl", statements)
    assert ended.code == 1
    assert "no named graphs: use a format that has them, such as TriG, or give --merge" in ended.err
    run_well("convert", "--merge-graphs", statements, "-o", out)
    assert [row[:3] for row in jr.read_statements(statements)] == list(jr.read_statements(out))
    assert jr.inspect(out).options.physical_type.name == "TRIPLES"
    assert [pair for frame in jr.read_frames(out) for pair in frame.namespaces] != []
    for syntax in ("nt", "ttl"):
        text = run_well("convert", "--merge-graphs", "--to", syntax, statements).text
        assert "urn:g" not in text
        assert len(text.splitlines()) >= 2
    patch = statements.with_name("x.jellyp")
    patch.write_bytes(encode())
    ended = run("convert", "--merge-graphs", "--to", "rdfp", patch)
    assert ended.code == 2
    assert "--merge-graphs is for statements" in ended.err


def test_relative_iris(tmp_path: Path) -> None:
    path, out = tmp_path / "in.ttl", tmp_path / "out.nt"
    path.write_text("<a> <urn:p> <../b> .")
    assert run("convert", path, "-o", out).code == 1
    run_well("convert", "--base-iri", "http://example.org/x/y", path, "-o", out)
    assert out.read_text() == "<http://example.org/x/a> <urn:p> <http://example.org/b> .\n"
    ended = run("convert", "--base-iri", "http://example.org/", out, "--to", "nq")
    assert ended.code == 2
    assert "no relative IRIs" in ended.err
    assert run("convert", "--base-iri", "relative", path, "-o", out).code == 2
