"""Decodes the contents of files that Spark itself has read, with its source ``binaryFile``."""

from __future__ import annotations

import dataclasses
import hashlib
import posixpath
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats import find_format
from jelly_rdflib.log.names import FileName
from jelly_rdflib.log.staging import check_digest
from jelly_rdflib.options import Limits, RepeatedOptions, as_limits
from jelly_rdflib.streams.open_input import open_input

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from jelly_rdflib.core.batch import BatchSource

_PATH, _CONTENT = "path", "content"


def decode_files(
    files: DataFrame,
    format: str | None = None,
    *,
    statements: bool = False,
    terms: str = "string",
    mode: str = "FAILFAST",
    limits: Limits | None = None,
    on_repeated_options: RepeatedOptions = "continue",
) -> DataFrame:
    """Decode whole files to operations, or to statements.

    Spark's source ``binaryFile`` reads the files, from wherever Spark can read, with Spark's own
    connectors, listing and partition columns; a stream also has Spark's limits and clean-up. A
    file is one row, so one task reads it, and holds all of it in memory. Spark passes several files
    at once, up to ``spark.sql.execution.arrow.maxBytesPerBatch``, by default 64 MiB.

    Args:
        files: A row for each file, with ``path`` and ``content``; it may be a streaming DataFrame.
        format: The name of the format; see `jelly_rdflib.read_operations` and
            `jelly_rdflib.read_statements`. None: it is recognized by the path's extension, or else
            by the first bytes.
        statements: Whether the files contain statements; ignored if ``format`` is given.
        terms: ``"string"`` or ``"struct"``, as for the data sources.
        mode: ``"FAILFAST"``, ``"PERMISSIVE"`` or ``"DROPMALFORMED"``, as for the data sources: what
            to do with damaged files.
        limits: The limits of the input.
        on_repeated_options: How to handle a frame that repeats the options; see
            `jelly_rdflib.PatchDecoder`.

    Returns:
        A DataFrame with the columns of the data sources, where ``file`` is the path; then all other
        columns of ``files``, such as those of partitions and ``_metadata``, if it was selected.
        Files with triples and files with quads may be mixed: this is not checked.

    Raises:
        LookupError: The format is unknown.
        ValueError: A column is missing, or has the name of a column of the result; or an argument
            is invalid.
        PythonException: Raised by Spark: a file is damaged; or, in every mode, a log's file doesn't
            match the digest in its name. The message names the file.

    Examples:
        >>> from rdflib import URIRef
        >>> import jelly_rdflib as jr
        >>> frame = jr.PatchEncoder().encode_frame(
        ...     [(jr.Op.A, URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o"), None)]
        ... )
        >>> schema = "path string, content binary, day int"
        >>> files = spark.createDataFrame([("a.jellyp", frame, 7)], schema)
        >>> decode_files(files).where("op = 'A'").select("file", "s", "day").collect()
        [Row(file='a.jellyp', s='<urn:s>', day=7)]
    """
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import BinaryType, StringType, StructType

    from jelly_rdflib.spark.filters import Conditions
    from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH, check_names
    from jelly_rdflib.spark.options import ReadOptions
    from jelly_rdflib.spark.sources.rows import RowMaker

    if format is not None:
        statements = not find_format(format).holds_changes
    kind = JELLY if statements else JELLY_PATCH
    checked = ReadOptions.of({"mode": mode, "terms": terms})
    options = dataclasses.replace(checked, limits=as_limits(limits))
    own = kind.schema_for(options)
    check_names((_PATH, _CONTENT), files.columns)
    for name, expected in ((_PATH, StringType()), (_CONTENT, BinaryType())):
        if files.schema[name].dataType != expected:
            raise ValueError(f"the column {name!r} must be {expected.simpleString()}")
    others = [name for name in files.columns if name not in (_PATH, _CONTENT)]
    for name in others:
        if name.lower() in own.names:
            raise ValueError(f"the result has its own column {name!r}: rename that of files")
    own_fields = list(to_arrow_schema(own, timezone="UTC"))

    @contextmanager
    def opened(path: str, content: memoryview) -> Iterator[BatchSource]:
        if not content:
            raise DecodeError("the file is empty")
        if (segment := FileName.parse(posixpath.basename(path))) is not None:
            check_digest(hashlib.sha256(content).hexdigest(), segment.digest, path)
        try:
            batches = open_input(
                content,
                name=path,
                format=format,
                holds_changes=not statements,
                limits=options.limits,
                on_repeated_options=on_repeated_options,
            ).batches()
        except LookupError as error:
            raise DecodeError(str(error)) from error
        with closing(batches):
            yield batches

    def decode(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for record_batch in record_batches:
            fields = [*own_fields, *map(record_batch.schema.field, others)]
            maker = RowMaker(kind, options, Conditions.of(options), pa.schema(fields))
            columns = {name: record_batch.column(name) for name in record_batch.schema.names}
            for row in range(record_batch.num_rows):
                path, content = columns[_PATH][row].as_py(), columns[_CONTENT][row]
                if path is None or not content.is_valid:
                    raise ValueError(f"the path or the content of a file is null: {path}")
                values = {name: columns[name][row] for name in others}
                data = memoryview(content.as_buffer()).cast("B")
                yield from maker.rows(path, opened(path, data), values)

    rest = [files.schema[name] for name in others]
    result = StructType([*own, *rest])
    return files.select(_PATH, _CONTENT, *others).mapInArrow(decode, result)
