r"""Converts operations to and from Arrow tables, and files to and from record batches.

A row is an operation. Terms are N-Triples text. Each term has one spelling, so that terms are equal
if their texts are equal:

- canonical N-Triples; a literal of ``xsd:string`` keeps its datatype, as rdflib and the rest of
  this package distinguish it from a literal without datatype;
- characters that N-Triples forbids in the label of a blank node are written ``\uXXXX`` or
  ``\UXXXXXXXX``;
- a quoted triple is ``<< s p o >>``.

The default graph is null. The tables of patches and readers (`jelly_rdflib.Patch.to_arrow`) have
the same rows and columns.

This needs pyarrow: ``pip install 'jelly-rdflib[arrow]'``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, islice
from typing import Any, Literal

from jelly_rdflib.core.arrow import (
    TERM_COLUMNS,
    ColumnBatches,
    RowColumnsBuilder,
    RowFilter,
    TextColumnView,
)
from jelly_rdflib.core.batch import Batch, BatchSlice, Tabular
from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.extras import advice
from jelly_rdflib.formats import find_format
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.headers import Headers
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions, StreamOptions, as_limits
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter
from jelly_rdflib.types import ChangeFormat, JellyFormat, Readable, StatementFormat, Writable

with advice("jelly_rdflib.arrow", "jelly-rdflib[arrow]"):
    import pyarrow as pa
    import pyarrow.compute as pc

OPERATION_COLUMNS = ("file", "patch", "txn", "seq", "op", "s", "p", "o", "g", "name")
STATEMENT_COLUMNS = ("file", "frame", "seq", "s", "p", "o", "g")
NUMBERS = ("patch", "txn", "seq", "frame")
TERM_STRUCT = pa.struct([(name, pa.string()) for name in ("kind", "value", "datatype", "lang")])
# Indexes are signed 32-bit integers, the only ones that pandas accepts.
TEXT_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
# The dictionary of a column of nulls; it contains a string, since DuckDB before 1.5 crashes if a
# dictionary is empty.
NO_TEXTS = pa.array([""])
# The limits of a record batch. Larger ones take more memory and are not faster.
MAX_ROWS = 1 << 14
MAX_BYTES = 1 << 24


def arrow_schema(columns: Iterable[str], *, terms: str = "string") -> pa.Schema:
    """Return the schema of record batches with these columns.

    Args:
        columns: Some of `OPERATION_COLUMNS` or of `STATEMENT_COLUMNS`.
        terms: How terms are represented; see `read_arrow`. ``"dictionary"`` is as in
            `jelly_rdflib.Patch.to_arrow`.

    Raises:
        ValueError: A column does not exist.

    Examples:
        >>> print(arrow_schema(["seq", "s"]))
        seq: int64
        s: string
    """
    text = TEXT_DICTIONARY if terms == "dictionary" else pa.string()
    term = TERM_STRUCT if terms == "struct" else text
    fields = []
    for name in columns:
        if name not in OPERATION_COLUMNS and name not in STATEMENT_COLUMNS:
            raise ValueError(f"there is no column {name!r}")
        kind = pa.int64() if name in NUMBERS else term if name in TERM_COLUMNS else text
        # The file's name needs no dictionary of terms: it is the same in all rows, and not a term.
        fields.append(pa.field(name, pa.string() if name == "file" else kind))
    return pa.schema(fields)


# The schema of all tables of patches and readers.
TABLE_SCHEMA = arrow_schema(OPERATION_COLUMNS[1:], terms="dictionary")
# Additional columns of a log's table, about the patch of each row. The column of a header is named
# by this prefix and the header's key.
LOG_COLUMNS = {"version": pa.int64(), "time": pa.timestamp("us", "UTC")}
HEADER = "header:"


class ArrowRows:
    """Converts batches to record batches.

    Args:
        schema: The wanted columns, as from `arrow_schema`; fields may also be declared not null.
        is_statements: Whether the batches have statements: then ``frame`` counts batches.
        filter: The filter of rows; None: all rows.
        file: The value of the column ``file``.
        place: The `place` after earlier rows of the file, from which the numbering continues.
        limits: The limits with which the input was read.
        max_rows: The number of rows of a full record batch.
        max_bytes: The number of bytes of text with which a record batch is full.
    """

    def __init__(
        self,
        schema: pa.Schema,
        *,
        is_statements: bool = False,
        filter: RowFilter | None = None,
        file: str | None = None,
        place: tuple[int, int, int, int, int] | None = None,
        limits: Limits | None = None,
        max_rows: int = MAX_ROWS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._schema = schema
        self._file = file
        # The core has one counter for patches and for frames, named "patch".
        self._sources = ["patch" if name == "frame" else name for name in schema.names]
        self._builder = RowColumnsBuilder(
            columns=self._sources,
            max_text_size=as_limits(limits).max_text_size,
            is_struct=any(field.type == TERM_STRUCT for field in schema),
            is_dictionary=any(field.type == TEXT_DICTIONARY for field in schema),
            filter=filter,
            counts_frames=is_statements,
            place=place,
            max_rows=max_rows,
            max_bytes=max_bytes,
        )

    @property
    def place(self) -> tuple[int, int, int, int, int]:
        """The position of the next row in the file."""
        return self._builder.place

    def convert(self, batches: Iterable[Batch | BatchSlice]) -> Iterator[pa.RecordBatch]:
        """Convert batches; if one has an error, yield the rows before it first."""
        try:
            for batch in batches:
                yield from self.add(batch)
        except Exception:
            yield from self.flush()
            raise
        yield from self.flush()

    def add(self, rows: Batch | BatchSlice) -> Iterator[pa.RecordBatch]:
        """Add the rows of a batch, and yield full record batches."""
        if isinstance(rows, Batch):
            rows = BatchSlice(rows, 0, len(rows))
        start = rows.start
        while start < rows.stop:
            start = self._builder.append(rows.batch, start, rows.stop)
            if self._builder.is_full():
                yield self._drain()

    def flush(self) -> Iterator[pa.RecordBatch]:
        """Yield the remaining rows, if any."""
        if len(self._builder) > 0:
            yield self._drain()

    def _drain(self) -> pa.RecordBatch:
        count = len(self._builder)
        columns = self._builder.drain()
        arrays = [
            pa.repeat(pa.scalar(self._file, pa.string()), count)
            if name == "file"
            else _array(field.type, count, columns[name])
            for field, name in zip(self._schema, self._sources, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _array(kind: pa.DataType, count: int, parts: list[Any]) -> pa.Array:
    """Make an array of the parts of a column that `RowColumnsBuilder.take` returns."""
    if kind == TERM_STRUCT:
        children = [_array(pa.string(), count, [part]) for part in parts]
        # A term is null if its kind is null.
        valid, nulls = children[0].buffers()[:1], children[0].null_count
        return pa.Array.from_buffers(kind, count, valid, nulls, children=children)
    [(memories, nulls, *dictionary)] = parts
    buffers = [None if memory is None else pa.py_buffer(memory) for memory in memories]
    if not dictionary:
        return pa.Array.from_buffers(kind, count, buffers, nulls)
    texts, size = dictionary
    numbers = pa.Array.from_buffers(kind.index_type, count, buffers, nulls)
    values = _array(kind.value_type, size, [(texts, 0)]) if size else NO_TEXTS
    return pa.DictionaryArray.from_arrays(numbers, values, safe=False)


def open_table(
    rows: Tabular, columns: Iterable[str] | None = None, terms: str = "dictionary"
) -> pa.RecordBatchReader:
    """Return a reader of record batches, which makes each batch when it is requested.

    The arguments and errors are those of `jelly_rdflib.Patch.to_arrow`.
    """
    schema, record_batches = _open_rows(rows, columns, terms)
    return pa.RecordBatchReader.from_batches(schema, record_batches)


def to_table(
    rows: Tabular, columns: Iterable[str] | None = None, terms: str = "dictionary"
) -> pa.Table:
    """Do what `jelly_rdflib.Patch.to_arrow` does."""
    # Don't use a RecordBatchReader, which would turn our errors into its own.
    schema, record_batches = _open_rows(rows, columns, terms)
    return pa.Table.from_batches(list(record_batches), schema)


def to_record_batch(batch: Batch) -> pa.RecordBatch:
    """Return all rows of a batch as one record batch."""
    rows = ArrowRows(
        TABLE_SCHEMA,
        max_rows=sys.maxsize,
        max_bytes=sys.maxsize,
    )
    for record_batch in rows.convert([batch]):
        return record_batch
    return pa.RecordBatch.from_pylist([], TABLE_SCHEMA)


def to_pandas(
    rows: Tabular, columns: Iterable[str] | None = None, terms: str = "dictionary"
) -> Any:
    """Do what `jelly_rdflib.Patch.to_pandas` does."""
    with advice("to_pandas", "pandas"):
        import pandas
    table = to_table(rows, columns, terms)
    return table.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)


def to_polars(
    rows: Tabular, columns: Iterable[str] | None = None, terms: str = "dictionary"
) -> Any:
    """Do what `jelly_rdflib.Patch.to_polars` does."""
    with advice("to_polars", "polars"):
        import polars
    return polars.DataFrame(to_table(rows, columns, terms))


def _open_rows(
    rows: Tabular, columns: Iterable[str] | None, terms: str
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    if terms not in ("dictionary", "string", "struct"):
        raise ValueError(f"terms is 'dictionary', 'string' or 'struct', not {terms!r}")
    if rows._is_used_up():
        raise ValueError("the reader is exhausted or closed, and can be read only once: reopen it")
    origins = rows._origins()
    known = [*(() if origins is None else LOG_COLUMNS), *TABLE_SCHEMA.names]
    names = known if columns is None else list(columns)
    keys = [name for name in names if origins is not None and name.startswith(HEADER)]
    for name in names:
        if name not in known and name not in keys:
            raise ValueError(f"there is no column {name!r}: there are {', '.join(known)}")
    made = [name for name in names if name in TABLE_SCHEMA.names]
    if origins is not None:
        needed = ("patch", "op", "name", "o") if keys else ("patch",)
        made += [name for name in needed if name not in made]
    schema = arrow_schema(made, terms=terms)
    found = ArrowRows(schema).convert(rows._slices())
    if origins is None:
        return schema, found
    term = arrow_schema(["o"], terms=terms).field("o").type
    types = {**dict.fromkeys(keys, term), **LOG_COLUMNS}
    schema = pa.schema([(name, types.get(name) or schema.field(name).type) for name in names])
    return schema, _add_columns_of_log(found, schema, keys, iter(origins))


def _add_columns_of_log(
    record_batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    keys: list[str],
    origins: Iterator[tuple[int, datetime]],
) -> Iterator[pa.RecordBatch]:
    """Choose the columns of a schema, and make the columns about the patch of each row."""
    # The version and time of each patch, and its headers so far.
    patches: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = []
    unseen = set(keys)
    for rows in record_batches:
        numbers = rows.column("patch")
        first, last = numbers[0].as_py(), numbers[-1].as_py()
        while len(patches) < last:
            patches.append((dict(zip(LOG_COLUMNS, next(origins), strict=True)), []))
        if keys:
            # Headers come before all other rows of a patch.
            for row in rows.filter(
                pc.call_function("equal", [_decoded(rows.column("op")), "H"])
            ).to_pylist():
                patches[row["patch"] - 1][1].append((row["name"], row["o"]))
        places = pc.call_function("subtract", [numbers, first])
        arrays = {name: rows.column(name) for name in rows.schema.names}
        known = patches[first - 1 : last]
        for name in LOG_COLUMNS.keys() & set(schema.names):
            arrays[name] = pa.array([origin[name] for origin, _ in known], LOG_COLUMNS[name]).take(
                places
            )
        for name in keys:
            key = name.removeprefix(HEADER)
            values = [Headers(headers).get(key) for _, headers in known]
            if any(values):
                unseen.discard(name)
            arrays[name] = _spread(values, places, schema.field(name).type)
        yield pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema)
    if unseen and patches:
        there = sorted({key for _, headers in patches for key, _ in headers})
        key = min(unseen).removeprefix(HEADER)
        warn(f"no patch of the log has the header {key!r}: there are {', '.join(there)}")


def _decoded(texts: pa.Array) -> pa.Array:
    return texts.dictionary_decode() if isinstance(texts, pa.DictionaryArray) else texts


def _spread(values: list[Any], places: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return an array with the value at each of ``places``."""
    if kind != TEXT_DICTIONARY:
        return pa.array(values, kind).take(places)
    distinct = dict.fromkeys(text for text in values if text is not None)
    texts = {text: number for number, text in enumerate(distinct)}
    numbers = pa.array([texts.get(text) for text in values], kind.index_type).take(places)
    return pa.DictionaryArray.from_arrays(numbers, pa.array(texts) if texts else NO_TEXTS)


def read_arrow(
    source: Readable,
    *,
    columns: Iterable[str] | None = None,
    terms: Literal["string", "struct"] = "string",
    file: str | None = None,
    limits: Limits | None = None,
    format: ChangeFormat | StatementFormat | None = None,
    isolated: bool = False,
    max_rows: int = MAX_ROWS,
    on_repeated_options: RepeatedOptions = "continue",
) -> Iterator[pa.RecordBatch]:
    """Iterate over a file's operations, or its statements, as Arrow record batches.

    Args:
        source: What to read: bytes, a path or a binary file; see `jelly_rdflib.read_batches`.
        columns: The wanted columns, in this order. By default those of changes: ``patch``,
            ``txn``, ``seq``, ``op``, ``s``, ``p``, ``o``, ``g`` and ``name``. With ``frame``
            instead of ``patch``, frames are counted and only additions are read, as statements.
        terms: ``"string"``: N-Triples, see above. ``"struct"``: structs of kind (``iri``,
            ``bnode``, ``literal`` or ``triple``), value (the IRI, the label, the lexical form, or
            the triple's N-Triples), datatype and lang.
        file: The value of the column ``file``.
        limits: The limits on the input; by default the defaults of `Limits`.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_batches`.
        isolated: Whether to parse a text in a child process; see `jelly_rdflib.read_batches`.
        max_rows: The number of rows of a full record batch.
        on_repeated_options: How to handle a frame that repeats the options; see
            `jelly_rdflib.PatchDecoder`.

    Returns:
        An iterator of record batches.

    Raises:
        DecodeError: The input breaks a rule of the format. (Raised by the iterator.)
        LimitError: The input exceeds ``limits``.
        ValueError: A column, or the form of terms, does not exist.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import Op, PatchEncoder
        >>> frame = PatchEncoder().encode_frame(
        ...     [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("chat", lang="fr"), None)]
        ... )
        >>> next(read_arrow(frame, columns=["op", "s", "o"])).to_pylist()[:1]
        [{'op': 'A', 's': '<urn:s>', 'o': '"chat"@fr'}]
    """
    if terms not in ("string", "struct"):
        raise ValueError(f"terms is 'string' or 'struct', not {terms!r}")
    wanted = list(OPERATION_COLUMNS[1:] if columns is None else columns)
    is_statements = "frame" in wanted
    rows = ArrowRows(
        arrow_schema(wanted, terms=terms),
        is_statements=is_statements,
        filter=RowFilter(ops=[Op.A]) if is_statements else None,
        file=file,
        limits=limits,
        max_rows=max_rows,
    )
    return rows.convert(
        read_batches(
            source,
            limits=limits,
            format=format,
            isolated=isolated,
            on_repeated_options=on_repeated_options,
        )
    )


def read_record_batches(
    record_batches: Iterable[pa.RecordBatch] | Any, *, limits: Limits | None = None
) -> Iterator[Batch]:
    """Convert record batches of operations or statements to batches: the reverse of `read_arrow`.

    Args:
        record_batches: Record batches; or a table, as for `jelly_rdflib.Patch.from_arrow`. They
            have the columns ``s``, ``p`` and ``o``, as text, and may have ``op`` (without it all
            rows are additions), ``g`` and ``name``. Other columns of `read_arrow`, and those of a
            log, are ignored.
        limits: The limits on a term's size.

    Raises:
        EncodeError: A row is not an operation (the message contains its zero-based number), or a
            column is missing, unknown or of another type. (Raised by the iterator.)
        TypeError: ``record_batches`` is neither record batches nor a table. (Raised by the
            iterator.)
    """
    maker = ColumnBatches(make_node_factory(False), as_limits(limits))
    first = 0
    for record_batch in _open_stream(record_batches) or record_batches:
        if not isinstance(record_batch, pa.RecordBatch):
            raise TypeError(
                f"{type(record_batch).__name__} is not a record batch: give a table itself, or"
                " record batches, such as table.to_batches()"
            )
        _check_names(record_batch.schema.names)
        views = {name: _view(record_batch, name) for name in ("op", *TERM_COLUMNS, "name")}
        for name in ("s", "p", "o"):
            if views[name] is None:
                raise EncodeError(
                    f"there is no column {name!r}: operations need op, s, p and o, and for graphs,"
                    " headers and prefixes g and name; statements need s, p and o"
                )
        start = 0
        while start < record_batch.num_rows:
            batch, start = maker.make(start, views, first)
            yield batch
        first += record_batch.num_rows


def _view(record_batch: pa.RecordBatch, name: str) -> TextColumnView | None:
    if name not in record_batch.schema.names:
        return None
    column = record_batch.column(name)
    if pa.types.is_struct(column.type):
        raise EncodeError(
            f"column {name!r} has structs: terms must be N-Triples text, as with terms='string'"
        )
    if column.type != pa.string():
        if not _is_text(column.type) and column.null_count < len(column):
            raise EncodeError(f"column {name!r} has the type {column.type}, not string")
        if pa.types.is_dictionary(column.type):
            texts = column.dictionary.cast(pa.string())
            column = pa.DictionaryArray.from_arrays(column.indices, texts).dictionary_decode()
        column = column.cast(pa.string())
    valid, offsets, data = column.buffers()
    return TextColumnView(len(column), column.offset, valid, offsets, data)


def _is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type may have strings; a column of nulls is accepted, too."""
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    is_text: bool = (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_null(kind)
    )
    return is_text


def _open_stream(table: Any) -> pa.RecordBatchReader | None:
    """Return a reader of a table, or of one record batch; None for other objects."""
    if hasattr(table, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(table)
    if hasattr(table, "__arrow_c_array__"):
        record_batch = pa.record_batch(table)
        return pa.RecordBatchReader.from_batches(record_batch.schema, [record_batch])
    return None


def _check_names(names: Iterable[str]) -> None:
    known = {*OPERATION_COLUMNS, *STATEMENT_COLUMNS, *LOG_COLUMNS}
    for name in names:
        # Ignore an index column, which pandas adds to a selection of rows.
        if name not in known and not name.startswith((HEADER, "__index_level_")):
            raise EncodeError(
                f"a patch has no column {name!r}: its columns are {', '.join(TABLE_SCHEMA.names)}"
            )


def read_patch(table: Any, *, limits: Limits | None = None) -> list[BatchSlice]:
    """Do what `jelly_rdflib.Patch.from_arrow` does; return the rows of the patch."""
    reader = _open_stream(table)
    if reader is None:
        raise TypeError(f"{type(table).__name__} is not a table: it has no __arrow_c_stream__")
    _check_names(reader.schema.names)
    slices: list[BatchSlice] = []
    count = 0
    end = None
    for batch in read_record_batches(reader, limits=limits):
        stop = bytes(batch.ops).find(Op.END)
        if end is None and stop >= 0:
            end = count + stop
        count += len(batch)
        if end is not None and end < count - 1:
            raise EncodeError(
                f"row {end}: the patch ends, but rows follow: choose the rows of one patch, or"
                " leave out the rows END"
            )
        slices.append(BatchSlice(batch, 0, len(batch) if stop < 0 else stop))
    return slices


def write_arrow(
    record_batches: Iterable[pa.RecordBatch] | Any,
    destination: Writable,
    *,
    options: PatchOptions | StreamOptions | None = None,
    format: ChangeFormat | JellyFormat | None = None,
    limits: Limits | None = None,
) -> None:
    """Write record batches of operations, or of statements.

    Args:
        record_batches: The rows, as record batches or as a table; see `read_record_batches`.
        destination: A path, or a binary file; see `jelly_rdflib.PatchWriter`.
        options: The stream's options. With `StreamOptions` rows are written as statements of
            Jelly-RDF, and a row whose op is not A is refused.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.PatchWriter`. ``"jelly-rdf"`` needs `StreamOptions`.
        limits: The limits on a term's size.

    Raises:
        EncodeError: A row is not an operation, or can't be expressed with the options; or the last
            transaction is open. The rows before it are written; but if a column or one of the
            first rows is wrong, the destination stays as it was.
        LookupError: The format is unknown.
        TypeError: ``record_batches`` is neither record batches nor a table.
        ValueError: An argument is incompatible with the others; see `jelly_rdflib.PatchWriter`.
        OSError: The path can't be opened or written.

    Examples:
        >>> import io, jelly_rdflib, pyarrow
        >>> rows = pyarrow.record_batch({"op": ["A"], "s": ["_:b"], "p": ["<urn:p>"], "o": ['"1"']})
        >>> file = io.BytesIO()
        >>> write_arrow([rows], file, format="rdf-patch")
        >>> print(file.getvalue().decode(), end="")
        A <_:b> <urn:p> "1" .
    """
    is_statements = isinstance(options, StreamOptions) or (
        format is not None and not find_format(format).holds_changes
    )
    batches = read_record_batches(record_batches, limits=limits)
    if is_statements:
        batches = map(_check_statements, batches)
    # Convert the first rows before the file is opened, since opening overwrites it.
    batches = chain(list(islice(batches, 1)), batches)
    make: Any = StatementWriter if is_statements else PatchWriter
    count = 0
    with make(destination, options, format=format) as writer:
        for batch in batches:
            try:
                writer.write_all(batch)
            except EncodeError as error:
                if error.batch_row is not None:
                    error.message = f"row {count + error.batch_row}: {error.message}"
                raise
            count += len(batch)


def _check_statements(batch: Batch) -> Batch:
    others = bytes(batch.ops).translate(None, bytes([Op.A]))
    if others:
        raise EncodeError(
            f"operation {Op(others[0]).name} is not a statement: the format has only"
            " statements, so write jelly-patch"
        )
    return batch
