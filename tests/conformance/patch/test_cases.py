"""Tests the cases: the committed files are current, and two readers agree with each case."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from conformance import document, reader
from conformance import schema as pb
from conformance.cases import Case, all_cases
from conformance.document import Plain
from conformance.generate import files
from conformance.manifest import CASES
from conformance.rules import RULES
from conformance.schema import PROTO_DIR
from tests.conformance.patch.package import to_document
from tests.oracle import decoder
from tests.support import ROOT

ALL = all_cases()
READ = [case for case in ALL if case.data is not None]
# Readers may accept streams that break these rules.
UNSEEN = {"iri", "language-tag", "prefix-name"}


def test_the_committed_cases_are_those_that_are_made() -> None:
    made = files(ALL)
    committed = {
        path.relative_to(CASES).as_posix(): path.read_bytes()
        for path in CASES.rglob("*")
        if path.is_file()
    }
    del committed["vocabulary.ttl"]
    assert sorted(committed) == sorted(made)
    assert [name for name in made if made[name] != committed[name]] == []


def test_the_suite_does_not_know_the_package() -> None:
    code = (
        "import conformance.__main__, conformance.generate, conformance.example, sys;"
        "sys.exit('jelly_rdflib' in sys.modules or 'tests' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_copy_of_the_folder_starts(tmp_path: Path) -> None:
    shutil.copytree(PROTO_DIR.parent, tmp_path / "conformance", symlinks=True)
    command = [sys.executable, "-m", "conformance", f"{sys.executable} -m conformance.example"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(
        [*command, "--only", "frames/pos_bare"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.endswith(" cases pass, 0 fail, 0 are not supported\n")


def test_its_schema_is_that_of_the_package() -> None:
    for path in PROTO_DIR.iterdir():
        assert path.read_bytes() == (ROOT / "proto" / path.name).read_bytes()


# -- the rules ------------------------------------------------------------------------------------


def test_each_rule_has_a_case_or_says_why_not() -> None:
    tried = {rule for case in ALL for rule in case.rules}
    assert tried <= RULES.keys()
    assert {name for name, rule in RULES.items() if rule.no_case is None} == tried


# -- the expectations ------------------------------------------------------------------------------


def test_each_negative_case_has_a_twin_that_is_repaired() -> None:
    by_name = {(case.data is None, case.name): case for case in ALL}
    for case in ALL:
        if case.refusal is not None:
            twin = by_name[case.data is None, str(case.repaired)]
            assert (twin.refusal, twin.rules) == (None, case.rules)
            assert (twin.data, twin.document) != (case.data, case.document)


def _suites_reader(case: Case) -> str | None:
    """Return how the suite's reader disagrees with the expectation of a case, or None."""
    assert case.data is not None
    try:
        found = reader.read(case.data)
    except reader.FaultError as error:
        is_right = case.refusal is not None and error.rule in case.rules
        return None if is_right else str(error)
    if case.refusal is not None and not set(case.rules) & UNSEEN:
        return "read"
    return None if case.document is None else document.difference(case.document, found)


def test_the_suites_reader_agrees() -> None:
    wrong = {case.name: _suites_reader(case) for case in READ}
    assert {name: reason for name, reason in wrong.items() if reason} == {}


def _iris(term: Any) -> Iterator[str]:
    if isinstance(term, tuple) and term:
        if term[0] == "iri" or (term[0] == "literal" and term[3] is not None):
            yield term[{"iri": 1, "literal": 3}[term[0]]]
        for part in term:
            yield from _iris(part)


def test_positive_cases_hang_on_no_string_that_is_no_iri() -> None:
    for case in READ:
        if case.refusal is None:
            assert case.data is not None
            assert case.document is not None
            found = list(_iris(tuple(chain(*case.document["patches"]))))
            for part in reader.split(case.data):
                rows = pb.RdfPatchFrame.FromString(part).rows
                found += [row.datatype.value for row in rows if row.WhichOneof("row") == "datatype"]
            assert [iri for iri in found if not re.match(r"[a-z]+:[^ <>]", iri)] == [], case.name


def _patches(operations: list[Plain]) -> list[list[Plain]]:
    """Split operations into patches at each END, and leave out the ENDs."""
    patches: list[list[Plain]] = [[]]
    for operation in operations:
        if operation == ("END",):
            patches.append([])
        else:
            patches[-1].append(operation)
    assert patches.pop() == []
    return patches


def _oracle(case: Case) -> str | None:
    """Return how the oracle disagrees with the expectation of a case, or None."""
    assert case.data is not None
    try:
        found = decoder.read(case.data)
    except decoder.RuleError as error:
        return str(error) if case.refusal is None else None
    except (decoder.Doubt, RecursionError) as error:
        return None if case.refusal == "may" else str(error)
    if case.refusal in ("must", "should"):
        return "read"
    if case.document is None:
        return None
    options = case.document["options"]
    patches = {"options": options, "patches": to_document(_patches(found), options)}
    return document.difference(case.document, patches)


def test_the_oracle_agrees() -> None:
    wrong = {case.name: _oracle(case) for case in READ}
    assert {name: reason for name, reason in wrong.items() if reason} == {}
