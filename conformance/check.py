"""Decide whether a case passes.

- From Jelly: the decoded document must be the expected one. The runner must refuse a negative case.
  If it only *may* refuse the case, it may also decode the expected document, if the case has one.
- To Jelly: the bytes must follow every rule, have the options, and encode the document. The runner
  must read its own bytes, too. It must refuse a negative case. If it only *may* refuse the case, it
  may also correct the options: then the bytes must follow every rule and have the patches.
- Round trip: the decoded document is encoded again, and both results must be as above.

A crash, a time-out and an output that is not a document are always failures.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conformance.document import Document, difference, load
from conformance.manifest import Entry
from conformance.reader import FaultError, Reader
from conformance.runner import Answer, Runner

__all__ = ["Outcome", "check", "check_bytes"]

Verdict = Literal["passed", "failed", "unsupported"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case.

    Args:
        entry: The case.
        verdict: Whether it passed.
        info: The reason for a failure, or a remark.
    """

    entry: Entry
    verdict: Verdict
    info: str = ""


class _StopError(Exception):
    def __init__(self, verdict: Verdict, info: str) -> None:
        super().__init__(info)
        self.verdict: Verdict = verdict


def check(entry: Entry, runner: Runner) -> Outcome:
    """Run a case, and return the outcome."""
    try:
        if entry.kind == "from_jelly":
            info = _from_jelly(entry, runner)
        elif entry.refusal in ("must", "lossy"):
            info = _refused(runner.run("encode", entry.action), entry.refusal)
        else:
            info = _to_jelly(entry, runner)
    except _StopError as stop:
        return Outcome(entry, stop.verdict, str(stop))
    return Outcome(entry, "passed", info)


def check_bytes(data: bytes, document: Document) -> list[str]:
    """Check the bytes that a producer wrote for a document.

    Returns:
        The names of SHOULD rules that the bytes break.

    Raises:
        ValueError: The bytes break a MUST rule, have other options, or encode another document.
    """
    reader = Reader()
    try:
        found = reader.read(data)
    except FaultError as error:
        raise ValueError(f"what was written breaks a rule: {error}") from error
    differs = difference(document, found)
    if differs is not None:
        raise ValueError(f"what was written is something else: {differs}")
    return sorted(set(reader.remarks))


def _done(answer: Answer) -> bytes:
    """Return the output of a successful answer; raise for any other answer."""
    if answer.kind == "unsupported":
        raise _StopError("unsupported", answer.message)
    if answer.kind != "ok":
        raise _StopError("failed", f"{answer.kind}: {answer.message}")
    return answer.output


def _document(output: bytes) -> Document:
    try:
        return load(output)
    except ValueError as error:
        raise _StopError("failed", f"the output is not a document: {error}") from error


def _refused(answer: Answer, refusal: str) -> str:
    if answer.kind == "refused":
        return "refused"
    _done(answer)
    words = "lossy: it was written, and can't be without a loss" if refusal == "lossy" else ""
    raise _StopError("failed", words or "it was not refused")


def _from_jelly(entry: Entry, runner: Runner) -> str:
    answer = runner.run("decode", entry.action)
    if entry.refusal in ("must", "should"):
        return _refused(answer, entry.refusal)
    if entry.refusal == "may" and answer.kind == "refused":
        return "refused"
    found = _document(_done(answer))
    if entry.result is not None:
        differs = difference(load(entry.result.read_bytes()), found)
        if differs is not None:
            raise _StopError("failed", differs)
    return "" if entry.refusal is None else "read"


def _to_jelly(entry: Entry, runner: Runner) -> str:
    with tempfile.TemporaryDirectory() as folder:
        source = entry.action
        document = load((entry.result or source).read_bytes())
        if entry.kind == "round_trip":
            source = Path(folder) / "in.json"
            source.write_bytes(_done(runner.run("decode", entry.action)))
            differs = difference(document, _document(source.read_bytes()))
            if differs is not None:
                raise _StopError("failed", differs)
        answer = runner.run("encode", source)
        if entry.refusal == "may":
            if answer.kind == "refused":
                return "refused"
            del document["options"]
        data = _done(answer)
        try:
            remarks = check_bytes(data, document)
        except ValueError as error:
            raise _StopError("failed", str(error)) from error
        written = Path(folder) / "out.jellyp"
        written.write_bytes(data)
        answer = runner.run("decode", written)
        if answer.kind != "unsupported":
            differs = difference(document, _document(_done(answer)))
            if differs is not None:
                raise _StopError("failed", f"it reads its own output differently: {differs}")
    if entry.refusal == "may":
        return "written"
    return f"not kept: {', '.join(remarks)}" if remarks else ""
