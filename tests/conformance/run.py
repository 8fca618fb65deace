"""Decides whether a case passes.

- From Jelly, positive: frame *i* has the statements of the *i*-th file of the result.
- To Jelly, positive: the output has the options of the action's first file, and one frame for each
  other file. The package and the reference decoder read from it the statements of these files,
  which are also those of the result.
- Negative: only the kind of error that the case expects is raised.

Statements are compared in order. Streams are equal if they are isomorphic in this order, as the
suite's vocabulary says: blank nodes may be renamed one to one in the whole stream, because the
suite's own files have different labels. The package's output must keep the labels of its input.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jelly_rdflib as jr
from tests.conformance.manifest import Case
from tests.core.text import reference
from tests.oracle import rdf_decoder
from tests.oracle.terms import Plain, node, plain, with_default_graph
from tests.oracle.wire import read_varint, split

XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

Frames = list[list[Plain]]


class Failure(Exception):
    """Raised when a case fails; the message is the reason."""


@dataclass
class Outcome:
    """The outcome of a case; ``reason`` says why it failed."""

    case: Case
    reason: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the case passed."""
        return self.reason is None


def run(case: Case) -> Outcome:
    """Run `case`; any exception that the case does not expect is a failure."""
    try:
        if case.problem is not None:
            raise Failure(case.problem)
        check = {
            ("from_jelly", True): _from_jelly,
            ("from_jelly", False): _not_from_jelly,
            ("to_jelly", True): _to_jelly,
            ("to_jelly", False): _not_to_jelly,
        }[case.direction, case.positive]
        check(case)
    except Failure as failure:
        return Outcome(case, str(failure))
    except Exception as error:
        return Outcome(case, f"{type(error).__name__}: {error}")
    return Outcome(case)


def _from_jelly(case: Case) -> None:
    expected = [_read_text(path) for path in case.result]
    _compare(_read_jelly(case.action[0]), expected, "expected")


def _not_from_jelly(case: Case) -> None:
    try:
        frames = _read_jelly(case.action[0])
    except jr.DecodeError:
        return
    raise Failure(f"no error, but {len(frames)} frames")


def _to_jelly(case: Case) -> None:
    wanted = _read_options(case.action[0])
    inputs = [_read_text(path) for path in case.action[1:]]
    output = _write(_options(wanted), inputs)
    frames = _delimited_frames(output)
    if len(frames) != len(inputs):
        raise Failure(f"{len(frames)} frames were written of {len(inputs)} inputs")
    for frame in frames:
        for row in rdf_decoder.parse(frame).rows:
            if row.HasField("options") and row.options != wanted:
                raise Failure(f"options differ: {row.options} instead of {wanted}")
    expected = [[_canonical(statement) for statement in frame] for frame in inputs]
    if [frame.statements for frame in rdf_decoder.read(output)] != expected:
        raise Failure("the reference decoder reads something else than was written")
    if _read_jelly(output) != expected:
        raise Failure("the output reads as something else than was written")
    _compare(_read_jelly(output), _read_jelly(case.result[0]), "of the result")


def _not_to_jelly(case: Case) -> None:
    wanted = _read_options(case.action[0])
    inputs = [_read_text(path) for path in case.action[1:]]
    try:
        options = _options(wanted)
    except ValueError as error:
        if type(error) not in (ValueError, jr.EncodeError):
            raise
        return
    try:
        _write(options, inputs)
    except jr.EncodeError:
        return
    raise Failure("no error")


def _read_text(path: Path) -> list[Plain]:
    quads = {".nt": False, ".nq": True}.get(path.suffix)
    if quads is None:
        raise Failure(f"{path.name}: neither N-Triples nor N-Quads")
    lines = path.read_text(encoding="utf-8").split("\n")
    # With an A in front, the suite's statements, also quoted and generalized ones, are rows of
    # RDF Patch.
    rows = "".join(f"A {line}\n" for line in lines if line.strip() and line[0] != "#")
    found = reference.read(rows.encode())
    if found.fault is not None or any(row[4] and not quads for row in found.operations[:-1]):
        raise Failure(f"{path.name}: {found.fault or 'a graph among triples'}")
    added = found.operations[:-1]
    return [with_default_graph(row)[1:] if quads else row[1:4] for row in added]


def _read_jelly(source: Path | bytes) -> Frames:
    frames = []
    for frame in jr.read_frames(source, normalize=False):
        statements = []
        for statement in frame.statements:
            if type(statement) is not tuple:
                raise Failure(f"a statement is not a tuple: {statement!r}")
            statements.append(_canonical(tuple(map(plain, statement))))
        frames.append(statements)
    return frames


def _read_options(path: Path) -> Any:
    """Return the options that a file asks for, as a protobuf message; they may be invalid."""
    frames = map(rdf_decoder.parse, split(path.read_bytes()))
    rows = [row for frame in frames for row in frame.rows]
    options = [row.options for row in rows if row.HasField("options")]
    if len(options) != 1:
        raise Failure(f"{path.name} has {len(options)} options rows")
    return options[0]


def _options(wanted: Any) -> jr.StreamOptions:
    fields = {known.name: getattr(wanted, known.name) for known in wanted.DESCRIPTOR.fields}
    # These limits are so high that frames end only where a file ends.
    return jr.StreamOptions(**fields, frame_rows=1 << 30, frame_bytes=1 << 30)


def _write(options: jr.StreamOptions, frames: Iterable[Iterable[Plain]]) -> bytes:
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for statements in frames:
            for statement in statements:
                writer.write(tuple(map(node, statement)))
            writer.end_frame()
    return file.getvalue()


def _delimited_frames(data: bytes) -> list[bytes]:
    """Split `data` into its frames, each of which must be preceded by its length."""
    frames = []
    at = 0
    while at < len(data):
        size, at = read_varint(data, at)
        frames.append(data[at : at + size])
        at += size
    if at != len(data):
        raise Failure("the output's frames are not delimited, or the last one is cut")
    return frames


def _canonical(term: Plain) -> Plain:
    """Return a term or statement with plain literals for "..."^^xsd:string, as in RDF 1.1."""
    if term[0] == "literal":
        return (*term[:3], None if term[3] == XSD_STRING else term[3])
    return tuple(_canonical(part) if isinstance(part, tuple) else part for part in term)


def _compare(got: Frames, expected: Frames, what: str) -> None:
    expected = [[_canonical(statement) for statement in frame] for frame in expected]
    if len(got) != len(expected):
        raise Failure(f"{len(got)} frames, {len(expected)} {what}")
    for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        if len(ours) != len(theirs):
            raise Failure(f"frame {number}: {len(ours)} statements, {len(theirs)} {what}")
    place = isomorphic(got, expected)
    if place is not None:
        number, index = place
        raise Failure(f"frame {number}, statement {index} is not the one {what}")


def isomorphic(
    got: Sequence[Sequence[Plain]], expected: Sequence[Sequence[Plain]]
) -> tuple[int, int] | None:
    """Compare streams with frames of equal sizes, up to a renaming of blank nodes.

    Returns:
        The position of the first difference (frame, statement), or None if there is none.
    """
    there: dict[str, str] = {}
    back: dict[str, str] = {}

    def same(a: Plain, b: Plain) -> bool:
        if a[0] != b[0]:
            return False
        if a[0] == "bnode":
            return there.setdefault(a[1], b[1]) == b[1] and back.setdefault(b[1], a[1]) == a[1]
        if a[0] == "triple":
            return all(map(same, a[1:], b[1:]))
        return bool(a == b)

    for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if len(a) != len(b) or not all(map(same, a, b)):
                return number, index
    return None
