"""Converts batches to bytes and back, for temporary files of this process."""

ctypedef struct Sizes:
    size_t rows, terms, text, has_graphs

cdef enum:
    # The number of bytes of a row, and of a term without its text, in the columns.
    ROW_SIZE = 4 * 4 + 1
    TERM_SIZE = 8 + 2 * 4 + 1


cdef bytes as_bytes(const void* column, size_t size):
    return (<const char*>column)[:size]


def dump_batch(Batch batch not None):
    """Return a batch, without its metadata, as bytes that only this process can read."""
    cdef const RowColumns* rows = &batch.rows
    cdef const TermColumns* terms = &batch.terms.columns
    cdef Sizes sizes
    sizes.rows, sizes.terms, sizes.text = rows.count, terms.count, terms.offsets[terms.count]
    sizes.has_graphs = batch.has_graphs
    return b"".join([
        as_bytes(&sizes, sizeof(sizes)),
        as_bytes(rows.s, rows.count * 4), as_bytes(rows.p, rows.count * 4),
        as_bytes(rows.o, rows.count * 4), as_bytes(rows.g, rows.count * 4),
        as_bytes(rows.ops, rows.count),
        as_bytes(terms.hashes, terms.count * 8), as_bytes(terms.offsets, (terms.count + 1) * 4),
        as_bytes(terms.extras, terms.count * 4), as_bytes(terms.kinds, terms.count),
        as_bytes(terms.data, sizes.text),
    ])


def load_batch(bytes dumped not None, NodeMaker factory not None):
    """Return the batch from which `dump_batch` made these bytes."""
    cdef const uint8_t* start = dumped
    cdef size_t rows_size, terms_size
    cdef Sizes sizes
    cdef RowColumns rows
    cdef TermColumns terms
    memcpy(&sizes, start, min(sizeof(sizes), <size_t>len(dumped)))
    rows_size, terms_size = sizes.rows * ROW_SIZE, sizes.terms * TERM_SIZE + 4
    if <size_t>len(dumped) != sizeof(sizes) + rows_size + terms_size + sizes.text:
        raise ValueError("these are not the bytes of a batch")
    # Without spare capacity the row columns are contiguous, and so are the term columns.
    if rows_init(&rows, sizes.rows) < 0:
        raise MemoryError
    if terms_init(&terms, <uint32_t>sizes.terms - 1, sizes.text, MAX_TABLE_TEXT) < 0:
        rows_free(&rows)
        raise MemoryError
    rows.count, terms.count = sizes.rows, <uint32_t>sizes.terms
    start += sizeof(sizes)
    memcpy(rows.s, start, rows_size)
    memcpy(terms.hashes, start + rows_size, terms_size)
    memcpy(terms.data, start + rows_size + terms_size, sizes.text)
    return make_batch(&rows, &terms, factory, sizes.has_graphs, {})
