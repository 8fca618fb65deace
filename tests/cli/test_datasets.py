"""Tests ``jellyp apply`` and ``jellyp diff``."""

from pathlib import Path

import pytest

from tests.cli.support import run, run_well

LAMP = "<urn:lamp> <urn:state>"
PATCH = f'TX .\nD {LAMP} "off" <urn:g> .\nA {LAMP} "on" <urn:g> .\nTC .\n'


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.nq"
    path.write_text(f'{LAMP} "off" <urn:g> .\n<urn:s> <urn:p> _:b1 .\n')
    return path


@pytest.fixture
def patch(tmp_path: Path) -> Path:
    path = tmp_path / "x.rdfp"
    path.write_text(PATCH)
    return path


def test_apply(base: Path, patch: Path) -> None:
    assert sorted(run_well("apply", base, patch).text.splitlines()) == [
        '<urn:lamp> <urn:state> "on" <urn:g> .',
        "<urn:s> <urn:p> _:b1 .",
    ]
    out = base.with_name("out.jelly.gz")
    run_well("apply", base, patch, "-o", out)
    run_well("validate", "--quiet", "--fail-on-warning", out)
    again = run_well("apply", out, patch, "--to", "nq").text
    assert sorted(again.splitlines()) == sorted(run_well("apply", base, patch).text.splitlines())


def test_apply_says_what_changed_and_what_did_not(base: Path, patch: Path) -> None:
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    base.write_text(f'{LAMP} "off" <urn:g> .\n{LAMP} "1"{integer} .\n')
    patch.write_text(f'{PATCH}D {LAMP} "01"{integer} .\nA {LAMP} "1"{integer} .\n')
    deleted = f'D {LAMP} "01"^^xsd:integer'
    assert run("apply", base, patch).err.splitlines() == [
        "+1 −1; 2 of 4 operations changed nothing",  # noqa: RUF001
        f'{deleted} changed nothing: the value is there in another spelling, "1"{integer}',
    ]
    assert run("apply", "--quiet", base, patch).err == ""
    refused = run("apply", "--strict", base, patch)
    assert (refused.code, refused.out) == (1, b"")
    assert "operation 5, in patch 1: D" in refused.err
    assert run_well("apply", "--strict", base, "-", stdin=PATCH.encode()).err == "+1 −1\n"  # noqa: RUF001


def test_the_null_device_is_an_empty_dataset_but_an_empty_pipe_is_an_error(patch: Path) -> None:
    assert run_well("apply", "/dev/null", patch).text == f'{LAMP} "on" <urn:g> .\n'
    ended = run("diff", "-", "/dev/null", stdin=b"")
    assert ended.code == 2
    assert "the input is empty: if that is right, give a text format with --from" in ended.err
    assert run_well("diff", "--from", "nq", "-", "/dev/null").out == b""


def test_a_statement_that_comes_later_is_no_other_spelling(base: Path, patch: Path) -> None:
    patch.write_text(f'D {LAMP} "on" .\nA {LAMP} "on" .\n')
    assert run_well("apply", base, patch).err == "+1 −0; 1 of 2 operations changed nothing\n"  # noqa: RUF001


def test_prefixes_are_kept(tmp_path: Path, patch: Path) -> None:
    base = tmp_path / "b.ttl"
    base.write_text('PREFIX ex: <http://example.org/> ex:s ex:p "o" .')
    patch.write_text('PA "more" "http://more.org/" . A <urn:s> <urn:p> <http://more.org/o> .')
    shown = run_well("apply", base, patch).text
    assert "@prefix ex: <http://example.org/>" in shown
    assert "ex:s ex:p" in shown
    assert "more:o" in shown


def test_prefixes_are_compared_where_both_syntaxes_have_them(tmp_path: Path) -> None:
    old, new = tmp_path / "old.ttl", tmp_path / "new.nt"
    old.write_text("PREFIX ex: <http://example.org/> <urn:s> <urn:p> <urn:o> .")
    new.write_text("<urn:s> <urn:p> <urn:o> .")
    assert run_well("diff", old, new).text == ""
    new = tmp_path / "new.ttl"
    new.write_text("<urn:s> <urn:p> <urn:o> .")
    assert "PD" in run_well("diff", old, new, status=1).text
