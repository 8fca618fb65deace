"""Write the outcomes of a run as an EARL report."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from rdflib import Literal, URIRef

from conformance import VERSION
from conformance.check import Outcome
from conformance.manifest import SUITE

__all__ = ["assertion", "turtle"]

_OUTCOMES = {"passed": "passed", "failed": "failed", "unsupported": "inapplicable"}
_HEAD = """\
@prefix dc: <http://purl.org/dc/terms/> .
@prefix doap: <http://usefulinc.com/ns/doap#> .
@prefix earl: <http://www.w3.org/ns/earl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<{subject}> a doap:Project, earl:Software, earl:TestSubject ;
    doap:name {name} ;
    doap:release [ a doap:Version ; doap:revision {revision} ] .

_:runner a earl:Assertor, earl:Software ;
    dc:title "python -m conformance" .

<{suite}> dc:title "Jelly-Patch conformance suite, {count} cases" ;
    dc:hasVersion "{version}" .
"""
_ASSERTION = """
[] a earl:Assertion ;
    earl:test <{test}> ;
    earl:subject <{subject}> ;
    earl:assertedBy _:runner ;
    earl:mode earl:automatic ;
    earl:result [
        a earl:TestResult ;
        earl:outcome earl:{outcome} ;
        dc:date "{date}"^^xsd:date{info}
    ] .
"""


def assertion(test: str, subject: str, outcome: str, date: datetime.date, info: str = "") -> str:
    """Return an assertion in Turtle.

    Args:
        test: The IRI of a case.
        subject: The IRI of the implementation.
        outcome: The name of an EARL outcome.
        date: The date of the run.
        info: A remark about the outcome.
    """
    return _ASSERTION.format(
        test=URIRef(test),
        subject=URIRef(subject),
        outcome=outcome,
        date=date.isoformat(),
        info=f" ;\n        earl:info {Literal(info).n3()}" if info else "",
    )


def turtle(
    outcomes: Sequence[Outcome], *, name: str, revision: str, subject: str, date: datetime.date
) -> str:
    """Return the report in Turtle, with assertions in the order of the outcomes.

    Args:
        outcomes: The outcomes of the cases.
        name: The name of the implementation.
        revision: The version of the implementation.
        subject: The IRI of the implementation.
        date: The date of the run.
    """
    text = _HEAD.format(
        subject=URIRef(subject),
        name=Literal(name).n3(),
        revision=Literal(revision).n3(),
        suite=SUITE,
        count=len(outcomes),
        version=VERSION,
    )
    for outcome in outcomes:
        word = _OUTCOMES[outcome.verdict]
        text += assertion(outcome.entry.iri, subject, word, date, outcome.info)
    return text
