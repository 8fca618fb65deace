"""Filters for operations: their command-line options, and their application to an input."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, time, timezone
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.input_errors import InputError, check_start
from jelly_rdflib.cli.options import chosen_limits, offer, read_range

if TYPE_CHECKING:
    from jelly_rdflib.cli.inputs import InputArgument
    from jelly_rdflib.core.arrow import RowFilter
    from jelly_rdflib.core.batch import Batch, BatchSlice

DEFAULT_GRAPH = "default"
# The operations that filters can select. Starts and ends of transactions and patches are kept.
OPS = ("A", "D", "PA", "PD", "H")
POSITIONS = {"subject": "s", "predicate": "p", "object": "o", "graph": "g"}

# A prefixed name as in Turtle, or a literal whose datatype is one.
_PREFIXED = re.compile(
    r"""(?P<start>"(?:[^"\\]|\\.)*"\^\^)? (?P<prefix>[^\W\d_][\w.-]*)? :
        (?P<local>[^\s<>"{}|^`\\]*)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class _Term:
    """A term as the user gave it: N-Triples text, or a name with a prefix that the input binds."""

    option: str
    text: str
    prefix: str | None = None
    parts: tuple[str, str] = ("", "")

    def texts(self, iris: Iterable[str]) -> list[str]:
        """Return the term as N-Triples, for each of the IRIs to which its prefix is bound."""
        if self.prefix is None:
            return [self.text]
        start, local = self.parts
        return [f"{start}<{iri}{local}>" for iri in iris]


@dataclass(frozen=True)
class Filters:
    """The filters of a command; an operation must pass all of them.

    ``times`` are the first and the last wanted time, as Unix timestamps. ``terms`` maps a column
    of batches to the set of terms that a row may have in this column.
    """

    ops: frozenset[int] | None = None
    terms: dict[str, tuple[_Term, ...]] = field(default_factory=dict)
    patches: range | None = None
    times: tuple[float, float] | None = None
    frames: range | None = None

    def batches(self, input_: InputArgument, **settings: Any) -> Iterator[Batch]:
        """Read an input, once, and return the operations that pass the filters.

        A transaction or patch that has such operations keeps its start, headers and end.
        ``settings`` are for `open_input`.

        Raises:
            InputError: The input does not bind a prefix of the filters, lacks the patches, times
                or frames that they need, or ends before the wanted ones.
        """
        if self == Filters():
            return input_.batches(**settings)
        return _Filtering(self, input_, settings).run()

    def wants_time(self, seconds: float) -> bool:
        """Return whether a patch with this time passes."""
        return self.times is None or self.times[0] <= seconds <= self.times[1]

    def has_prefixed_names(self) -> bool:
        """Return whether the prefixes of an input must be known."""
        return any(term.prefix is not None for terms in self.terms.values() for term in terms)


class _Filtering:
    """Applies filters to one input."""

    def __init__(self, filters: Filters, input_: InputArgument, settings: dict[str, Any]) -> None:
        from jelly_rdflib.core.arrow import RowSelection

        self.filters = filters
        self.input = input_
        self.settings = settings
        self.limits = chosen_limits()
        self.bound: dict[str, list[str]] = defaultdict(list)
        self.selection = RowSelection(self._make_filter(), self.limits.max_held_operations)
        # The number of the patch that began last, whether it is still open, and whether it is
        # wanted: None until its time is known.
        self.patch = 0
        self.is_open = False
        self.is_wanted: bool | None = True
        self.held: list[BatchSlice] = []
        self.held_rows = 0
        # Whether a transaction is open, and whether it began in the wanted frames or before them.
        self.in_transaction = False
        self.is_done = False

    def run(self) -> Iterator[Batch]:
        filters = self.filters
        if self.input.patches is not None:
            yield from self._run_log(self.input.patches)
        else:
            is_cut = False
            frame = 0
            last: Any = None
            with closing(self.input.batches(**self.settings)) as batches:  # type: ignore[type-var]
                for frame, batch in enumerate(batches, 1):
                    if frame == 1:
                        self._check_input()
                    is_cut = filters.frames is not None and frame >= filters.frames.stop
                    if is_cut:
                        break
                    self._learn_prefixes(batch)
                    if filters.frames is None:
                        yield from self._take(batch)
                    else:
                        yield from self._take_frame(batch, frame)
                    last = batch
                    if self.is_done:
                        break
                if is_cut:
                    yield from self._end_cut(last)
            check_start(filters.frames, frame, "frame", self.input.name)
            check_start(filters.patches, self.patch, "patch", self.input.name)
        for name, values in self._missing():
            raise self._error(
                f"it does not bind the prefix of {name} {values}; an IRI is written '<{values}>'"
            )

    def _run_log(self, patches: Any) -> Iterator[Batch]:
        """Filter the patches of a log; unwanted ones are not read."""
        filters = self.filters
        if filters.frames is not None:
            raise click.UsageError("--frame is for a Jelly file, not for a patch log")
        version = 0
        for entry, batches in patches():
            version = entry.version
            wanted = filters.patches
            is_wanted = (
                wanted is None or (entry.version >= wanted.start and entry.first < wanted.stop)
            ) and (filters.times is None or filters.wants_time(entry.time.timestamp()))
            if not is_wanted and not filters.has_prefixed_names():
                continue
            with closing(batches()) as source:
                for batch in source:
                    self._learn_prefixes(batch)
                    if is_wanted:
                        yield from self.selection.select(batch, 0, len(batch))
        check_start(filters.patches, version, "version", self.input.name)

    def _error(self, message: str) -> Exception:
        return InputError(self.input.name, message)

    def _check_input(self) -> None:
        """Check that the input has the patches, times or frames that the filters need."""
        format, filters = self.input.format, self.filters
        if filters.frames is not None and format.options_type is None:
            raise self._error(f"{format.title} has no frames: --frame is for Jelly")
        if not format.holds_changes:
            if filters.patches is not None:
                raise self._error("it has statements, and no patches: --patch is for changes")
            if filters.times is not None:
                raise self._error("its statements have no times: --since and --until need patches")
            self.selection.keeps_prefixes = filters.ops is None

    def _missing(self) -> Iterator[tuple[str, str]]:
        for terms in self.filters.terms.values():
            for term in terms:
                if term.prefix is not None and not self.bound[term.prefix]:
                    yield term.option, term.text

    def _make_filter(self) -> RowFilter | None:
        from jelly_rdflib.core.arrow import RowFilter, TermCondition
        from jelly_rdflib.nodes import make_node_factory
        from jelly_rdflib.operations import Op

        ops, terms = self.filters.ops, self.filters.terms
        if ops is None and not terms:
            return None
        factory = make_node_factory(False)
        conditions: dict[str, Any] = {}
        for column, wanted in terms.items():
            texts = [term for term in wanted if term.text != DEFAULT_GRAPH or column != "g"]
            values = [text for term in texts for text in term.texts(self.bound[term.prefix or ""])]
            accepts_null = len(texts) < len(wanted)
            conditions[column] = [
                TermCondition(
                    factory, self.limits, values, accepts_null=accepts_null, any_spelling=True
                )
            ]
        # By default match terms only in statements.
        return RowFilter(ops=(Op.A, Op.D) if ops is None else ops, **conditions)

    def _learn_prefixes(self, batch: Batch) -> None:
        """Rebuild the filter if the batch binds a prefix that it uses."""
        from jelly_rdflib.operations import Op

        if not self.filters.has_prefixed_names():
            return
        ops = bytes(batch.ops)
        is_new = False
        row = ops.find(Op.PA)
        while row >= 0:
            prefix, iri = batch.terms.text_of(batch.s[row]), batch.terms.text_of(batch.o[row])
            if any(term.prefix == prefix for each in self.filters.terms.values() for term in each):
                is_new |= iri not in self.bound[prefix]
                self.bound[prefix] = [*dict.fromkeys([*self.bound[prefix], iri])]
            row = ops.find(Op.PA, row + 1)
        if is_new:
            self.selection.filter = self._make_filter()

    def _take_frame(self, batch: Batch, frame: int) -> Iterator[Batch]:
        from jelly_rdflib.operations import Op

        frames: Any = self.filters.frames
        is_first = frame == frames.start
        if is_first and self.in_transaction:
            # The frames start inside a transaction: make this part a transaction of its own.
            yield from self._take(_mark(Op.TX))
        ops = bytes(batch.ops)
        begun = ops.rfind(Op.TX)
        ended = max(ops.rfind(Op.TC), ops.rfind(Op.TA))
        if begun != ended:
            self.in_transaction = begun > ended
        if frame in frames:
            yield from self._take(batch)

    def _end_cut(self, last: Batch) -> Iterator[Batch]:
        """End the transaction and the patch that are still open after the last wanted frame."""
        from jelly_rdflib.operations import Op

        if self.in_transaction:
            yield from self._take(_mark(Op.TC))
        if self.input.format.holds_changes and bytes(last.ops)[-1:] != bytes([Op.END]):
            yield from self._take(_mark(Op.END))

    def _take(self, batch: Batch) -> Iterator[Batch]:
        """Return the wanted rows of a batch, as batches."""
        if self.filters.patches is None and self.filters.times is None:
            yield from self.selection.select(batch, 0, len(batch))
            return
        from jelly_rdflib.algebra.sources import cut_patches

        for part in cut_patches(batch._slices()):
            if self.is_done:
                return
            yield from self._take_part(part)

    def _take_part(self, part: BatchSlice) -> Iterator[Batch]:
        """Take rows of one patch, perhaps with its END."""
        from jelly_rdflib.algebra.sources import ends_patch

        has_end = ends_patch(part)
        if not self.is_open:
            if has_end and len(part) == 1:
                # A patch without operations doesn't count, so it gets no number.
                return
            self.patch += 1
            wanted = self.filters.patches
            self.is_done = wanted is not None and self.patch >= wanted.stop
            self.is_wanted = wanted is None or self.patch in wanted
            if self.is_wanted and self.filters.times is not None:
                self.is_wanted = None
        self.is_open = not has_end
        if self.is_wanted is None:
            self.held.append(part)
            self.is_wanted = self._find_time(part)
            self.held_rows += len(part)
            most = self.limits.max_held_operations
            if self.is_wanted is None and self.held_rows > most:
                raise self._error(
                    f"patch {self.patch} has more than max_held_operations={most} rows before its"
                    " time"
                )
        if self.is_wanted:
            for each in self.held or [part]:
                yield from self.selection.select(each.batch, each.start, each.stop)
        if self.is_wanted is not None:
            self.held, self.held_rows = [], 0

    def _find_time(self, part: BatchSlice) -> bool | None:
        """Return whether the patch's time is wanted; None if more headers may follow."""
        from jelly_rdflib.operations import Op

        for header in part.headers():
            seconds = _seconds_of(header[2])
            if seconds is not None:
                return self.filters.wants_time(seconds)
        if bytes(part.batch.ops[part.start : part.stop]).strip(bytes((Op.H, Op.TX))):
            raise self._error(
                f"patch {self.patch} has no time: --since and --until need a header of type"
                " xsd:dateTime or xsd:date, or a patch log"
            )
        return None


def _seconds_of(node: Any) -> float | None:
    """Return a header's value as a Unix timestamp; None if it isn't a time."""
    from rdflib.namespace import XSD
    from rdflib.term import Literal

    if getattr(node, "datatype", None) not in (XSD.dateTime, XSD.dateTimeStamp, XSD.date):
        return None
    # Make a new literal, since one from a batch may have no value.
    value = Literal(str(node), datatype=node.datatype).value
    return _seconds(value) if isinstance(value, date) else None


def _seconds(value: date, *, is_end: bool = False) -> float:
    """Return a Unix timestamp: for a day, its start or end. The default time zone is UTC."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, time.max if is_end else time.min)
    if value.tzinfo is None:
        value = value.replace(tzinfo=timezone.utc)
    return value.timestamp()


def _read_time(context: click.Context, param: click.Parameter, text: str | None) -> Any:
    if text is None:
        return None
    is_end = param.name == "until"
    # Python 3.10 does not know "Z" as the time zone.
    text = re.sub("[Zz]$", "+00:00", text)
    try:
        try:
            return _seconds(date.fromisoformat(text), is_end=is_end)
        except ValueError:
            return _seconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{text!r} is not a time, such as 2026-11-25 or 2026-11-25T12:30+01:00"
        ) from error


def _read_op(text: str) -> str:
    code = text.upper()
    if code not in OPS:
        raise click.BadParameter(f"{text!r} is not one of {', '.join(OPS)}")
    return code


def _read_ops(context: click.Context, param: object, names: tuple[str, ...]) -> Any:
    if not names:
        return None
    from jelly_rdflib.operations import Op

    return frozenset(Op[name] for name in names)


def _read_terms(
    context: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> tuple[_Term, ...]:
    return tuple(_read_term(param, text) for text in texts)


def _read_term(param: click.Parameter, text: str) -> _Term:
    option = f"--{param.name}"
    if param.name == "graph" and text == DEFAULT_GRAPH:
        return _Term(option, text)
    found = _PREFIXED.fullmatch(text)
    if found is not None:
        if found["local"].startswith("//"):
            raise click.BadParameter(
                f"{text!r} is not a prefixed name: write the IRI as '<{text}>'"
            )
        parts = (found["start"] or "", found["local"])
        return _Term(option, text, found["prefix"] or "", parts)

    from jelly_rdflib.core.arrow import TermCondition
    from jelly_rdflib.nodes import make_node_factory
    from jelly_rdflib.options import Limits

    if TermCondition(make_node_factory(False), Limits(), (text,), any_spelling=True).unknown:
        raise click.BadParameter(
            f"{text!r} is not an N-Triples term, such as '<urn:s>', '\"text\"@en' or _:label, nor"
            " a prefixed name, such as ex:name"
        )
    return _Term(option, text)


def filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of filters; the function gets them as ``filters``."""

    @wraps(function)
    def run(
        *arguments: Any,
        op: Any,
        patch: Any,
        since: float | None,
        until: float | None,
        frame: Any,
        **others: Any,
    ) -> Any:
        if frame is not None and (patch, since, until) != (None, None, None):
            raise click.UsageError(
                "--frame can't be used with --patch, --since or --until: to find a patch, the"
                " frames before it are needed, too"
            )
        terms = {column: others.pop(name) for name, column in POSITIONS.items()}
        times = None
        if since is not None or until is not None:
            times = (
                float("-inf") if since is None else since,
                float("inf") if until is None else until,
            )
        filters = Filters(
            ops=op,
            terms={column: wanted for column, wanted in terms.items() if wanted},
            patches=patch,
            times=times,
            frames=frame,
        )
        return function(*arguments, filters=filters, **others)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


def _term_option(name: str, help: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}", metavar="TERM", multiple=True, callback=_read_terms, help=help)


_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "--op",
        metavar="CODE",
        type=_read_op,
        multiple=True,
        shell_complete=offer(lambda: OPS),
        callback=_read_ops,
        help="Only operations with this code: A, D, PA, PD or H. This option and those for terms"
        " may be repeated.",
    ),
    _term_option("graph", "Only statements in this graph; 'default' is the default graph."),
    _term_option("subject", "Only statements with this subject: '<urn:s>', _:label or ex:name."),
    _term_option("predicate", "Only statements with this predicate."),
    _term_option("object", "Only statements with this object, such as '\"text\"@en'."),
    click.option(
        "--patch",
        metavar="RANGE",
        type=read_range,
        help="Only these patches of each file, or versions of a log: 3, 2..5, 2.. or ..5.",
    ),
    click.option(
        "--since",
        metavar="TIME",
        callback=_read_time,
        help="Only patches from TIME on. A patch's time comes from the log, or else from a header"
        " of type xsd:dateTime. Without a zone, TIME is UTC.",
    ),
    click.option(
        "--until",
        metavar="TIME",
        callback=_read_time,
        help="Only patches up to TIME; if TIME is a day, up to its end.",
    ),
    click.option(
        "--frame",
        metavar="RANGE",
        type=read_range,
        help="Only these frames of each Jelly file: 3, 2..5, 2.. or ..5. If they contain only part"
        " of a transaction, that part becomes a transaction.",
    ),
]


def _mark(op: Any) -> Batch:
    from jelly_rdflib.nodes import NODE_TYPES
    from jelly_rdflib.nodes.conversion import NodeBatches

    return next(NodeBatches(NODE_TYPES, [(op,)]))
