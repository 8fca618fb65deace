"""Gives blank nodes labels that no other document has."""

@cython.nonecheck(True)
@cython.final
cdef class RelabelledBatches(BatchSource):
    """Puts a prefix before the label of each blank node in batches.

    Args:
        batches: New batches, without nodes or exported columns. They are changed in place.
        prefix: The prefix, in ASCII.
    """

    cdef BatchSource batches
    cdef bytes prefix

    def __cinit__(self, BatchSource batches not None, str prefix not None):
        self.batches = batches
        self.prefix = prefix.encode("ascii")

    @property
    def options(self):
        """The stream's options, or None before they are read, and for formats without options."""
        return self.batches.options

    cdef Batch read_batch(self):
        cdef Batch batch = self.batches.next_batch()
        if batch is not None:
            relabel(&batch.terms.columns, self.prefix)
        return batch

    cdef int locate_error(self, error) except -1:
        return self.batches.place_error(error)

    cdef int close_source(self) except -1:
        self.batches.close()
        return 0


cdef int relabel(TermColumns* terms, bytes prefix) except -1:
    cdef const uint8_t* start = prefix
    cdef size_t size = len(prefix)
    cdef size_t added = 0
    cdef uint8_t* data
    cdef uint32_t[3] numbers
    cdef uint32_t term, offset, length
    cdef uint64_t hash
    for term in range(1, terms.count):
        if terms.kinds[term] == TermKind.BLANK_NODE:
            added += size
    if added == 0:
        return 0
    if terms.offsets[terms.count] + added > MAX_TABLE_TEXT:
        raise LimitError("the terms of a batch have more than 4 GiB of text")
    data = <uint8_t*>PyMem_RawMalloc(terms.offsets[terms.count] + added + DATA_SLACK)
    if data == NULL:
        raise MemoryError
    # The old text of a term starts at the old end of the text before it.
    offset = 0
    added = 0
    for term in range(1, terms.count):
        length = terms.offsets[term + 1] - offset
        if terms.kinds[term] == TermKind.BLANK_NODE:
            memcpy(data + offset + added, start, size)
            memcpy(data + offset + added + size, terms.data + offset, length)
            hash = hash_text(data + offset + added, size + length, hash_seed())
            terms.hashes[term] = term_hash(TermKind.BLANK_NODE, hash, 0)
            added += size
        else:
            memcpy(data + offset + added, terms.data + offset, length)
            if terms.kinds[term] == TermKind.TRIPLE_TERM:
                memcpy(numbers, terms.data + offset, sizeof(numbers))
                terms.hashes[term] = triple_hash(terms, numbers[0], numbers[1], numbers[2])
        offset = terms.offsets[term + 1]
        terms.offsets[term + 1] += <uint32_t>added
    PyMem_RawFree(terms.data)
    terms.data = data
    terms.data_capacity = offset + added
    return 0
