"""Finding all faults of a file."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.text import TextBatchReader
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.inspection.encoded_input import EncodedInput
from jelly_rdflib.inspection.validation.faults import Fault, Finding
from jelly_rdflib.inspection.validation.patch_rules import PatchRules
from jelly_rdflib.inspection.validation.stream_rules import StreamRules
from jelly_rdflib.inspection.validation.term_rules import TermRules
from jelly_rdflib.options import Limits

# How many findings are looked up at a time: each time the frame is gone through.
_LOCATED = 1 << 16


def validate(
    source: Any,
    *,
    limits: Limits | None = None,
    format: str | None = None,
    isolated: bool = False,
) -> Iterator[Fault]:
    r"""Find what is wrong with a file: all that readers refuse, and what they put up with.

    The rules are in `jelly_rdflib.inspection.validation.RULES`. Reading goes on after a fault as
    far as that makes sense. In RDF Patch text a row that is wrong is left out, up to its dot or to
    the next line that starts like a row. In Jelly it goes on after what spoils nothing else, such
    as a transaction that starts twice; but where frames, messages or lookups are damaged, what
    follows can't be known, and that fault is the last one. What may go wrong in each row (the kind
    of a field, a term, a place of headers) is told once: of a stream, of the term, of the patch.
    Memory is bounded by the largest frame.

    Args:
        source: As for `jelly_rdflib.read_batches`.
        limits: As for `jelly_rdflib.read_batches`.
        format: As for `jelly_rdflib.read_batches`. Jelly-Patch that is called so, by this or by
            its name, must not be Jelly-RDF.
        isolated: As for `jelly_rdflib.read_batches`.

    Returns:
        An iterator of `Fault`, roughly in the order of the input; without any, the file is good.

    Raises:
        TypeError, LookupError, OSError, NotImplementedError: As by `jelly_rdflib.read_batches`.

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
        1 warning header id has no UUID: 'uuid:1'
        3 error line break in a string: it takes three quotes, or \n
        4 warning IRI 'p' is relative: it has no scheme
        6 error transaction ends, but none was started
    """
    errors: list[DecodeError] = []
    input_ = EncodedInput(
        source, limits=limits, format=format, isolated=isolated, is_exact=True, faults=errors
    )
    return _Validator(input_, errors).run()


def _offset(fault: Fault) -> int:
    return fault.offset or 0


def _row(finding: Finding) -> int:
    return finding.row


class _Validator:
    """Reads an input and holds it against the rules.

    Args:
        input_: The input.
        errors: Takes the errors after which its reader goes on.
    """

    def __init__(self, input_: EncodedInput, errors: list[DecodeError]) -> None:
        self._input = input_
        self._errors = errors
        self._terms = TermRules(may_be_generalized=input_.statistics is not None)
        self._patches = PatchRules()
        self._stream = None if input_.statistics is None else StreamRules(input_.statistics)
        # Operations before the batch.
        self._operations = 0

    def run(self) -> Iterator[Fault]:
        """Find the faults."""
        try:
            yield from self._read()
        except DecodeError as error:
            self._errors.append(error)
            yield from self._take_errors()
        finally:
            self._input.close()

    def _read(self) -> Iterator[Fault]:
        for batch in self._input.batches:
            # Of rows there may be very many, so none waits for the others.
            faults = sorted([*self._take_errors(), *self._take_frame(batch)], key=_offset)
            yield from merge(faults, self._locate(self._find(batch)), key=_offset)
            self._operations += len(batch)
        yield from self._take_errors()
        if self._stream is not None:
            yield from self._stream.finish()

    def _take_errors(self) -> Iterator[Fault]:
        for error in self._errors:
            yield Fault(
                rule="limit" if isinstance(error, LimitError) else "format",
                message=error.message,
                offset=error.offset,
                frame=error.frame,
                row=error.row,
                line=error.line,
                column=error.column,
            )
        self._errors.clear()

    def _take_frame(self, batch: Batch) -> Iterator[Fault]:
        statistics = self._input.statistics
        if statistics is not None and statistics.count():
            assert self._stream is not None
            yield from self._stream.take(batch, self._input.batches.options)

    def _find(self, batch: Batch) -> Iterator[Finding]:
        """Find faults of operations, in the order of their rows."""
        terms = sorted(self._terms.take(batch), key=_row)
        if not self._input.has_changes:
            return iter(terms)
        return merge(terms, self._patches.take(batch), key=_row)

    def _locate(self, findings: Iterator[Finding]) -> Iterator[Fault]:
        """Say where findings are in the input."""
        while some := list(islice(findings, _LOCATED)):
            yield from self._locate_some(some)

    def _locate_some(self, findings: list[Finding]) -> Iterator[Fault]:
        rows = [finding.row for finding in findings]
        places: list[dict[str, int | None]]
        statistics = self._input.statistics
        if statistics is not None:
            frame = statistics.last_frame[0]
            places = [
                {"offset": offset, "frame": frame, "row": row}
                for offset, row in statistics.locate(rows)
            ]
        elif isinstance(self._input.batches, TextBatchReader):
            places = [
                {"offset": offset, "line": line, "column": column}
                for offset, line, column in self._input.batches.locate(rows)
            ]
        else:
            places = [{"row": self._operations + row} for row in rows]
        for finding, place in zip(findings, places, strict=True):
            yield Fault(rule=finding.rule, message=finding.message, **place)
