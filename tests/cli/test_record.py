"""Tests ``jellyp record``."""

import os
from pathlib import Path

import pytest

from tests.cli.support import run, run_well

LAMP = "<urn:lamp> <urn:state>"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.nq"
    path.write_text(f'{LAMP} "off" <urn:kitchen> .\n{LAMP} "dim" .\n')
    return path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_what_took_effect_is_recorded(base: Path) -> None:
    switch = write(
        base.parent,
        "switch.ru",
        "WITH <urn:kitchen> DELETE { ?s ?p 'off' } INSERT { ?s ?p 'on' } WHERE { ?s ?p 'off' };"
        f"INSERT DATA {{ {LAMP} 'dim' }}",
    )
    none = write(base.parent, "none.ru", f"DELETE DATA {{ {LAMP} 'never' }}")
    more = write(base.parent, "more.ru", f"INSERT DATA {{ {LAMP} 'bright' }}")
    shown = run_well("record", base, switch, none, more).text
    assert shown == (
        f'TX .\nD {LAMP} "off" <urn:kitchen> .\nA {LAMP} "on" <urn:kitchen> .\nTC .\n'
        f'TX .\nA {LAMP} "bright" .\nTC .\n'
    )


def test_the_patch_makes_the_result_of_the_base(base: Path) -> None:
    update = write(base.parent, "u.ru", f"CLEAR GRAPH <urn:kitchen> ; INSERT DATA {{ {LAMP} 01 }}")
    patch, result = base.with_name("x.jellyp"), base.with_name("result.nq")
    before = base.read_text()
    run_well("record", base, update, "-o", patch, "--result", result)
    assert base.read_text() == before
    applied = run_well("apply", base, patch).text
    assert sorted(applied.splitlines()) == sorted(result.read_text().splitlines())
    assert "kitchen" not in applied
    run_well("record", base, update, "-o", patch, "--result", base)
    assert base.read_text() == result.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INSERT NONSENSE", "line 1, column"),
        ("LOAD <urn:nowhere>", "LOAD <urn:nowhere> reads from elsewhere"),
        ("DELETE DATA { _:b <urn:p> 1 }", "no blank nodes in statements to delete"),
        ("PREFIX : <urn:>", "it contains no SPARQL Update"),
    ],
)
def test_an_update_at_fault_writes_nothing(base: Path, text: str, message: str) -> None:
    update = write(base.parent, "bad.ru", text)
    before = base.read_text()
    ended = run("record", base, update, "-o", base.with_name("x.jellyp"), "--result", base)
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {update}: ")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert base.read_text() == before
    assert sorted(os.listdir(base.parent)) == ["bad.ru", "base.nq"]


def test_a_blank_node_of_an_update_is_none_of_the_base(base: Path) -> None:
    base.write_text('_:b0 <urn:label> "mine" .\n')
    update = write(base.parent, "u.ru", 'INSERT DATA { _:b0 <urn:label> "new" }')
    run_well("record", base, update, "--result", base)
    labels = [line.split()[0] for line in base.read_text().splitlines()]
    assert len(set(labels)) == 2
    assert "_:b0" in labels


def test_literals_of_an_update_keep_their_lexical_forms(base: Path) -> None:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    terms = [f'"2020-01-01T00:00:00Z"^^<{xsd}dateTime>', f'"01"^^<{xsd}integer>', '"a"@en-GB']
    base.write_text("".join(f"{LAMP} {term} .\n" for term in terms))
    update = write(base.parent, "u.ru", f"DELETE DATA {{ {LAMP} {', '.join(terms)} }}")
    assert run_well("record", base, update).text.count("\nD ") == 3


def test_load_with_network(base: Path) -> None:
    more = write(base.parent, "more.ttl", "<urn:s> <urn:p> <urn:o> .")
    for into, graph in ((" INTO GRAPH <urn:g>", "<urn:g> "), ("", "")):
        update = write(base.parent, "u.ru", f"LOAD <{more.as_uri()}>{into}")
        shown = run_well("record", base, update, "--network").text
        assert shown == f"TX .\nA <urn:s> <urn:p> <urn:o> {graph}.\nTC .\n"


@pytest.mark.slow
def test_updates_from_standard_input(base: Path) -> None:
    update = write(base.parent, "u.ru", f"INSERT DATA {{ {LAMP} 'on' }}")
    shown = run_well("record", base, update, "-", stdin=b"CLEAR GRAPH <urn:kitchen>").text
    assert shown == f'TX .\nA {LAMP} "on" .\nTC .\nTX .\nD {LAMP} "off" <urn:kitchen> .\nTC .\n'
    ended = run("record", base, "-", stdin=b"CLEAR NONSENSE")
    assert (ended.code, ended.err.split(":")[:2]) == (1, ["jellyp", " standard input"])
    assert run("record", "-", "-", "--base-format", "nq").code == 2
    assert run("record", base, "-", "-").code == 2
