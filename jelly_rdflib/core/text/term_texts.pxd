# Terms as text: that of canonical N-Triples, or that of RDF Patch.

ctypedef struct WrittenTerm:
    # Where the text of a term stands; size 0: nowhere yet.
    size_t start
    size_t size
    size_t buffer  # what is in the buffer now is not always what was there


cdef class TermTexts:
    cdef TermTable table  # keeps `terms` alive
    cdef const TermColumns* terms
    cdef WriteBuffer out
    cdef WrittenTerm* places
    cdef size_t count  # of terms that `places` is about
    cdef size_t capacity  # of `places`
    cdef size_t buffer  # changes when texts that were written are gone
    cdef size_t max_size
    cdef bint is_patch
    cdef bytes default_graph

    cdef int start(self, TermTable table) except -1
    cdef int start_columns(self, const TermColumns* terms) except -1
    cdef int end(self) except -1
    cdef WrittenTerm* find(self, uint32_t term) except NULL
    cdef int make(self, uint32_t term) except -1
    cdef int keep(self, uint32_t term, size_t start) except -1
    cdef int make_triple(self, uint32_t term) except -1
    cdef int put(self, WriteBuffer* out, uint32_t term) except -1
    cdef int put_anew(self, WriteBuffer* out, uint32_t term) except -1
    cdef int put_iri(self, WriteBuffer* out, Span text) except -1


cdef inline int append_text(WriteBuffer* out, TermTexts texts, uint32_t term) except -1:
    """Put the text of a term and a space; not of number 0, nor of a STRING.

    It is copied from where it stands in the same buffer, until ``texts.buffer`` changes.
    """
    cdef WrittenTerm* place = &texts.places[term]
    cdef size_t size = place.size
    cdef const uint8_t* text
    cdef uint8_t* target
    if size == 0 or place.buffer != texts.buffer:
        return texts.put_anew(out, term)
    buffer_reserve(out, size + BLOCK)
    text = out.data + place.start
    target = out.data + out.size
    # Most are short, and there is room for a block behind both, which may overlap then.
    memmove(target, text, BLOCK)
    if size > BLOCK:
        memcpy(target + BLOCK, text + BLOCK, size - BLOCK)
    out.size += size
    return 0
