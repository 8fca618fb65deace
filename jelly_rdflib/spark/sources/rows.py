"""Makes rows from a file's batches, adds columns that are not in the file, and reports damage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import PatchOptions, PhysicalStreamType, StreamOptions
from jelly_rdflib.rules import Rule
from jelly_rdflib.spark.filters import Conditions
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.options import FAILFAST, PERMISSIVE, ReadOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from jelly_rdflib.core.jelly_decoder import Place

# Spark reports only the names and messages of errors in its workers, so the message has the
# advice.
_REPEATED = (
    "the stream has its options again, and the reason is unclear: set onRepeatedOptions"
    " (jellyp: --repeated-options) to restart if a new stream starts here, or to continue if the"
    " producer repeats them but keeps its lookups"
)


@dataclass(frozen=True)
class RowMaker:
    """Makes rows from files: the columns of ``schema``, some of which may be constant."""

    kind: Kind
    options: ReadOptions
    filters: Conditions
    schema: pa.Schema

    def rows(
        self,
        path: str,
        batches: AbstractContextManager[BatchSource],
        constants: Mapping[str, pa.Scalar],
        place: Place | None = None,
        first: tuple[str, str] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file, or of a part of it.

        Args:
            path: The value of the column ``file``.
            batches: The file's batches, which are opened and closed here.
            constants: The columns that are the same in all rows.
            place: The position of the first row in the file.
            first: As for `checked`.

        Raises:
            DecodeError: In the mode FAILFAST, the file is damaged; the message contains the path.
        """
        import pyarrow as pa

        corrupt = self.options.corrupt
        # Check the mode, too: in other modes a folder's column may have this name.
        has_corrupt = self.options.mode == PERMISSIVE and corrupt in self.schema.names
        if has_corrupt:
            none = pa.scalar(None, self.schema.field(corrupt).type)
            constants = {**constants, corrupt: none}
        try:
            for record_batch in self._decoded(path, batches, place, first):
                yield self._widened(record_batch, constants) if constants else record_batch
        except DecodeError as error:
            if error.rule is Rule.REPEATED_OPTIONS:
                error.message = _REPEATED
            if self.options.mode == FAILFAST:
                self.kind.explain(error, path)
                # Leave out the traceback: Spark would show all of it before the message.
                raise error.with_traceback(None) from None
            if has_corrupt:
                told = {"file": path, "offset": error.offset, "reason": str(error)}
                row = {name: value.as_py() for name, value in constants.items()}
                row |= {corrupt: told, "file": path}
                yield pa.RecordBatch.from_pylist([row], schema=self.schema)

    def _decoded(
        self,
        path: str,
        batches: AbstractContextManager[BatchSource],
        place: Place | None,
        first: tuple[str, str] | None,
    ) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from jelly_rdflib.arrow import ArrowRows

        names = self.kind.schema.names
        fields = [field for field in self.schema if field.name in names]
        limits, is_statements = self.options.limits, self.kind.is_statements
        rows = ArrowRows(
            # Keep at least one column: without columns a record batch has no number of rows.
            pa.schema(fields or [pa.field("seq", pa.int64())]),
            is_statements=is_statements,
            filter=self.filters.make(limits, is_statements=is_statements),
            file=path,
            place=place,
            limits=limits,
        )
        with batches as opened:
            yield from rows.convert(checked(opened, path, first))

    def _widened(
        self, record_batch: pa.RecordBatch, constants: Mapping[str, pa.Scalar]
    ) -> pa.RecordBatch:
        """Add columns that have the same value in all rows."""
        import pyarrow as pa

        arrays = [
            pa.repeat(constants[name], record_batch.num_rows)
            if name in constants
            else record_batch.column(name)
            for name in self.schema.names
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def statement_type(options: PatchOptions | StreamOptions | None) -> str | None:
    """Return whether a stream has triples or quads; None if it has no options."""
    if isinstance(options, StreamOptions):
        return "TRIPLES" if options.physical_type == PhysicalStreamType.TRIPLES else "QUADS"
    return None if options is None else options.statement_type.name


def checked(batches: BatchSource, path: str, first: tuple[str, str] | None) -> Iterator[Batch]:
    """Yield a file's batches; raise a ValueError if its kind of statements isn't as expected."""
    for batch in batches:
        # This is an error in every mode, since it doesn't mean that a file is damaged: triples
        # must not be mixed with quads.
        found = statement_type(batches.options)
        if first is not None and found != first[1]:
            raise ValueError(
                f"{path}: a stream of {found}, but {first[0]} is one of {first[1]}: read them one"
                " by one, and give the triples a graph"
            )
        yield batch
