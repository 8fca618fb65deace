"""Reads the syntaxes that pyoxigraph parses, as batches."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Protocol

import pyoxigraph as ox

from jelly_rdflib.core.batch import Batch, BatchBuilder
from jelly_rdflib.core.input_start import BYTE_ORDER_MARK
from jelly_rdflib.core.text import NodeLabels, QuadCount, QuadReader, TurtleScanner
from jelly_rdflib.core.warning import warn_of_dropped
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.formats.format import Format, Reading
from jelly_rdflib.formats.syntaxes.label_file import LabelFile
from jelly_rdflib.formats.syntaxes.messages import PIECE_SIZE
from jelly_rdflib.operations import Op
from jelly_rdflib.options import drops_directions

# A batch is full when it has this many rows, or bytes of text.
_ROWS = 1024
_TEXT = 1 << 20

_PLACE = re.compile(r"Parser error (?:at|between) line [^:]*: ")
# Advice that is added to pyoxigraph's messages.
_HINTS = {
    "No scheme found in an absolute IRI": "; a relative IRI needs a base: give one, or"
    " write it in the text",
    "No LoadDocumentCallback has been set to load remote contexts": "; nothing is loaded from"
    " elsewhere: write the context into the document",
    "rdf:dirLangString is not supported in N3": ": leave the base direction out of the tag",
}
# Messages for the faults that the scanner finds, by first byte; all other faults are bad escapes.
_FAULTS = dict.fromkeys(b"\r\n", "a string with a line break needs triple quotes")
_FAULTS |= dict.fromkeys(b"Vv", "unknown RDF version: it must be 1.1, 1.2 or 1.2-basic")
# Labels in a text that look like the labels that pyoxigraph generates: after "_:", and in RDF/XML
# in an attribute. Labels that are written with escapes are not found; their nodes get other labels,
# like nodes without a label.
_WRITTEN = re.compile(rb"_:([a-f][0-9a-f]{15,31})")
_WRITTEN_IN_XML = re.compile(rb"nodeID\s*=\s*[\"']\s*([a-f][0-9a-f]{15,31})")
# An element of RDF/XML with a base direction and a child element; pyoxigraph leaves the direction
# out of the child's literals. The expression is fast, since it starts with a fixed text and does
# not backtrack in the other attributes.
_DIRECTED = re.compile(
    rb":dir(?<=[^\s\"'<>]:dir)\s*=\s*[\"'](?:ltr|rtl)[\"']"
    rb"(?=([^<>]{0,999}))\1>(?<!/>)\s{0,999}<[^/!?]"
)
_PREFIX = re.compile(rb"[^\s\"'<>]+\Z")
# Base directions have a meaning only in a text with both of these; an entity may give the version.
_ITS = re.compile(rb"xmlns:([^\s=]+)\s*=\s*[\"']http://www\.w3\.org/2005/11/its[\"']")
_VERSION = re.compile(rb":version\s*=\s*[\"'](?:1\.2|&)")
# How many bytes are searched again together with the next piece, since a label or the start of an
# element may span both.
_OVERLAP = 2048
# The columns of this many marks (suffixes that `TurtleScanner` adds for the parser) are remembered.
# A parser reads fewer marks ahead, unless it has just read a token of several MiB.
_MARKS = 1 << 14


class TextSource(Protocol):
    """A text to parse: its bytes in pieces, and the hash of all bytes."""

    def read(self, size: int, /) -> bytes:
        """Return at least one and at most ``size`` bytes, or none at the end."""
        ...

    def digest(self) -> str:
        """Return the hash of all bytes, including those not read yet."""
        ...

    def close(self) -> None:
        """Close the source."""


class SyntaxInput:
    """A file for a parser, which reads the text in larger pieces than the parser asks for.

    At most ``max_size`` bytes may come between two statements. ``count.made`` is the number of
    statements that the parser has made. The number of bytes that were passed to the parser is
    stored in ``position`` and ``count.read``. ``labels`` gets the labels in these bytes that
    ``written`` matches.
    ``scanner`` checks the bytes, and may add marks (suffixes for the parser), which don't count.
    ``keeps_directions`` is only for RDF/XML, where pyoxigraph leaves out some base directions: if
    True, that is an error; if False, ``has_dropped`` becomes True.
    """

    def __init__(
        self,
        text: TextSource,
        max_size: int,
        count: QuadCount,
        labels: NodeLabels,
        written: re.Pattern[bytes],
        scanner: TurtleScanner | None = None,
        *,
        keeps_directions: bool = True,
    ) -> None:
        self._source = text
        self._max_size = max_size
        self._count = count
        self._labels = labels
        self._written = written
        self._keeps_directions = keeps_directions
        self.has_dropped = False
        # The last bytes that were searched, to be searched again with the next ones.
        self._looked = b""
        self._its_prefixes: set[bytes] = set()
        self._has_version = False
        self._scanner = scanner
        # The piece that the parser is reading, with marks, and how many bytes of it the parser got.
        self._taken = b""
        self._given = 0
        # Bytes that were read from the source after that piece.
        self._waiting = bytearray()
        self._is_at_end = False
        # The error of the source, which is raised after the bytes before it.
        self._error: DecodeError | None = None
        # The last known number of statements, and the bytes passed on since it last changed.
        self._made = self._size = 0
        self.position = 0

    def read(self, size: int) -> bytes:
        """Return at most ``size`` bytes, and none at the end.

        The parser gets all bytes that it asks for, however small the pieces of the source are.
        Whenever it gets more bytes, it scans an incomplete token again from its start, so with
        small pieces the time would grow with the square of the token's size. With ``scanner``,
        which checks whole tokens, it may get fewer bytes, up to the end of a token.
        """
        if self._given == len(self._taken):
            self._taken, self._given = self._take(size), 0
        data = self._taken[self._given : self._given + size]
        self._given += len(data)
        return data

    def _take(self, size: int) -> bytes:
        """Read about ``size`` bytes of the text, and add marks."""
        if self.position == 0:
            self._fill(len(BYTE_ORDER_MARK))
            if self._waiting.startswith(BYTE_ORDER_MARK):
                self.position = len(BYTE_ORDER_MARK)
                del self._waiting[: self.position]
        if self._count.made != self._made:
            self._made = self._count.made
            self._size = 0
        size = max(1, min(size, self._max_size - self._size))
        self._fill(size)
        data = bytes(self._waiting[:size])
        if not data and self._error is not None:
            raise self._error
        marked = data
        if self._scanner is not None:
            data, marked = self._mark(self._scanner, data)
        del self._waiting[: len(data)]
        self._size += len(data)
        self.position += len(data)
        self._count.read = self.position
        self._search(data)
        if self._size > self._max_size:
            raise LimitError(
                f"more than {self._max_size} bytes without a complete statement",
                limit="max_frame_size",
                value=self._max_size,
                offset=self.position,
            )
        return marked

    def _mark(self, scanner: TurtleScanner, data: bytes) -> tuple[bytes, bytes]:
        """Return the first buffered bytes, up to the end of a token, without and with marks."""
        size = len(data)
        # One byte more than the limit allows is enough to raise the error.
        most = self._max_size - self._size + 1
        while True:
            is_last = size >= most or (self._is_at_end and size >= len(self._waiting))
            marked = scanner.mark(data, is_last)
            if scanner.fault >= 0:
                raise DecodeError(
                    _FAULTS.get(data[scanner.fault], "this is not an escape of Turtle"),
                    offset=self.position + scanner.fault,
                    line=scanner.line,
                )
            if scanner.taken > 0 or is_last:
                return data[: scanner.taken], marked
            # All these bytes belong to one token, so look at more bytes.
            size = min(2 * size, most)
            self._fill(size)
            data = bytes(self._waiting[:size])

    def _search(self, data: bytes) -> None:
        """Keep the labels in the bytes, and look for directions that pyoxigraph leaves out."""
        data = self._looked + data
        self._labels.keep(self._written.findall(data))
        if self._written is _WRITTEN_IN_XML:
            self._its_prefixes.update(_ITS.findall(data))
            self._has_version = self._has_version or _VERSION.search(data) is not None
        is_directed = self._its_prefixes and self._has_version
        for found in _DIRECTED.finditer(data) if is_directed else ():
            prefix = _PREFIX.search(data, max(0, found.start() - 99), found.start())
            if prefix is None or prefix[0] not in self._its_prefixes:
                continue
            if self._keeps_directions:
                raise DecodeError(
                    "its:dir on an element with child elements, where pyoxigraph does not read it:"
                    " write it on the element of each literal, or leave directions out with"
                    ' directions="drop" (command line: --directions drop)',
                    offset=self.position - len(data) + found.start(),
                )
            self.has_dropped = True
        self._looked = data[-_OVERLAP:]

    def _fill(self, size: int) -> None:
        """Read until ``size`` bytes are buffered, or the source ends."""
        while len(self._waiting) < size and not self._is_at_end:
            try:
                piece = self._source.read(PIECE_SIZE)
            except DecodeError as error:
                # Keep a copy: the tracebacks of the error and of its cause refer to the parser.
                # The parser refers to this object, which Python's collector can't see, so all of
                # them would stay in memory forever.
                self._error = copy.copy(error)
                piece = b""
            self._waiting += piece
            self._is_at_end = not piece

    def close(self) -> None:
        """Close the source."""
        self._waiting.clear()
        self._source.close()


class StatementBatches(Iterator[Batch]):
    """Iterates over the batches of a text.

    ``tell_dropped`` is called once, after the first base direction has been left out.
    """

    def __init__(
        self,
        format: Format,
        text: TextSource,
        reading: Reading,
        tell_dropped: Callable[[], None] = warn_of_dropped,
    ) -> None:
        self._tell_dropped = tell_dropped
        limits = self._limits = reading.limits
        self._count = QuadCount()
        prefixes = reading.label_prefix, reading.made_label_prefix
        labels = NodeLabels(*prefixes, text.digest, LabelFile)
        written = _WRITTEN_IN_XML if format.parser == "RDF_XML" else _WRITTEN
        scanner = None
        if format.parser in ("TURTLE", "TRIG"):
            scanner = TurtleScanner(
                finds_faults=reading.by_grammar,
                parser_checks_tags=reading.strict,
                max_marks=_MARKS,
            )
        self._scanner = scanner
        self._input = SyntaxInput(
            text,
            limits.max_frame_size,
            self._count,
            labels,
            written,
            scanner,
            keeps_directions=reading.directions != "drop",
        )
        self._format = format
        self._drops_directions = drops_directions(reading.directions)
        # Whether ``tell_dropped`` has been called.
        self._has_told = False
        self._builder = BatchBuilder(reading.factory, limits)
        self._prefixes: dict[str, str] = {}
        # The error to raise after the last batch.
        self._error: DecodeError | None = None
        self._parser: ox.QuadParser | None = ox.parse(
            self._input,  # type: ignore[arg-type]  # of a file, only read() is needed
            getattr(ox.RdfFormat, format.parser),
            base_iri=reading.base,
            lenient=not reading.strict,
        )
        self._quads: QuadReader | None = QuadReader(
            self._parser,
            self._builder,
            ox,
            has_graphs=format.has_graphs,
            drops_directions=self._drops_directions,
            by_grammar=reading.by_grammar,
            has_marks=scanner is not None,
            max_nesting_depth=limits.max_nesting_depth,
            max_expansion=limits.max_expansion,
            free_text=limits.max_text_size,
            count=self._count,
            labels=labels,
        )

    def __del__(self) -> None:
        self.close()

    def __next__(self) -> Batch:
        if self._error is not None:
            raise self._error
        try:
            self._read()
        except DecodeError as error:
            if error.offset is None:
                # The parser doesn't report the positions of statements.
                error.offset = self._input.position
            self._error = error
        except SyntaxError as error:
            self._error = self._explain(error)
            self._error.__cause__ = error
        except MemoryError as error:
            if "buffer" not in str(error):
                raise
            self._error = LimitError(
                f"a token has more than 16 MiB ({self._vicinity()})", offset=self._input.position
            )
        except BaseException:
            self._let_go()
            raise
        if self._error is not None:
            self._let_go()
        if len(self._builder) > 0:
            return self._builder.drain(has_graphs=self._format.has_graphs)
        raise self._error or StopIteration

    def close(self) -> None:
        """Close the source."""
        self._input.close()

    def _let_go(self) -> None:
        """Drop the parser after an error, and keep no reference to it in a local variable.

        The parser refers to the source, the source may keep the error that it raised, and the
        error's traceback refers to this object. Python's collector can't see this cycle, since it
        goes through the parser.
        """
        self._parser = self._quads = None

    def _read(self) -> None:
        """Put new prefixes, and the next statements if any are left, into the builder."""
        assert self._parser is not None, "nothing is read after an error"
        assert self._quads is not None
        first = next(self._parser, None)
        # By now the parser knows the prefixes that are declared before this statement.
        if self._format.has_prefixes:
            self._add_prefixes(self._parser.prefixes, self._quads)
        if first is not None:
            self._quads.read(first, _ROWS, _TEXT)
        has_dropped = self._quads.has_dropped or self._input.has_dropped
        if has_dropped and not self._has_told:
            self._has_told = True
            self._tell_dropped()

    def _add_prefixes(self, prefixes: dict[str, str], quads: QuadReader) -> None:
        """Add the prefixes that the parser has found since the last call."""
        # Their number is limited, since each batch iterates over all of them.
        self._check_prefixes(len(prefixes), "", "max_prefixes")
        self._check_prefixes(sum(map(len, prefixes.values())), "characters of ", "max_text_size")
        if self._format.parser == "RDF_XML":
            # In RDF/XML the parser only has the prefixes of the element that it is parsing. At the
            # first statement these are the prefixes of the root and of some inner elements; the
            # default namespace may come from the innermost element.
            prefixes = {} if self._count.made > 0 else prefixes
            prefixes.pop("", None)
        builder = self._builder
        for prefix, iri in prefixes.items():
            if self._prefixes.get(prefix) != iri:
                self._prefixes[prefix] = iri
                builder.add_row(Op.PA, builder.string(prefix), 0, quads.iri_number(iri), 0)

    def _check_prefixes(self, count: int, what: str, limit: str) -> None:
        most = getattr(self._limits, limit)
        if count > most:
            message = f"more than {most} {what}prefixes ({self._vicinity()})"
            raise LimitError(message, limit=limit, value=most)

    def _explain(self, error: SyntaxError) -> DecodeError:
        message = _PLACE.sub("", error.msg)
        message += "".join(hint for what, hint in _HINTS.items() if message.endswith(what))
        if error.lineno is None:
            return DecodeError(f"{message} ({self._vicinity()})")
        column = error.offset
        if self._scanner is not None and column is not None:
            message = self._scanner.original_message(message)
            column = self._scanner.original_column(error.lineno, column)
        return DecodeError(message, line=error.lineno, column=column)

    def _vicinity(self) -> str:
        """Describe how far the parser has read, for errors without a position."""
        return f"after {self._count.made} statements, before byte {self._input.position}"
