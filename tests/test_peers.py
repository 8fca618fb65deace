"""``make test-peers``, with a suite of its own."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from tests.peers import __main__ as peers
from tests.peers.both_stores import run_with_both_stores
from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c import run as run_w3c


def suite(monkeypatch: pytest.MonkeyPatch, *outcomes: Outcome) -> None:
    module = types.ModuleType("suite_for_a_test")
    vars(module).update(run=lambda checkout: outcomes, KNOWN=[Known("a/*", "it is known.")])
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(peers.SUITES, "own", (module.__name__, "nowhere"))


@pytest.mark.parametrize(
    ("outcomes", "code", "shown"),
    [
        ([Outcome("a/1"), Outcome("a/2", "no")], 0, "1 differ as is known: it is known."),
        ([Outcome("a/1"), Outcome("b/2", "no")], 1, "own: DIFFERS b/2: no"),
        ([], 1, "0 tests"),
    ],
)
def test_differences(
    outcomes: list[Outcome],
    code: int,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suite(monkeypatch, *outcomes)
    assert peers.main(["--own", str(tmp_path)]) == code
    assert shown in capsys.readouterr().out


def test_wrong_use(tmp_path: Path) -> None:
    assert peers.main([]) == peers.main(["--w3c", str(tmp_path / "none")]) == 2


MANIFEST = """
@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .
@prefix ut: <http://www.w3.org/2009/sparql/tests/test-update#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix t: <http://www.w3.org/ns/rdftest#> .
"""


def test_w3c(tmp_path: Path) -> None:
    syntax, update = tmp_path / "rdf/rdf11/rdf-turtle", tmp_path / "sparql/sparql11/x"
    for folder in (syntax, update):
        folder.mkdir(parents=True)
    (syntax / "good.ttl").write_text("<s> <p> <o> .")
    (syntax / "manifest.ttl").write_text(
        MANIFEST
        + "<#right> a t:TestTurtlePositiveSyntax ; mf:action <good.ttl> ."
        + "<#wrong> a t:TestTurtleNegativeSyntax ; mf:action <good.ttl> ."
    )
    (update / "a.ttl").write_text("<urn:s> <urn:p> [] .")
    (update / "move.ru").write_text("MOVE DEFAULT TO <urn:g>")
    test = "<#{0}> a mf:UpdateEvaluationTest ; mf:action [ ut:request <move.ru> ; ut:data <a.ttl> ]"
    graph = " ; mf:result [ ut:graphData [ ut:graph <a.ttl> ; rdfs:label '{}' ] ] ."
    (update / "manifest.ttl").write_text(
        MANIFEST
        + test.format("right")
        + graph.format("urn:g")
        + test.format("wrong")
        + graph.format("urn:h")
    )
    assert [(each.test, each.difference is None) for each in run_w3c(tmp_path)] == [
        ("rdf11/rdf-turtle/right: JellyStore", True),
        ("rdf11/rdf-turtle/right: Memory", True),
        ("rdf11/rdf-turtle/wrong: JellyStore", False),
        ("rdf11/rdf-turtle/wrong: Memory", False),
        ("update/x/right: jellyp record", True),
        ("update/x/right: Memory", True),
        ("update/x/wrong: jellyp record", False),
        ("update/x/wrong: Memory", False),
    ]


TESTS_OF_OTHERS = """
import pytest
from rdflib import BNode, Graph, Variable

def test_both(): assert len(Graph()) == 0
def test_neither(): assert 0
def test_memory_alone(): Graph().add((Variable("x"), Variable("x"), Variable("x")))
@pytest.mark.parametrize("node", [BNode()], ids=str)
def test_with_another_name_each_time(node): pass
"""


def test_tests_with_both_stores(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS_OF_OTHERS)
    (tmp_path / "test_imports.py").write_text(
        "from rdflib import Graph; assert type(Graph().store).__name__ == 'Memory'"
    )
    found = {each.test: each.difference for each in run_with_both_stores(tmp_path)}
    assert found == {
        "test_imports.py": "failed, with Memory None",
        "test_it.py::test_both": None,
        "test_it.py::test_memory_alone": "failed, with Memory passed",
        "test_it.py::test_neither": None,
        "test_it.py::test_with_another_name_each_time[…]": None,
    }
