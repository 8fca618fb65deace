"""Reads the manifests of the suite, which list its cases and their files.

No case is lost: an entry that is not understood becomes a case with a ``problem``, which fails.
"""

import hashlib
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from rdflib import RDF, Graph, Namespace, URIRef
from rdflib.term import Node

SUITE = Path(__file__).with_name("suite")
"""The folder with the cases that this project includes."""
CASES = 119
"""The number of these cases."""

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
JELLYT = Namespace("https://w3id.org/jelly/dev/tests/vocab#")
BASE = "https://w3id.org/jelly/dev/tests/"
"""The base IRI of a manifest that does not set one."""

_DIRECTIONS = {JELLYT.TestRdfFromJelly: "from_jelly", JELLYT.TestRdfToJelly: "to_jelly"}
_POLARITIES = {JELLYT.TestPositive: True, JELLYT.TestNegative: False}
_SUPERCLASSES = {JELLYT.Test, JELLYT.TestRdf}


class SuiteError(Exception):
    """Raised when a folder has no suite to run."""


@dataclass
class Case:
    """One case of the suite.

    Attributes:
        iri: The IRI of the case in the manifest.
        direction: ``"from_jelly"`` or ``"to_jelly"``.
        positive: Whether the case has to succeed.
        action, result: The input files, and the files with the expected result.
        problem: Why the case can't be run, or None.
        notes: Oddities of the case, for the report.
    """

    iri: str
    direction: str = ""
    positive: bool = True
    action: list[Path] = field(default_factory=list)
    result: list[Path] = field(default_factory=list)
    problem: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The IRI of the case, without the base that all cases share."""
        return self.iri.removeprefix(BASE)


def find_suite(folder: Path) -> Path:
    """Return the suite in a folder, which may be a checkout of the suite's repository."""
    inner = folder / "test" / "rdf"
    return inner if inner.is_dir() else folder


def read_suite(folder: Path) -> list[Case]:
    """Return the cases of all manifests below a folder, in the manifests' order.

    Raises:
        SuiteError: The folder has no cases, or a manifest can't be read.
    """
    cases: list[Case] = []
    for path in sorted(folder.rglob("manifest.ttl")):
        cases += _read_manifest(path, path.relative_to(folder).as_posix())
    if not cases:
        raise SuiteError(f"no manifest.ttl with cases in {folder}")
    return cases


def _read_manifest(path: Path, name: str) -> list[Case]:
    graph = Graph()
    try:
        graph.parse(path, format="turtle", publicID=BASE + name)
    except Exception as error:  # rdflib's parsers raise many kinds of exceptions.
        raise SuiteError(f"{name} can't be read: {error}") from error
    entries: dict[Node, None] = {}
    bases = []
    for manifest in sorted(graph.subjects(RDF.type, MF.Manifest), key=str):
        bases.append(str(manifest).rpartition("/")[0] + "/")
        for entry_list in graph.objects(manifest, MF.entries):
            entries.update(dict.fromkeys(graph.items(entry_list)))
    if len(bases) != 1:
        raise SuiteError(f"{name} has {len(bases)} manifests in it")
    # A test is run even if it is in no list.
    kinds = [*_DIRECTIONS, *_POLARITIES, *_SUPERCLASSES]
    tests = {node for kind in kinds for node in graph.subjects(RDF.type, kind)}
    entries.update(dict.fromkeys(sorted(tests, key=str)))
    cases = [_read_case(graph, node, _Files(path.parent, bases[0], node)) for node in entries]
    return cases + _cases_without_entry(path.parent, bases[0], cases)


def _cases_without_entry(folder: Path, base: str, cases: list[Case]) -> list[Case]:
    """Return a case for each folder that has Jelly files but no case in the manifest."""
    named = {unquote(case.iri.removeprefix(base)) for case in cases}
    found = {path.parent.relative_to(folder).as_posix() for path in folder.rglob("*.jelly")}
    return [
        Case(base + quote(name), problem="no manifest names it") for name in sorted(found - named)
    ]


def digest(folder: Path, cases: list[Case]) -> str:
    """Return the SHA-256 of a suite's manifests and of the files of its cases.

    A missing file is left out: its case fails. The digest does not depend on the path of
    the suite's folder.
    """
    files = {path for case in cases for path in (*case.action, *case.result) if path.is_file()}
    manifests = set(folder.rglob("manifest.ttl"))
    files |= manifests
    top = os.path.commonpath([path.parent for path in manifests])
    result = hashlib.sha256()
    for name, path in sorted((path.relative_to(top).as_posix(), path) for path in files):
        content = path.read_bytes()
        result.update(f"{name} {len(content)}\n".encode() + content)
    return result.hexdigest()


def commit(folder: Path) -> str | None:
    """Return the commit of the checkout that a folder belongs to, or None.

    The result is None if files in the folder were changed, if the repository ignores the folder,
    and for the project's own cases, which are only a part of the suite.
    """
    if folder.resolve() == SUITE:
        return None

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    manifests = [str(path.relative_to(folder)) for path in folder.rglob("manifest.ttl")]
    try:
        git("ls-files", "--error-unmatch", "--", *manifests)
        return None if git("status", "--porcelain", ".") else git("rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None


class _Files:
    """Finds the files of a case."""

    def __init__(self, folder: Path, base: str, case: Node) -> None:
        self.folder = folder
        self.base = base
        self.case = case
        self.problems: list[str] = []
        self.notes: list[str] = []

    def path(self, node: Node) -> Path:
        name = self.relative(node)
        path = self.folder / name
        if not path.is_file():
            # In two entries, the suite's manifest names the folder of another case.
            own = self.folder / self.relative(self.case) / path.name
            if own.is_file():
                self.notes.append(f"{name} is not there: used {own.relative_to(self.folder)}")
                return own
            self.problems.append(f"{name} is not there")
        return path

    def relative(self, node: Node) -> str:
        name = unquote(str(node).removeprefix(self.base))
        if not str(node).startswith(self.base) or ".." in name.split("/"):
            self.problems.append(f"{node} is not in the manifest's folder")
            return "?"
        return name


def _read_case(graph: Graph, node: Node, files: _Files) -> Case:
    if not isinstance(node, URIRef):
        raise SuiteError(f"a case has no IRI: {node.n3()}")
    case = Case(str(node))
    types = set(graph.objects(node, RDF.type))
    directions = [value for kind, value in _DIRECTIONS.items() if kind in types]
    polarities = [value for kind, value in _POLARITIES.items() if kind in types]
    known = _DIRECTIONS.keys() | _POLARITIES.keys() | _SUPERCLASSES
    if len(directions) != 1 or len(polarities) != 1 or types - known:
        names = ", ".join(sorted(str(kind) for kind in types)) or "no type"
        case.problem = f"a case of a kind that is not known: {names}"
        return case
    case.direction, case.positive = directions[0], polarities[0]
    for field_name, predicate in (("action", MF.action), ("result", MF.result)):
        values = list(graph.objects(node, predicate))
        if len(values) > 1:
            files.problems.append(f"more than one {field_name}")
        for value in values[:1]:
            is_list = value == RDF.nil or (value, RDF.first, None) in graph
            members = list(graph.items(value)) if is_list else [value]
            setattr(case, field_name, [files.path(member) for member in members])
    if case.direction == "from_jelly" and len(case.action) != 1:
        files.problems.append("an action is one file")
    if case.direction == "to_jelly" and len(case.action) < 2:
        files.problems.append("an action is the options and one or more files")
    if case.direction == "to_jelly" and case.positive and len(case.result) != 1:
        files.problems.append("a result is one file")
    if case.positive and not case.result:
        files.problems.append("no result to compare with")
    case.problem = "; ".join(files.problems) or None
    case.notes = files.notes
    return case
