"""`split` writes changes to several files: by patch, by transaction, or by size."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias, cast

from jelly_rdflib.algebra.sources import operation_at
from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource
from jelly_rdflib.formats import choose_format
from jelly_rdflib.formats.jelly import JELLY_PATCH
from jelly_rdflib.graph.stores.statements import check_source
from jelly_rdflib.headers import ID, header_key
from jelly_rdflib.operations import Header, Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStreamType
from jelly_rdflib.streams.open_input import open_read
from jelly_rdflib.streams.sources import is_rereadable
from jelly_rdflib.streams.writing import PatchWriter

Unit: TypeAlias = Literal["patch", "transaction", "change"]

# Matches consecutive changes, consecutive headers, or one start or end of a transaction or patch.
_RUN = re.compile(b"[%c%c%c%c]+|%c+|." % (Op.PA, Op.PD, Op.A, Op.D, Op.H), re.DOTALL)
_HEADER_OR_END = re.compile(b"[%c%c]" % (Op.H, Op.END))
# How many changes are encoded at once to measure their size, if cuts are allowed between any of
# them.
_CHUNK = 64
# Bytes reserved for the rows that a cut adds, and for the end of a patch.
_MARGIN = 32
_NO_MAXIMUM = 1 << 62


def split(
    source: Any,
    template: str,
    *,
    by: Unit = "patch",
    max_changes: int | None = None,
    max_bytes: int | None = None,
    options: PatchOptions | None = None,
    limits: Limits | None = None,
    format: str | None = None,
) -> Iterator[str]:
    """Write the changes of a stream to several files, and iterate over their paths.

    ``by`` is the unit that is never cut. Without a maximum each file gets one unit; consecutive
    changes outside of transactions count as a transaction. With a maximum a file gets as many units
    as fit. A unit that is larger than the maximum gets a file of its own. Changes outside of
    transactions may then be cut anywhere.

    If a patch is cut, the first of its files has its headers, except its ``id``: that is in the
    last file, since the patch is complete only there. `concat` restores the patch from the files.
    If a transaction is cut, it becomes several transactions that end in the same way.

    The source is read twice, the first time before any file is written, so that an error in the
    source leaves no files. For this a pipe is kept in a temporary file. Memory holds one frame at
    a time.

    Args:
        source: A source as for `jelly_rdflib.read_operations`: bytes, a path, or a binary file.
        template: The paths of the files, with a field for their number as in `str.format`, such as
            ``"part-{:04}.jellyp"`` or ``"parts/{}.rdfp.gz"``; the first number is 1. The extension
            selects the format. Existing files are replaced.
        by: ``"patch"``, ``"transaction"`` or ``"change"``, which needs a maximum.
        max_changes: How many changes of statements and prefixes a file may have.
        max_bytes: How many bytes a file may have before compression.
        options: The options of Jelly-Patch; by default those of the source if it is Jelly-Patch,
            else `PatchOptions()`.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_operations`.

    Returns:
        An iterator of paths. Each file is complete when its path is returned.

    Raises:
        ValueError: ``by`` or a maximum is not allowed, ``template`` has no field for a number,
            ``by="change"`` lacks a maximum, or a file to be written is ``source`` itself.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        EncodeError: The format or the options can't express an operation; see
            `jelly_rdflib.read_operations` and `jelly_rdflib.PatchWriter`.
        TypeError: ``source`` has an unsupported type.
        LookupError: The format is unknown.
        OSError: A path can't be opened, read or written.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> text = b"TX . A <urn:s> <urn:p> 1 . TC . TX . A <urn:s> <urn:p> 2 . TC ."
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for path in jr.split(text, folder + "/{}.rdfp", by="transaction"):
        ...         print(path.removeprefix(folder), len(list(jr.read_operations(path))))
        /1.rdfp 4
        /2.rdfp 4
    """
    check_template(template)
    how = How(by, max_changes, max_bytes, to=choose_format(template, None, holds_changes=True).name)
    return _write_parts(source, template, how, options, {"limits": limits, "format": format})


def _write_parts(
    source: Any, template: str, how: How, options: PatchOptions | None, reading: dict[str, Any]
) -> Iterator[str]:
    with _rereading(source, reading) as reopen:
        for part in read_parts(reopen, how, options=options):
            path = template.format(part.number)
            if isinstance(source, (str, os.PathLike)) and _is_same_file(path, source):
                raise ValueError(
                    f"{path} is the input, which would be overwritten before it is read"
                )
            with PatchWriter(path, part.options, format=how.to) as writer:
                part.write(writer)
            yield path


def _is_same_file(path: str, other: str | os.PathLike[str]) -> bool:
    """Return whether two paths lead to the same existing file."""
    try:
        return os.path.samefile(path, other)
    except FileNotFoundError:
        return False


def check_template(template: str) -> None:
    """Check that a template of paths has a field for a number."""
    try:
        is_good = template.format(1) != template.format(2)
    except (LookupError, ValueError, AttributeError, TypeError):
        is_good = False
    if not is_good:
        raise ValueError(
            f"{template!r} has no placeholder for a number, as 'part-{{:04}}.jellyp' has"
        )


@dataclass(frozen=True)
class How:
    """How to split: arguments of `split`, and ``to``, the name of the files' format."""

    by: Unit = "patch"
    max_changes: int | None = None
    max_bytes: int | None = None
    # The type is Any, since `PatchWriter` allows options only with names of Jelly-Patch.
    to: Any = JELLY_PATCH.name

    def __post_init__(self) -> None:
        if self.by not in ("patch", "transaction", "change"):
            raise ValueError(f"by is {self.by!r}: it must be 'patch', 'transaction' or 'change'")
        for name in ("max_changes", "max_bytes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if self.by == "change" and not self.has_maximum:
            raise ValueError("by is 'change', which needs max_changes or max_bytes")

    @property
    def has_maximum(self) -> bool:
        """Whether a maximum is set."""
        return self.max_changes is not None or self.max_bytes is not None


class OutputPart(NamedTuple):
    """One file to be written: its number, the number of files, the options, and its rows.

    All rows must be read before the next part. Formats other than Jelly-Patch have no options:
    then ``options`` is None.
    """

    number: int
    total: int
    options: PatchOptions | None
    pieces: Iterator[Batch | Operation]

    def write(self, writer: PatchWriter) -> None:
        """Write the rows."""
        for piece in self.pieces:
            if isinstance(piece, Batch):
                writer.write_all(piece)
            else:
                writer.write(piece)


def read_parts(
    reopen: Callable[[], BatchSource], how: How, *, options: PatchOptions | None = None
) -> Iterator[OutputPart]:
    """Yield the parts of a source, which ``reopen`` opens from its start; options: see `split`."""
    planner = _Planner(how, options)
    with closing(reopen()) as batches:
        for batch in batches:
            planner.take(batch, batches.options)
    if planner.row == 0:
        return
    total = len(planner.cuts) + 1
    with closing(reopen()) as batches:
        pieces = _read_pieces(batches, planner)
        for number in range(1, total + 1):
            yield OutputPart(number, total, planner.options, iter(pieces.__next__, _NEXT_PART))


@contextmanager
def _rereading(source: Any, reading: dict[str, Any]) -> Iterator[Callable[[], BatchSource]]:
    """Yield a function that opens a source from the start each time."""

    def reopen() -> BatchSource:
        opened = open_read(source, normalize=False, **reading)
        if opened is None:
            check_source(source)
            kind = type(source).__name__
            raise TypeError(f"a {kind} can't be split: give bytes, a path or a file")
        return opened

    if is_rereadable(source) or not hasattr(source, "read"):
        yield reopen
        return
    with tempfile.TemporaryFile() as copy:
        if not getattr(source, "seekable", bool)():
            shutil.copyfileobj(cast("Any", source), copy)
            copy.seek(0)
            source = copy
        file = cast("BinaryIO", source)
        start = file.tell()

        def reread() -> BatchSource:
            file.seek(start)
            return reopen()

        yield reread


@dataclass
class _Cut:
    """A cut before a row; if it cuts a transaction, ``end`` is the operation that ends it."""

    row: int
    end: Op | None = None


@dataclass
class _Unit:
    """Rows that must not be cut.

    ``meter`` measures a file with only these rows. ``is_inside`` means that they start inside a
    transaction.
    """

    start: int
    is_inside: bool
    meter: _Meter | None
    changes: int = 0


class _Meter:
    """Counts the bytes of a file without storing them."""

    def __init__(
        self, options: PatchOptions | None, format: Any, *, is_inside: bool = False
    ) -> None:
        self.size = 0
        self._writer = PatchWriter(self, options, format=format)
        if is_inside:
            self._writer.begin()

    def write(self, data: bytes) -> int:
        """Count the bytes."""
        self.size += len(data)
        return len(data)

    def add(self, rows: Batch) -> None:
        """Write rows, and count the written bytes."""
        self._writer.write_all(rows)
        # End the frame, to count its bytes. The real file has larger frames, so it needs no more
        # bytes than this.
        self._writer.encoder.flush()


@dataclass
class _Planner:
    """Finds the rows before which a stream has to be cut."""

    how: How
    options: PatchOptions | None
    row: int = 0
    cuts: list[_Cut] = field(default_factory=list)
    # For each patch that is cut, by the number of its first row: the row of its last cut.
    last_cuts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._is_started = False
        self._is_inside = False
        self._patch_start = 0
        # How many complete units the patch and the part have so far.
        self._patch_units = self._part_units = 0
        self._part_changes = 0
        self._unit: _Unit | None = None
        self._meter: _Meter | None = None
        # Bytes reserved for the patch's id, which moves to the patch's last part.
        self._extra = self._header_size = 0
        self._open_cuts: list[_Cut] = []

    def take(self, batch: Batch, options: Any) -> None:
        """Add the next rows of the stream."""
        if not self._is_started:
            self._start(options)
        for run in _RUN.finditer(bytes(batch.ops)):
            self._take_run(batch, run[0][0], run.start(), run.end())
        self.row += len(batch)

    def _start(self, options: Any) -> None:
        self._is_started = True
        if self.how.to != JELLY_PATCH.name:
            if self.options is not None:
                raise ValueError(f"options are for Jelly-Patch: {self.how.to} has none")
        elif self.options is None:
            self.options = options if isinstance(options, PatchOptions) else PatchOptions()
        self._meter = self._make_meter()

    def _make_meter(self, *, is_inside: bool = False) -> _Meter | None:
        if self.how.max_bytes is None:
            return None
        options = self.options
        if options is not None:
            # Measure another type of stream: a FRAME stream could only be measured by patch.
            options = replace(options, stream_type=PatchStreamType.PUNCTUATED, delimited=True)
        return _Meter(options, self.how.to, is_inside=is_inside)

    def _take_run(self, batch: Batch, op: int, start: int, stop: int) -> None:
        by = self.how.by
        if op == Op.END:
            if self._unit is None and self._patch_units > 0:
                self._feed(batch, start, stop)
            else:
                self._add(batch, start, stop)
                self._close()
            self._patch_start = self.row + stop
            self._patch_units = self._header_size = 0
        elif op == Op.H:
            before = 0 if self._meter is None else self._meter.size
            if self._patch_units > 0 and self._unit is None:
                self._feed(batch, start, stop)
            else:
                self._add(batch, start, stop)
            if self._meter is not None:
                self._header_size += self._meter.size - before
        elif by == "patch":
            self._add(batch, start, stop, changes=(stop - start) * (op not in _MARKS))
        elif op == Op.TX:
            if self._unit is not None and self._unit.changes > 0:
                self._close()
            self._add(batch, start, stop)
            self._is_inside = True
        elif op in (Op.TC, Op.TA):
            self._is_inside = False
            for cut in self._open_cuts:
                cut.end = Op(op)
            self._open_cuts.clear()
            if self._unit is None:
                self._feed(batch, start, stop)
            else:
                self._add(batch, start, stop)
                self._close()
        elif self.how.has_maximum and (by == "change" or not self._is_inside):
            while start < stop:
                chunk = self._next_chunk(stop - start)
                self._add(batch, start, start + chunk, changes=chunk)
                self._close()
                start += chunk
        else:
            self._add(batch, start, stop, changes=stop - start)

    def _next_chunk(self, changes: int) -> int:
        """Return how many changes to add at once; cuts are allowed between any of them."""
        most = self.how.max_changes
        if most is not None:
            changes = min(changes, max(most - self._part_changes, 0) or most)
        return changes if self.how.max_bytes is None else min(changes, _CHUNK)

    def _add(self, batch: Batch, start: int, stop: int, *, changes: int = 0) -> None:
        """Add rows to the open unit, or start a unit with them."""
        if self._unit is None:
            is_first = self._patch_units == 0
            row = self._patch_start if is_first else self.row + start
            meter = self._make_meter(is_inside=self._is_inside)
            self._unit = _Unit(row, self._is_inside, meter)
        self._unit.changes += changes
        self._feed(batch, start, stop)

    def _feed(self, batch: Batch, start: int, stop: int) -> None:
        """Count the bytes of rows."""
        if self._meter is None:
            return
        rows = BatchSlice(batch, start, stop).as_batch()
        self._meter.add(rows)
        if self._unit is not None and self._unit.meter is not None:
            self._unit.meter.add(rows)

    def _close(self) -> None:
        """End the unit, and put it into the part; if it does not fit, cut and start a new part."""
        unit, self._unit = self._unit, None
        assert unit is not None
        if self._part_units > 0 and not self._fits(unit):
            cut = _Cut(unit.start)
            self.cuts.append(cut)
            if unit.is_inside:
                self._open_cuts.append(cut)
            self._extra = 0
            if unit.start != self._patch_start:
                self.last_cuts[self._patch_start] = unit.start
                self._extra = self._header_size
            self._meter = unit.meter
            self._part_changes = 0
        self._part_changes += unit.changes
        self._part_units += 1
        self._patch_units += 1

    def _fits(self, unit: _Unit) -> bool:
        if not self.how.has_maximum:
            return False
        size = 0 if self._meter is None else self._meter.size + self._extra + _MARGIN
        return self._part_changes + unit.changes <= (
            self.how.max_changes or _NO_MAXIMUM
        ) and size <= (self.how.max_bytes or _NO_MAXIMUM)


_MARKS = (Op.TX, Op.TC, Op.TA)
_NEXT_PART: Any = object()


def _read_pieces(batches: BatchSource, plan: _Planner) -> Iterator[Any]:
    """Yield the rows of a stream as batches and operations, with `_NEXT_PART` before each part."""
    cuts = iter(plan.cuts)
    cut = next(cuts, None)
    row = patch_start = 0
    ids: list[Operation] = []
    for batch in batches:
        ops = bytes(batch.ops)
        start = 0
        while start < len(ops):
            if cut is not None and cut.row == row + start:
                if cut.end is not None:
                    yield (cut.end,)
                yield _NEXT_PART
                if plan.last_cuts.get(patch_start) == cut.row:
                    yield from ids
                    ids = []
                if cut.end is not None:
                    yield (Op.TX,)
                cut = next(cuts, None)
            stop = len(ops) if cut is None else min(len(ops), cut.row - row)
            for found in _HEADER_OR_END.finditer(ops, start, stop):
                place = found.start()
                if ops[place] == Op.END:
                    patch_start = row + place + 1
                elif row + place < plan.last_cuts.get(patch_start, 0):
                    header = cast("Header", operation_at(batch, place))
                    if header_key(header[1]) == ID:
                        ids.append(header)
                        if start < place:
                            yield BatchSlice(batch, start, place).as_batch()
                        start = place + 1
            if start < stop:
                yield BatchSlice(batch, start, stop).as_batch()
            start = stop
        row += len(ops)
