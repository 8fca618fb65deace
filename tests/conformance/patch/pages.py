"""Runs the suite and writes its pages: ``python -m tests.conformance.patch.pages JELLY_JVM``.

It writes an EARL report for each implementation, and the page ``jelly-patch.md`` with the table of
rules and implementations, to ``docs/conformance``. JELLY_JVM is a checkout of Jelly-JVM.
"""

import argparse
import datetime
import logging
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rdflib import RDF, Graph, Namespace

import jelly_rdflib
from conformance import VERSION
from conformance.check import Outcome, check
from conformance.manifest import SUITE, read_suite
from conformance.report import turtle
from conformance.rules import RULES
from conformance.runner import Runner, Server
from tests.conformance.patch import package
from tests.conformance.patch.in_process import InProcess
from tests.interop import jelly_jvm
from tests.interop.jvm import project

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest depends on this package.

EARL = Namespace("http://www.w3.org/ns/earl#")
FOLDER = Path(__file__).resolve().parents[3] / "docs" / "conformance"
JAVA = [sys.executable, "-m", "tests.conformance.patch.java"]
TIMEOUT = 60

_HERE = Path(__file__).parent
DIFFERENCES: dict[str, str] = tomllib.loads((_HERE / "differences.toml").read_text("utf-8"))
_PAGE = (_HERE / "page.md").read_text("utf-8")


class Subject(NamedTuple):
    """An implementation that the suite tests."""

    key: str
    name: str
    iri: str
    revision: str
    runner: Runner


def _subjects(checkout: Path) -> list[Subject]:
    versions = project.versions()
    classpath = jelly_jvm.build(checkout)
    revision = jelly_jvm.revision(checkout)
    return [
        Subject(
            "jelly-rdflib",
            "jelly-rdflib",
            "pkg:pypi/jelly-rdflib",
            jelly_rdflib.__version__,
            InProcess(package.answer),
        ),
        Subject(
            "jelly-jvm",
            "Jelly-JVM",
            "pkg:maven/eu.neverblink.jelly/jelly-jena-patch",
            revision,
            Server([*JAVA, "-cp", classpath], TIMEOUT),
        ),
        Subject(
            "rdf4j",
            "RDF4J",
            "pkg:maven/eu.neverblink.jelly/jelly-rdf4j-patch",
            revision,
            Server([*JAVA, "-Drdf4j=true", "-cp", classpath], TIMEOUT),
        ),
        Subject(
            "java",
            "our Java",
            "pkg:maven/eu.neverblink.jelly/jelly-core",
            f"{versions['Jelly-JVM']}, with Jena {versions['Apache Jena']}",
            Server(JAVA, TIMEOUT),
        ),
    ]


def read_report(key: str) -> dict[str, str]:
    """Return the outcomes in an implementation's report, by name of the case."""
    graph = Graph().parse(FOLDER / f"jelly-patch-{key}.ttl")
    return {
        str(graph.value(assertion, EARL.test)).removeprefix(SUITE): str(
            graph.value(graph.value(assertion, EARL.result), EARL.outcome)
        ).removeprefix(EARL)
        for assertion in graph.subjects(RDF.type, EARL.Assertion)
    }


def page(outcomes: dict[str, list[Outcome]], names: dict[str, str], **values: Any) -> str:
    """Return the page that shows the outcomes.

    Args:
        outcomes: The outcomes of each implementation by its key, in the order of the cases.
        names: The names of the implementations by their keys.
        values: Other values that the page needs.
    """
    first = next(iter(outcomes.values()))
    # The tables must be narrow for phones, so our Java is left out: its results are like those
    # of Jelly-JVM's core.
    shown = {key: found for key, found in outcomes.items() if key != "java"}
    summary = []
    for key, found in outcomes.items():
        counts = Counter(outcome.verdict for outcome in found)
        summary.append(
            f"| {names[key]} | {counts['passed']} of {len(found)} | {counts['failed']} |"
            f" {counts['unsupported']} | [jelly-patch-{key}.ttl](jelly-patch-{key}.ttl) |"
        )
    return _PAGE.format(
        version=VERSION,
        count=len(first),
        **values,
        summary="\n".join(summary),
        differences="\n\n".join(_differences(outcomes, names)),
        unsupported="\n".join(_unsupported(outcomes, names)),
        heads=" | ".join(names[key] for key in shown),
        lines="|".join("---" for _ in shown),
        rows="\n".join(_rule_rows(shown)),
        choices="\n".join(_choices(shown)),
    )


def difference_of(outcome: Outcome) -> str:
    """Return the rule that lists a failure: the rule that was broken, or a rule of the case."""
    told = re.search(r"\[([a-z0-9-]+)\]$", outcome.info)
    if told and told[1] in DIFFERENCES:
        return told[1]
    return next(rule for rule in DIFFERENCES if rule in outcome.entry.rules)


def _differences(outcomes: dict[str, list[Outcome]], names: dict[str, str]) -> Iterator[str]:
    failed: dict[str, dict[str, list[str]]] = {}
    for key, found in outcomes.items():
        for outcome in found:
            if outcome.verdict == "failed":
                cases = failed.setdefault(difference_of(outcome), {})
                cases.setdefault(outcome.entry.name, []).append(names[key])
    for rule in filter(failed.__contains__, RULES):
        groups: dict[str, list[str]] = {}
        for name, who in failed[rule].items():
            groups.setdefault(", ".join(who), []).append(f"`{name}`")
        lists = "\n".join(f"- {who}: {', '.join(cases)}" for who, cases in groups.items())
        yield f"**{rule}**: {DIFFERENCES[rule].strip()}\n\n{lists}"
    if not failed:
        yield "Nothing."


def _unsupported(outcomes: dict[str, list[Outcome]], names: dict[str, str]) -> Iterator[str]:
    for key, found in outcomes.items():
        why = Counter(o.info.rpartition(": ")[2] for o in found if o.verdict == "unsupported")
        for words, count in why.items():
            yield f"- {names[key]}, {count} cases: {words}."


def _rule_rows(outcomes: dict[str, list[Outcome]]) -> Iterator[str]:
    for name, rule in RULES.items():
        cells = []
        for found in outcomes.values():
            about = [o for o in found if name in o.entry.rules]
            passed = sum(o.verdict == "passed" for o in about)
            text = f"{passed} of {len(about)}" if about else "no cases"
            cells.append(text if passed == len(about) else f"**{text}**")
        yield f"| `{name}` | {rule.strength}, {rule.section} | {' | '.join(cells)} |"


def _choices(outcomes: dict[str, list[Outcome]]) -> Iterator[str]:
    for rows in zip(*outcomes.values(), strict=True):
        entry = rows[0].entry
        if entry.refusal == "may":
            cells = [o.info if o.verdict == "passed" else "neither" for o in rows]
            yield f"| `{entry.name.partition('/')[2]}` | {' | '.join(cells)} |"


def main() -> None:
    """Run the suite on all implementations, and write the reports and the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.patch.pages")
    parser.add_argument("jelly_jvm", type=Path, help="a checkout, with its submodule")
    checkout = parser.parse_args().jelly_jvm
    if not any((checkout / "submodules" / "protobuf" / "proto").glob("*.proto")):
        parser.error(f"{str(checkout)!r} is not a checkout of Jelly-JVM with its submodule")
    # rdflib warns about literals whose lexical form is invalid for their datatype.
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    date = datetime.datetime.now(datetime.timezone.utc).date()
    entries = read_suite()
    outcomes, names = {}, {}
    for subject in _subjects(checkout):
        found = [check(entry, subject.runner) for entry in entries]
        subject.runner.close()
        report = turtle(
            found,
            name=subject.name,
            revision=subject.revision,
            subject=subject.iri,
            date=date,
        )
        (FOLDER / f"jelly-patch-{subject.key}.ttl").write_text(report, encoding="utf-8")
        outcomes[subject.key], names[subject.key] = found, subject.name
        passed = sum(outcome.verdict == "passed" for outcome in found)
        print(f"{subject.name}: {passed} of {len(found)} cases pass")
    (FOLDER / "jelly-patch.md").write_text(
        page(outcomes, names, date=date, revision=jelly_jvm.revision(checkout)), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
