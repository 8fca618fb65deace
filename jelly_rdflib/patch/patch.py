"""One patch as an object, with methods to invert, compact, apply and write it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from jelly_rdflib import importers
from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.algebra.concat import concat
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.algebra.invert import invert
from jelly_rdflib.core.batch import Batch, BatchSlice, Tabular
from jelly_rdflib.display.operations import operations_html
from jelly_rdflib.display.terms import show
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import EncodeError, LimitError
from jelly_rdflib.graph.apply import ApplyResult, apply
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.streams.writing import PatchWriter
from jelly_rdflib.types import ChangeFormat, JellyPatchFormat

if TYPE_CHECKING:
    import os

    from rdflib.graph import Graph

# How many lines of a long patch `print` shows, from its start and from its end.
_FIRST_LINES, _LAST_LINES = 20, 5


class Patch(PatchOperations, Tabular):
    """One RDF Patch: its operations in order, headers included, without the `Op.END`.

    A patch is a sequence: ``patch[0]`` is an operation, ``patch[1:3]`` a patch, ``one + other`` a
    patch with the effect of both. Patches are equal if their operations are. A patch can be
    pickled. ``print(patch)`` shows RDF Patch text, but of more than 25 operations it leaves out the
    middle: `to_text` returns the whole text. A notebook shows a table.

    A patch is also a table for libraries that read Arrow: ``pyarrow.table(patch)``,
    ``polars.DataFrame(patch)``, ``duckdb.sql("FROM patch")``. It is not a
    ``collections.abc.Sequence``, which polars would read as a list of tuples.

    Args:
        operations: Operations as tuples. A final `Op.END` is left out.

    Raises:
        ValueError: An `Op.END` comes before the last operation: that is more than one patch.

    See Also:
        - `read_patches`: the patches of a file.
        - `diff` and `record`: make a patch.

    Examples:
        >>> from rdflib import URIRef
        >>> from jelly_rdflib import Op
        >>> patch = Patch([(Op.H, "id", URIRef("urn:uuid:1")), (Op.TX,), (Op.TC,)])
        >>> patch.header
        {'id': rdflib.term.URIRef('urn:uuid:1')}
        >>> len(patch)
        3
        >>> patch[1:]
        <Patch: 2 operations, header {}>
        >>> print(patch)
        H id <urn:uuid:1> .
        TX .
        TC .
    """

    # The prefixes of the graphs that the patch was made from, by IRI. A notebook shortens IRIs
    # with them.
    _prefixes: Mapping[str, str] = MappingProxyType({})

    def __reduce__(self) -> tuple[Any, ...]:
        return (self._maker, (list(self),))

    @property
    def _maker(self) -> Callable[[list[Operation]], Patch]:
        """The function that makes a patch with operations stored as in this one: tuples or rows."""
        return Patch if self.slices is None else join_parts

    def __repr__(self) -> str:
        try:
            header = show(dict(self.header))
        except (IndexError, TypeError, ValueError):
            # This is possible, since operations are not checked when a patch is made.
            header = "?"
        return f"<Patch: {count(len(self), 'operation')}, header {header}>"

    def __str__(self) -> str:
        left_out = len(self) - _FIRST_LINES - _LAST_LINES
        if left_out <= 0:
            return _lines_of(self)
        first, last = _lines_of(self[:_FIRST_LINES]), _lines_of(self[-_LAST_LINES:])
        # The middle line must not be a comment: a reader must refuse a text that lacks operations.
        return f"{first}\n... {left_out:,} more operations: to_text() has all of them ...\n{last}"

    def _repr_html_(self) -> str:
        return operations_html("Patch", self, len(self), prefixes=self._prefixes)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Operation: ...
    @overload
    def __getitem__(self, index: slice) -> Patch: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Operation | Patch:
        if not isinstance(index, slice):
            number = range(len(self))[index]
            return next(iter(self.cut(number, number + 1)))
        start, stop, step = index.indices(len(self))
        if step != 1:
            return self._shown(self._maker(list(self)[index]))
        return self._shown(self.cut(start, stop))

    def __add__(self, other: Patch) -> Patch:
        return self._like(concat(self, other)) if isinstance(other, Patch) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Patch):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __reversed__(self) -> Iterator[Operation]:
        return reversed(list(self))

    __hash__ = None  # type: ignore[assignment]

    def index(self, operation: Operation, start: int = 0, stop: int | None = None) -> int:
        """Return the index of the first equal operation; raise a ValueError if there is none."""
        return list(self).index(operation, start, len(self) if stop is None else stop)

    def count(self, operation: Operation) -> int:
        """Return the number of equal operations."""
        return sum(each == operation for each in self)

    def _slices(self) -> Iterable[BatchSlice]:
        return NodeBatches(NODE_TYPES, self)._slices() if self.slices is None else self.slices

    @classmethod
    def from_arrow(cls, table: Any, *, limits: Limits | None = None) -> Patch:
        """Return the patch whose operations are the rows of a table, in their order.

        This reverses `to_arrow`, `to_pandas` and `to_polars`, except that the IRI of the default
        graph becomes None. It also accepts other tables.
        The columns ``s``, ``p`` and ``o`` must contain terms as N-Triples text; ``op``, ``g`` and
        ``name`` are optional. Without ``op`` all rows are additions. The numbers in ``patch``,
        ``txn`` and ``seq`` are not read.

        Args:
            table: A table or record batch of any library that supports Arrow: pyarrow, pandas,
                polars, DuckDB.
            limits: The limits on a term's size.

        Raises:
            ModuleNotFoundError: pyarrow is missing.
            TypeError: ``table`` is not a table.
            EncodeError: A row is not an operation, or an ``END`` comes before the last row; the
                message contains the zero-based number of the row. Or a column is missing, has the
                wrong type, or is unknown.
            LimitError: A term is larger than ``limits``.

        Examples:
            >>> from rdflib import Literal, URIRef
            >>> from jelly_rdflib import Op
            >>> patch = Patch([(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o", "en"), None)])
            >>> print(Patch.from_arrow(patch.to_arrow()))
            A <urn:s> <urn:p> "o"@en .
        """
        return cls.of_slices(importers.import_arrow().read_patch(table, limits=limits))

    def to_text(self) -> str:
        """Return the whole patch as RDF Patch text.

        Raises:
            EncodeError: A transaction of the patch does not end, or the text can't express an
                operation.
        """
        return self.serialize(format="rdf-patch").decode()

    @overload
    def serialize(
        self, *, format: JellyPatchFormat | None = None, options: PatchOptions | None = None
    ) -> bytes: ...
    @overload
    def serialize(self, *, format: ChangeFormat | None = None, options: None = None) -> bytes: ...
    def serialize(
        self, *, format: ChangeFormat | None = None, options: PatchOptions | None = None
    ) -> bytes:
        """Return the patch as the bytes of a file.

        Args:
            format: The name of the format, an extension or a media type; see
                `jelly_rdflib.PatchWriter`. By default Jelly-Patch.
            options: The options of the stream; see `jelly_rdflib.PatchWriter`.

        Raises:
            EncodeError: The format or the options can't express an operation; see
                `jelly_rdflib.PatchWriter`.
            LookupError: The format is unknown.
            ValueError: An argument is incompatible with the others; see `jelly_rdflib.PatchWriter`.
                For example, a transaction of the patch does not end.
        """
        file = io.BytesIO()
        self._write(file, options, format)
        return file.getvalue()

    @overload
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        options: PatchOptions | None = None,
        format: JellyPatchFormat | None = None,
    ) -> None: ...
    @overload
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        options: None = None,
        format: ChangeFormat | None = None,
    ) -> None: ...
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        options: PatchOptions | None = None,
        format: ChangeFormat | None = None,
    ) -> None:
        """Write the patch to a file, which is replaced; its extension selects the format.

        Args:
            path: The file, such as ``"changes.jellyp"`` or ``"changes.rdfp.gz"``.
            options: The options of the stream; see `jelly_rdflib.PatchWriter`.
            format: The name of the format, an extension or a media type; see
                `jelly_rdflib.PatchWriter`.

        Raises:
            EncodeError: The format or the options can't express an operation; see
                `jelly_rdflib.PatchWriter`.
            LookupError: The format is unknown.
            ValueError: An argument is incompatible with the others; see `jelly_rdflib.PatchWriter`.
            OSError: The path can't be opened or written.
        """
        self._write(path, options, format)

    def _like(self, rows: Tabular) -> Patch:
        """Return the patch of ``rows``, which were made from this patch."""
        return self._shown(Patch.of_slices(list(rows._slices())))

    def _shown(self, other: Patch) -> Patch:
        """Return another patch, made from this one, with the same prefixes for notebooks."""
        other._prefixes = self._prefixes
        return other

    def _write(self, destination: Any, options: PatchOptions | None, format: Any) -> None:
        with PatchWriter(destination, options, format=format) as writer:
            writer.write_all(self)

    def invert(self) -> Patch:
        """Return the inverse: the patch that undoes this one.

        See `jelly_rdflib.invert`.

        Raises:
            PatchError: The patch can't be undone; see `jelly_rdflib.invert`.
            ApplyError: An operation can't be applied, or the patch is out of order; see
                `jelly_rdflib.invert`.
        """
        return self._like(invert(self))

    def compact(self, *, assume_effective: bool = False) -> Patch:
        """Return the smallest patch with the same effect on any dataset.

        See `jelly_rdflib.compact`.

        Args:
            assume_effective: Whether each operation is known to change something; see
                `jelly_rdflib.compact`.

        Raises:
            ApplyError: An operation can't be applied, or the patch is out of order; see
                `jelly_rdflib.compact`.
        """
        return self._like(compact(self, assume_effective=assume_effective))

    def effective(self, dataset: Graph) -> Patch:
        """Return the part of the patch that changes something in a graph or dataset.

        See `jelly_rdflib.effective`.

        Args:
            dataset: The target of the patch.

        Raises:
            ApplyError: An operation can't be applied, or the patch is out of order; see
                `jelly_rdflib.effective`.
        """
        return self._like(NodeBatches(NODE_TYPES, effective(self, dataset)))

    def apply(self, target: Graph, *, atomic: bool = True, strict: bool = False) -> ApplyResult:
        """Apply the patch to a graph or dataset.

        Args:
            target: The graph or dataset to change.
            atomic: Whether a transaction that fails is undone; see `jelly_rdflib.apply`.
            strict: Whether to refuse the patch if an operation changes nothing; see
                `jelly_rdflib.apply`.

        Raises:
            ApplyError: An operation can't be applied, or the patch is out of order; see
                `jelly_rdflib.apply`.
        """
        return apply(self, target, atomic=atomic, strict=strict)


def join_parts(parts: Iterable[Operation | Batch]) -> Patch:
    """Return a patch made from batches and single operations, which become rows of batches."""
    slices: list[BatchSlice] = []
    for cls, run in groupby(parts, type):
        found: Any = iter(run)
        for batch in found if cls is Batch else NodeBatches(NODE_TYPES, found):
            slices += batch._slices()
    return Patch.of_slices(slices)


def _lines_of(operations: Patch) -> str:
    """Return the lines of operations, which may be parts of transactions."""
    file = io.BytesIO()
    for is_bare, run in groupby(operations, key=lambda operation: len(operation) == 1):
        if is_bare:
            file.write("".join(f"{Op(op).name} .\n" for op, *_ in run).encode())
            continue
        shown = list(run)
        lines = io.BytesIO()
        try:
            with PatchWriter(lines, format="rdf-patch") as writer:
                writer.write_all(shown)
            file.write(lines.getvalue())
        except (EncodeError, LimitError):
            # Show the operations in another way, since `print` must not fail if RDF Patch text
            # can't express one.
            file.write("".join(f"... {show(operation)} ...\n" for operation in shown).encode())
    return file.getvalue().decode().rstrip("\n")
