"""`validate` finds all faults in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.text import TextBatchReader
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.inspection.encoded_input import EncodedInput, error_fields
from jelly_rdflib.inspection.validation.faults import Fault, Faults, Finding
from jelly_rdflib.inspection.validation.operation_rules import PatchRules, TermRules
from jelly_rdflib.inspection.validation.stream_rules import StreamRules
from jelly_rdflib.options import Limits
from jelly_rdflib.types import ChangeFormat, Readable, StatementFormat

# Findings are located in groups of this size, since locating them scans the whole frame each time.
_LOCATED = 1 << 16


def validate(
    source: Readable,
    *,
    limits: Limits | None = None,
    format: ChangeFormat | StatementFormat | None = None,
    isolated: bool = False,
) -> list[Fault]:
    r"""Find all faults in a file, including those that readers accept.

    The rules are the members of `jelly_rdflib.Rule`. Reading continues after a fault if later rows
    still make sense. In RDF Patch text a faulty row is skipped, up to its dot or to the next line
    that starts like a row. In Jelly, reading continues after a fault that does not affect later
    rows, such as a transaction that starts twice. A damaged frame, message or lookup affects later
    rows, so this fault is the last one. Jelly as text is checked as the frames that it describes,
    so a fault has the numbers of its frame and row. A fault that may be in every row is reported
    once: each kind of unexpected field once per stream, a faulty term once, misplaced headers once
    per patch. Memory is bounded by the largest frame and the returned faults. ``jellyp validate``
    shows each fault when it is found, and keeps none.

    Args:
        source: What to read: bytes, a path or a binary file; see `jelly_rdflib.read_batches`.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_batches`. If this or the file's extension names Jelly-Patch,
            Jelly-RDF is a fault.
        isolated: Whether to parse a text in a child process; see `jelly_rdflib.read_batches`.

    Returns:
        A list of `Fault`, roughly in the order of the input; empty for a valid file. Printed, or
        shown in a notebook, it has a line for each fault.

    Raises:
        TypeError: ``source`` has an unsupported type.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.
        NotImplementedError: ``isolated`` is not possible here; see `jelly_rdflib.read_batches`.

    See Also:
        - `inspect`: counts of a file's content.

    Examples:
        >>> text = b'''H id <uuid:1> .
        ... TX .
        ... A <http://example.org/s> <p> "o .
        ... A <http://example.org/s> <p> "o" .
        ... TC .
        ... TC .
        ... '''
        >>> for fault in validate(text):
        ...     print(fault.line, fault.severity, fault.message)
        1 warning header id has no UUID: <uuid:1>
        3 error line break in a string: use triple quotes, or \n
        4 warning IRI <p> is relative: it has no scheme
        6 error transaction ends, but none was started
        >>> validate(b"TX . TC .")
        no faults
    """
    return Faults(find_faults(source, limits=limits, format=format, isolated=isolated))


def find_faults(
    source: Readable,
    *,
    limits: Limits | None = None,
    format: ChangeFormat | StatementFormat | None = None,
    isolated: bool = False,
) -> Iterator[Fault]:
    """Return an iterator of the faults that `validate` returns, each as soon as it is found."""
    errors: list[DecodeError] = []
    input_ = EncodedInput(
        source,
        as_frames=True,
        limits=limits,
        format=format,
        isolated=isolated,
        is_exact=True,
        faults=errors,
    )
    faults = _Validator(input_, errors).run()
    return _without_offsets(faults) if input_.is_frame_text else faults


def _without_offsets(faults: Iterator[Fault]) -> Iterator[Fault]:
    """Drop the offsets of faults without a line: these are offsets in frames, not in the text."""
    for fault in faults:
        yield fault if fault.line is not None else replace(fault, offset=None)


def _offset(fault: Fault) -> int:
    return fault.offset or 0


_row = attrgetter("row")


class _Validator:
    """Reads and checks an input; the reader adds errors that it recovers from to ``errors``."""

    def __init__(self, input_: EncodedInput, errors: list[DecodeError]) -> None:
        self._input = input_
        self._batches = input_.batches
        self._errors = errors
        self._frames = None if input_.statistics is None else StreamRules(input_.statistics)
        self._terms = TermRules(may_be_generalized=self._frames is not None)
        self._patches = PatchRules()
        # The number of operations before the current batch.
        self._operations = 0

    def run(self) -> Iterator[Fault]:
        """Find the faults."""
        try:
            for batch in self._batches:
                faults = [*self._take_errors()]
                if self._frames is not None:
                    faults += self._frames.take(batch, self._batches.options)
                faults.sort(key=_offset)
                # Merge the findings without making a list, since very many rows may have some.
                yield from merge(faults, self._locate(self._find(batch)), key=_offset)
                self._operations += len(batch)
            yield from self._take_errors()
            if self._frames is not None:
                yield from self._frames.finish()
        except DecodeError as error:
            self._errors.append(error)
            yield from self._take_errors()
        finally:
            self._batches.close()

    def _take_errors(self) -> Iterator[Fault]:
        for error in self._errors:
            yield Fault(rule=error.rule, **error_fields(error))
        self._errors.clear()

    def _find(self, batch: Batch) -> Iterator[Finding]:
        """Find faulty operations, in the order of their rows."""
        terms = sorted(self._terms.take(batch), key=_row)
        format = self._input.format
        if format is not None and not format.holds_changes:
            return iter(terms)
        return merge(terms, self._patches.take(batch), key=_row)

    def _locate(self, findings: Iterator[Finding]) -> Iterator[Fault]:
        """Turn findings into faults, with their positions in the input."""
        while some := list(islice(findings, _LOCATED)):
            places = self._places([finding.row for finding in some])
            for finding, place in zip(some, places, strict=True):
                yield Fault(rule=finding.rule, message=finding.message, **place)

    def _places(self, rows: list[int]) -> list[dict[str, Any]]:
        if self._frames is not None:
            return self._frames.places(rows)
        if isinstance(self._batches, TextBatchReader):
            names = ("offset", "line", "column")
            return [dict(zip(names, place, strict=True)) for place in self._batches.locate(rows)]
        return [{"row": self._operations + row + 1} for row in rows]
