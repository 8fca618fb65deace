"""A list of operations, which keeps most operations of a long list in a temporary file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Any, TypeAlias, cast

from rdflib.term import Literal

from jelly_rdflib.algebra.term_sizes import leaves, tree_size
from jelly_rdflib.nodes import as_iri
from jelly_rdflib.operations import Mark, Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.streams.codecs import PatchDecoder, PatchEncoder
from jelly_rdflib.terms import TripleTerm

# The size of a piece, in operations and in characters. The newest one is in memory.
_MAX_OPERATIONS = 3 << 13
_MAX_CHARACTERS = 3 << 20
# The most bytes for a character: a literal has its text twice.
_CHARACTER = 8

# The last quoted triple in each place of an operation, and the characters in it: many operations
# may have the same one, which may be large.
_Triples: TypeAlias = dict[int, tuple[TripleTerm, int]]

_NO_LIMITS = dict.fromkeys(
    ("max_frame_size", "max_frame_rows", "max_frame_terms", "max_xml_tags", "max_string_size"),
    (1 << 31) - 1,
)
_LIMITS = Limits(
    **_NO_LIMITS, max_text_size=(1 << 31) - 1, max_nesting_depth=1000, max_expansion=1 << 24
)


class Spool:
    """A list of operations of any length: appended at the end, read from either end.

    A temporary file has the older operations of a long list, in pieces of some thousand operations.
    Each piece is a frame of Jelly-Patch, which can be decoded by itself. Operations come back
    equal, literals in the same lexical form.

    A context manager, which removes the file.
    """

    def __init__(self) -> None:
        # The newest piece, and the number of characters in it.
        self._newest: list[Operation] = []
        self._characters = 0
        self._triples: _Triples = {}
        self._file: IO[bytes] | None = None
        # The start of each piece in the file, and the number of operations before it; and the end.
        self._offsets = [0]
        self._counts = [0]

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return self._counts[-1] + len(self._newest)

    def __iter__(self) -> Iterator[Operation]:
        for number in range(len(self._counts) - 1):
            yield from self._read(number)
        yield from self._newest

    def __reversed__(self) -> Iterator[Operation]:
        yield from reversed(self._newest)
        for number in reversed(range(len(self._counts) - 1)):
            yield from reversed(self._read(number))

    def append(self, operation: Operation) -> None:
        """Append an operation."""
        self._newest.append(operation)
        self._characters += _count_characters(operation, self._triples)
        if len(self._newest) >= _MAX_OPERATIONS or self._characters >= _MAX_CHARACTERS:
            self._write(self._newest)
            self._newest, self._characters = [], 0

    def clear(self) -> None:
        """Remove all operations."""
        self._newest, self._characters = [], 0
        del self._offsets[1:], self._counts[1:]

    def _write(self, operations: list[Operation]) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
        rows = [each if len(each) == 5 else _disguise(each) for each in operations]
        has_graphs = any(each[-1] is not None for each in rows if each[0] != Op.H)
        options = PatchOptions(
            stream_type=PatchStreamType.FLAT,
            statement_type=PatchStatementType.QUADS if has_graphs else PatchStatementType.TRIPLES,
            generalized_statements=True,
            rdf_star=True,
            max_datatype_table_size=256,
        )
        frame = PatchEncoder(options).encode_frame(rows)
        self._file.seek(self._offsets[-1])
        self._file.write(frame)
        self._offsets.append(self._offsets[-1] + len(frame))
        self._counts.append(self._counts[-1] + len(operations))

    def _read(self, number: int) -> list[Operation]:
        assert self._file is not None
        self._file.seek(self._offsets[number])
        frame = self._file.read(self._offsets[number + 1] - self._offsets[number])
        decoded = iter(PatchDecoder(_LIMITS, normalize=False).decode_frame(frame))
        # Most are statements, which need no change.
        return [each if len(each) == 5 else _restore(each) for each in decoded]


def _count_characters(operation: tuple[Any, ...], triples: _Triples) -> int:
    try:
        _, s, p, o, g = operation
        count: int = len(s) + len(p) + len(o) + (0 if g is None else len(g))
    except (TypeError, ValueError):
        # A quoted triple has no length, and other operations have other parts.
        return sum(_count_part(place, part, triples) for place, part in enumerate(operation))
    return count + _count_tree(o)


def _count_part(place: int, part: Any, triples: _Triples) -> int:
    if not isinstance(part, TripleTerm):
        return _count_characters_of(part)
    if place not in triples or triples[place][0] is not part:
        triples[place] = (part, _count_characters_of(part))
    return triples[place][1]


def _count_characters_of(part: Any) -> int:
    return sum(len(leaf) + _count_tree(leaf) for leaf in leaves(part) if isinstance(leaf, str))


def _count_tree(leaf: Any) -> int:
    return tree_size(leaf) // _CHARACTER if isinstance(leaf, Literal) else 0


# A piece may start in the middle of a transaction, so the start and end of a transaction are
# written as headers that no patch has. Real headers get a mark before their keys.
_MARK = "="
_NO_VALUE = Literal("")


def _disguise(operation: Operation) -> Operation:
    match operation:
        case (Op.H, key, value):
            return (Op.H, _MARK + key, value)
        case (Op.PA, prefix, iri, g):
            return (Op.PA, prefix, as_iri(iri), g)
        case (Op.PD, prefix, iri, g):
            return (Op.PD, prefix, as_iri(iri), g)
        case _:
            return (Op.H, operation[0].name, _NO_VALUE)


def _restore(operation: Operation) -> Operation:
    if operation[0] != Op.H:
        return operation
    _, key, value = operation
    return (Op.H, key[1:], value) if key[0] == _MARK else cast("Mark", (Op[key],))
