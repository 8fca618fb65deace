"""Writes the outcomes of a run as an EARL report, with DOAP metadata about the package."""

import datetime
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rdflib import Literal

import jelly_rdflib
from conformance.report import assertion
from tests.conformance.manifest import BASE
from tests.conformance.run import Outcome

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest depends on this package.

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"

SUBJECT = "pkg:pypi/jelly-rdflib"
"""The package URL (purl) of the package."""

_HEAD = """\
@prefix dc: <http://purl.org/dc/terms/> .
@prefix doap: <http://usefulinc.com/ns/doap#> .
@prefix earl: <http://www.w3.org/ns/earl#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<{subject}> a doap:Project, earl:Software, earl:TestSubject ;
    doap:name {name} ;
    doap:shortdesc {description} ;
    doap:programming-language {languages} ;
    doap:license <https://spdx.org/licenses/{license}> ;
    doap:developer [ a foaf:Agent ; foaf:name {author} ] ;
    doap:release [
        a doap:Version ;
        doap:name {release} ;
        doap:revision {version}
    ] .

_:runner a earl:Assertor, earl:Software ;
    dc:title "python -m tests.conformance" ;
    dc:isPartOf <{subject}> .

<{suite}> dc:title "Jelly-RDF conformance test suite, {count} cases" ;
    dc:identifier "sha256:{digest}"{commit} .
"""


def _project() -> dict[str, Any]:
    with PROJECT.open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def turtle(
    outcomes: Sequence[Outcome], date: datetime.date, digest: str, commit: str | None = None
) -> str:
    """Return the report in Turtle, with assertions in the order of the outcomes.

    Args:
        outcomes: The outcomes of the cases.
        date: The date of the run.
        digest: The SHA-256 of the suite's files.
        commit: The commit of the suite's checkout, if it is known.
    """
    project = _project()
    classifiers = [classifier.split(" :: ") for classifier in project["classifiers"]]
    languages = dict.fromkeys(
        Literal(parts[1]).n3() for parts in classifiers if parts[0] == "Programming Language"
    )
    text = _HEAD.format(
        subject=SUBJECT,
        name=Literal(project["name"]).n3(),
        description=Literal(project["description"]).n3(),
        languages=", ".join(languages),
        license=project["license"],
        author=Literal(project["authors"][0]["name"]).n3(),
        release=Literal(f"{project['name']} {jelly_rdflib.__version__}").n3(),
        version=Literal(jelly_rdflib.__version__).n3(),
        suite=BASE,
        count=len(outcomes),
        digest=digest,
        commit="" if commit is None else f' ;\n    dc:hasVersion "{commit}"',
    )
    for outcome in outcomes:
        remarks = [*outcome.case.notes, *([] if outcome.passed else [str(outcome.reason)])]
        word = "passed" if outcome.passed else "failed"
        text += assertion(outcome.case.iri, SUBJECT, word, date, "; ".join(remarks))
    return text
