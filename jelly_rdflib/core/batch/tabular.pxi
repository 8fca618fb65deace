"""What all that have rows of batches have in common: they are tables."""

cdef class Tabular:
    """Operations that become a table: of Arrow, and so of pandas, polars, DuckDB and others.

    All that know Arrow's PyCapsule interface take it as it is: ``pyarrow.table(patch)``,
    ``polars.DataFrame(patch)``, ``duckdb.sql("FROM patch")``. The columns are those of
    `jelly_rdflib.arrow.read_arrow`, with each distinct term once, as Arrow's dictionaries have it.
    A reader gives what it has not given yet, record batch by record batch.

    All of this needs pyarrow: ``pip install 'jelly-rdflib[arrow]'``.
    """

    def __arrow_c_schema__(self):
        """Return the schema of the table, in a capsule of Arrow."""
        return importers.import_arrow().open_table(self).schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema=None):
        """Return a stream of record batches, in a capsule of Arrow; they are made as asked for."""
        return importers.import_arrow().open_table(self).__arrow_c_stream__(requested_schema)

    def to_arrow(self, columns=None, *, terms="dictionary"):
        """Return the operations as a table of Arrow; a row is an operation.

        The default graph of a dataset is ``<urn:x-rdflib:default>``, and no graph is null, so that
        `Patch.from_arrow` makes the same patch again.

        Args:
            columns: The wanted columns, in this order; by default all: ``patch``, ``txn``, ``seq``,
                ``op``, ``s``, ``p``, ``o``, ``g`` and ``name``. A `PatchLog` also has ``version``
                and ``time``, and of the header KEY of each patch ``header:KEY``, which must be named.
            terms: ``"dictionary"``: N-Triples; a column has each distinct text once, and for each
                row the number of its text. ``"string"``: N-Triples, in each row. ``"struct"``: as
                for `jelly_rdflib.arrow.read_arrow`.

        Returns:
            A ``pyarrow.Table``.

        Raises:
            ModuleNotFoundError: pyarrow is missing.
            ValueError: A column, or the form of terms, does not exist.
            DecodeError, LimitError: As by the reader; or a quoted triple is too long as text.
        """
        return importers.import_arrow().to_table(self, columns, terms)

    def to_pandas(self, columns=None, *, terms="dictionary"):
        """Return the operations as a DataFrame of pandas; arguments and errors as `to_arrow`.

        Columns of text are categories, those of numbers ``Int64``, which may be missing.
        """
        return importers.import_arrow().to_pandas(self, columns, terms)

    def to_polars(self, columns=None, *, terms="dictionary"):
        """Return the operations as a DataFrame of polars; arguments and errors as `to_arrow`.

        Columns of text are ``Categorical``.
        """
        return importers.import_arrow().to_polars(self, columns, terms)

    def _origins(self):
        """Return an iterable of the version and time of each patch; None: they have none."""

    def _slices(self):
        """Return an iterable of the `BatchSlice` that have the rows."""
        raise NotImplementedError
