"""The base class of all classes whose rows become Arrow tables."""

cdef class Tabular:
    """Operations that can become a table in Arrow, pandas, polars, DuckDB and others.

    All libraries that support Arrow's PyCapsule interface accept the object directly:
    ``pyarrow.table(patch)``, ``polars.DataFrame(patch)``, ``duckdb.sql("FROM patch")``. The columns
    are the same as in `jelly_rdflib.arrow.read_arrow`; Arrow's dictionaries contain each distinct
    term once. A reader yields the operations that it has not returned yet, one record batch at a
    time; a reader that is at its end, or closed, raises a ValueError.

    All of this needs pyarrow: ``pip install 'jelly-rdflib[arrow]'``.
    """

    def __arrow_c_schema__(self):
        """Return the schema of the table, in an Arrow PyCapsule."""
        return importers.import_arrow().open_table(self).schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema=None):
        """Return a stream of record batches, made on demand, in an Arrow PyCapsule."""
        return importers.import_arrow().open_table(self).__arrow_c_stream__(requested_schema)

    def to_arrow(self, columns=None, *, terms="dictionary"):
        """Return the operations as an Arrow table, one row for each operation.

        The default graph is null, as in Spark's tables.

        Args:
            columns: The columns to return, in this order; by default ``patch``, ``txn``, ``seq``,
                ``op``, ``s``, ``p``, ``o``, ``g`` and ``name``. A `PatchLog` also has ``version``
                and ``time``. Its columns ``header:KEY``, with the header KEY of each patch, are
                returned only if you name them.
            terms: ``"dictionary"``: N-Triples; a column has each distinct text once, and for each
                row the number of its text. ``"string"``: N-Triples text in each row. ``"struct"``:
                as for `jelly_rdflib.arrow.read_arrow`.

        Returns:
            A ``pyarrow.Table``.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
            ValueError: A column, or the form of terms, does not exist; or a reader has returned
                all its operations.
            DecodeError, LimitError: As raised by the reader; or a quoted triple's text is too long.
        """
        return importers.import_arrow().to_table(self, columns, terms)

    def to_pandas(self, columns=None, *, terms="dictionary"):
        """Return the operations as a pandas DataFrame; arguments and errors as for `to_arrow`.

        Text columns are categories; number columns are ``Int64``, which allows missing values.
        """
        return importers.import_arrow().to_pandas(self, columns, terms)

    def to_polars(self, columns=None, *, terms="dictionary"):
        """Return the operations as a polars DataFrame; arguments and errors as for `to_arrow`.

        Text columns are ``Categorical``.
        """
        return importers.import_arrow().to_polars(self, columns, terms)

    def _origins(self):
        """Return an iterable of each patch's version and time, or None if patches have neither."""

    def _is_used_up(self):
        """Return whether this is a reader at its end."""
        return False

    def _slices(self):
        """Return an iterable of `BatchSlice` objects with the rows."""
        raise NotImplementedError
