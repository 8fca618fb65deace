"""Operations that are kept until they are wanted, in a temporary file where they are many."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

from rdflib.term import Literal

from jelly_rdflib.algebra.term_sizes import leaves, tree_size
from jelly_rdflib.nodes import as_iri
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.streams.codecs import PatchDecoder, PatchEncoder
from jelly_rdflib.terms import TripleTerm

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

# How many operations, and characters in them, are a piece. No more than two are in memory.
_MAX_OPERATIONS = 1 << 14
_MAX_CHARACTERS = 2 << 20
# A character takes up to so many bytes: a literal has its text twice.
_CHARACTER = 8

_LIMITS = Limits(
    max_frame_size=(1 << 31) - 1,
    max_frame_rows=(1 << 31) - 1,
    max_frame_terms=(1 << 31) - 1,
    max_xml_tags=(1 << 31) - 1,
    max_string_size=(1 << 31) - 1,
    max_text_size=(1 << 31) - 1,
    max_nesting_depth=1000,
    max_expansion=1 << 24,
)


class Spool:
    """A list of operations of any length: appended at the end, read from either end, cut off.

    Of a long one all but the newest are in a temporary file, some thousand operations at a time as
    a frame of Jelly-Patch, which can be read by itself. They come back equal, literals in the very
    same lexical form; but where some of such a piece have no graph and others have one, no graph
    comes back as the default graph.

    A context manager, which removes the file.

    Raises:
        EncodeError: By `append`: an operation can't be written, as a term is of no known class.
        OSError: By `append`: there is no room for the file.

    Examples:
        >>> with Spool() as spool:
        ...     spool.append((Op.TX,))
        ...     spool.append((Op.TC,))
        ...     list(reversed(spool))
        [(<Op.TC: 3>,), (<Op.TX: 2>,)]
    """

    def __init__(self) -> None:
        # The newest operations, and the characters in them; and those before them, as many. So to
        # cut off a little, over and over, reads nothing back.
        self._newest: list[Operation] = []
        self._characters = 0
        self._newer: list[Operation] = []
        self._newer_characters = 0
        # The last quoted triple in each place of an operation, and the characters in it.
        self._triples: dict[int, tuple[TripleTerm, int]] = {}
        self._file: IO[bytes] | None = None
        # Where each piece starts, and how many operations came before it; and where the last ends.
        self._offsets = [0]
        self._counts = [0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return self._counts[-1] + len(self._newer) + len(self._newest)

    def __iter__(self) -> Iterator[Operation]:
        for number in range(len(self._counts) - 1):
            yield from self._read(number)
        yield from self._newer
        yield from self._newest

    def __reversed__(self) -> Iterator[Operation]:
        yield from reversed(self._newest)
        yield from reversed(self._newer)
        for number in reversed(range(len(self._counts) - 1)):
            yield from reversed(self._read(number))

    def append(self, operation: Operation) -> None:
        """Put an operation at the end."""
        self._newest.append(operation)
        self._characters += _count_characters(operation, self._triples)
        if len(self._newest) >= _MAX_OPERATIONS or self._characters >= _MAX_CHARACTERS:
            if self._newer:
                self._write(self._newer)
            self._newer, self._newer_characters = self._newest, self._characters
            self._newest, self._characters = [], 0

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` operations, and throw the others away."""
        if count < len(self) - len(self._newest):
            self._newest, self._characters = self._newer, self._newer_characters
            self._newer, self._newer_characters = [], 0
        while count < self._counts[-1]:
            self._newest = self._read(len(self._counts) - 2)
            self._characters = self._count_characters(self._newest)
            self._counts.pop()
            self._offsets.pop()
        # What stays is not looked at: this may come after each of many operations.
        start = count - self._counts[-1] - len(self._newer)
        self._characters -= self._count_characters(self._newest[start:])
        del self._newest[start:]

    def _count_characters(self, operations: list[Operation]) -> int:
        return sum(_count_characters(operation, self._triples) for operation in operations)

    def _write(self, operations: list[Operation]) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
        frame = _encode(operations)
        self._file.seek(self._offsets[-1])
        self._file.write(frame)
        self._offsets.append(self._offsets[-1] + len(frame))
        self._counts.append(self._counts[-1] + len(operations))

    def _read(self, number: int) -> list[Operation]:
        assert self._file is not None
        self._file.seek(self._offsets[number])
        frame = self._file.read(self._offsets[number + 1] - self._offsets[number])
        decoder = PatchDecoder(_LIMITS, normalize=False)
        return [
            # Mostly it is a statement, as it was.
            operation if len(operation) == 5 else _restore(operation)
            for operation in decoder.decode_frame(frame)
        ]


def _encode(operations: Iterable[Operation]) -> bytes:
    operations = [
        operation if len(operation) == 5 else _disguise(operation) for operation in operations
    ]
    has_graphs = any(operation[-1] is not None for operation in operations if operation[0] != Op.H)
    encoder = PatchEncoder(
        PatchOptions(
            stream_type=PatchStreamType.FLAT,
            statement_type=PatchStatementType.QUADS if has_graphs else PatchStatementType.TRIPLES,
            generalized_statements=True,
            rdf_star=True,
            max_datatype_table_size=256,
        )
    )
    return encoder.encode_frame(operations)


def _count_characters(operation: Operation, triples: dict[int, tuple[TripleTerm, int]]) -> int:
    try:
        _, s, p, o, g = operation
        count: int = len(s) + len(p) + len(o) + (0 if g is None else len(g))
    except (TypeError, ValueError):
        # A quoted triple has no length, and what is no statement has other parts.
        return sum(
            _count_characters_of_triple(place, part, triples)
            if isinstance(part, TripleTerm)
            else _count_characters_of(part)
            for place, part in enumerate(operation)
        )
    return count + _count_tree(o)


def _count_characters_of_triple(
    place: int, triple: TripleTerm, triples: dict[int, tuple[TripleTerm, int]]
) -> int:
    # Many rows may have the same one, which is large.
    if place not in triples or triples[place][0] is not triple:
        triples[place] = (triple, _count_characters_of(triple))
    return triples[place][1]


def _count_characters_of(part: Any) -> int:
    return sum(len(leaf) + _count_tree(leaf) for leaf in leaves(part) if isinstance(leaf, str))


def _count_tree(leaf: Any) -> int:
    return tree_size(leaf) // _CHARACTER if isinstance(leaf, Literal) else 0


# A piece may start in the middle of a transaction, so what starts and ends one is written as a
# header that no patch has. Real ones have a mark before their keys.
_MARK = "="
_NO_VALUE = Literal("")


def _disguise(operation: Operation) -> Operation:
    op = operation[0]
    if len(operation) == 1:
        return (Op.H, op.name, _NO_VALUE)
    if op == Op.H:
        return (Op.H, _MARK + operation[1], operation[2])
    if op in (Op.PA, Op.PD):
        return (op, operation[1], as_iri(operation[2]), operation[3])
    return operation


def _restore(operation: Operation) -> Operation:
    if operation[0] != Op.H:
        return operation
    key: str = operation[1]
    if key.startswith(_MARK):
        return (Op.H, key.removeprefix(_MARK), operation[2])
    return (Op[key],)
