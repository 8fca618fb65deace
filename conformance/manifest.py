"""Write the manifests of the suite from the cases, and read them for a run.

No case is lost: a folder that no manifest names is an error, and so is a missing file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from rdflib import RDF, RDFS, Graph, Literal, Namespace
from rdflib.term import Node

from conformance import VERSION
from conformance.cases.case import Case
from conformance.reader import is_bare

__all__ = ["CASES", "KINDS", "SUITE", "Entry", "SuiteError", "read_suite", "write_manifest"]

CASES = Path(__file__).resolve().with_name("patch")
"""The folder of the cases."""
SUITE = f"pkg:pypi/jelly-patch-conformance@{VERSION}#patch/"
"""The common prefix of the IRIs of cases in reports."""

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
JELLYT = Namespace("https://w3id.org/jelly/dev/tests/vocab#")
JPT = Namespace("pkg:pypi/jelly-patch-conformance#")
RULE = Namespace(JPT + "rule/")

KINDS = {
    "from_jelly": JPT.TestPatchFromJelly,
    "to_jelly": JPT.TestPatchToJelly,
    "round_trip": JPT.TestPatchRoundTrip,
}
"""The folders, and the class of the tests in each."""

_LABELS = {
    "from_jelly": "Jelly-Patch test cases: from Jelly to operations",
    "to_jelly": "Jelly-Patch test cases: from operations to Jelly",
    "round_trip": "Jelly-Patch test cases: from Jelly to operations, and back",
}
_HEAD = """\
PREFIX dct:    <http://purl.org/dc/terms/>
PREFIX jellyt: <https://w3id.org/jelly/dev/tests/vocab#>
PREFIX jpt:    <pkg:pypi/jelly-patch-conformance#>
PREFIX mf:     <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#>
PREFIX owl:    <http://www.w3.org/2002/07/owl#>
PREFIX rdfs:   <http://www.w3.org/2000/01/rdf-schema#>
PREFIX rule:   <pkg:pypi/jelly-patch-conformance#rule/>

# Made by python -m conformance.generate.

"""


class SuiteError(Exception):
    """The suite is missing or incomplete."""


# -- writing -------------------------------------------------------------------------------------


def _requirements(options: dict[str, Any]) -> list[str]:
    found = [
        f"jpt:requirementStreamType{options['stream_type'].capitalize()}",
        f"jpt:requirementStatementType{options['statement_type'].capitalize()}",
    ]
    if options["rdf_star"]:
        found.append("jellyt:requirementRdfStar")
    if options["generalized_statements"]:
        found.append("jellyt:requirementGeneralizedRdf")
    return found


def write_manifest(kind: str, cases: list[Case], texts: Iterable[str]) -> str:
    """Return the manifest of a folder in Turtle.

    Args:
        kind: The folder, one of `KINDS`.
        cases: The cases of the folder.
        texts: The names of the cases that have RDF Patch text.
    """
    texts = set(texts)
    twins = {case.name: case for case in cases}
    entries = "".join(f"        <{case.name}>\n" for case in cases)
    out = (
        f"{_HEAD}<manifest> a mf:Manifest ;\n    rdfs:label {Literal(_LABELS[kind]).n3()} ;\n"
        f'    owl:versionInfo "{VERSION}" ;\n'
        "    dct:license <https://spdx.org/licenses/MIT-0> ;\n"
        f"    mf:entries (\n{entries}    ) .\n"
    )
    for case in cases:
        positive = "Positive" if case.refusal is None else "Negative"
        document = (twins[case.repaired] if case.repaired else case).document
        assert document is not None
        rows = [
            f"a jellyt:Test{positive}, jpt:{KINDS[kind].removeprefix(JPT)}",
            f"mf:name {Literal(case.name.replace('/', ': ').replace('_', ' ')).n3()}",
            f"rdfs:comment {Literal(case.comment).n3()}",
            f"jpt:rule {', '.join(f'rule:{name}' for name in case.rules)}",
            f"mf:requires {', '.join(_requirements(document['options']))}",
        ]
        if case.refusal is not None:
            rows.append(f"jpt:breaks rule:{case.rules[0]} ; jpt:refusal jpt:{case.refusal}")
            rows.append(f"jpt:repaired <{case.repaired}>")
        if kind == "to_jelly":
            rows.append(f"mf:action <{case.name}/in.json>")
        else:
            folder = "../from_jelly/" if kind == "round_trip" else ""
            assert case.data is not None
            if is_bare(case.data):
                rows.append("mf:notable jellyt:featureNonDelimited")
            rows.append(f"mf:action <{folder}{case.name}/in.jellyp>")
            if case.document is not None:
                rows.append(f"mf:result <{folder}{case.name}/out.json>")
            if case.name in texts:
                rows.append(f"jpt:text <{folder}{case.name}/out.rdfp>")
        out += f"\n<{case.name}> " + " ;\n    ".join(rows) + " .\n"
    return out


# -- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A case, read from a manifest.

    Args:
        name: The kind, folder and name, as in ``from_jelly/frames/pos_bare``.
        kind: One of `KINDS`.
        rules: The names of the rules; a negative case breaks the first one.
        refusal: ``"must"``, ``"lossy"``, ``"should"``, ``"may"``, or None if the case must not be
            refused.
        repaired: The name of the same case without its fault.
        comment: The feature or fault that the case shows.
        action: The file to read.
        result: The document to compare with, if any.
    """

    name: str
    kind: str
    rules: tuple[str, ...]
    refusal: str | None
    repaired: str | None
    comment: str
    action: Path
    result: Path | None

    @property
    def iri(self) -> str:
        """The case's IRI."""
        return SUITE + self.name


def read_suite(folder: Path = CASES) -> list[Entry]:
    """Return all cases below a folder.

    Raises:
        SuiteError: A manifest is missing or can't be read, a file that it names is missing, or no
            manifest names the folder of a case.
    """
    entries: list[Entry] = []
    for kind in KINDS:
        entries += _read_manifest(folder, kind)
    named = {entry.action for entry in entries}
    found = {*folder.rglob("in.jellyp"), *folder.rglob("in.json")}
    for path in sorted(found - named):
        raise SuiteError(f"no manifest names {path.relative_to(folder)}")
    return entries


def _read_manifest(folder: Path, kind: str) -> list[Entry]:
    path = folder / kind / "manifest.ttl"
    root = folder.resolve().as_uri() + "/"
    graph = Graph()
    try:
        graph.parse(path, format="turtle", publicID=f"{root}{kind}/manifest.ttl")
    except Exception as error:  # rdflib's parsers raise all kinds of exceptions
        raise SuiteError(f"{kind}/manifest.ttl can't be read: {error}") from error
    listed = [node for entries in graph.objects(None, MF.entries) for node in graph.items(entries)]
    tests = set(graph.subjects(RDF.type, KINDS[kind]))
    if not listed or set(listed) != tests or len(listed) != len(tests):
        raise SuiteError(f"{kind}/manifest.ttl does not list each of its tests once")
    return [_read_entry(graph, node, kind, root, folder) for node in listed]


def _read_entry(graph: Graph, node: Node, kind: str, root: str, folder: Path) -> Entry:
    def name(value: Any) -> str:
        return unquote(str(value).removeprefix(root))

    def file(predicate: Any) -> Path | None:
        value = graph.value(node, predicate)
        if value is None:
            return None
        path = folder / name(value)
        if not path.is_file():
            raise SuiteError(f"{name(value)} is missing")
        return path

    types = set(graph.objects(node, RDF.type)) - {KINDS[kind]}
    if types not in ({JELLYT.TestPositive}, {JELLYT.TestNegative}):
        raise SuiteError(f"{name(node)} is neither a positive nor a negative test")
    refusal = graph.value(node, JPT.refusal)
    if (refusal is None) != (types == {JELLYT.TestPositive}):
        raise SuiteError(f"{name(node)}: negative tests, and no others, say how far it is refused")
    action, result = file(MF.action), file(MF.result)
    if action is None or (result is None and refusal is None and kind != "to_jelly"):
        raise SuiteError(f"{name(node)} lacks a file to read, or one to compare with")
    repaired = graph.value(node, JPT.repaired)
    rules = [str(rule).removeprefix(RULE) for rule in graph.objects(node, JPT.rule)]
    broken = str(graph.value(node, JPT.breaks)).removeprefix(RULE)
    return Entry(
        name=name(node),
        kind=kind,
        rules=tuple(sorted(rules, key=lambda rule: (rule != broken, rule))),
        refusal=None if refusal is None else str(refusal).removeprefix(JPT),
        repaired=None if repaired is None else name(repaired),
        comment=str(graph.value(node, RDFS.comment)),
        action=action,
        result=result,
    )
