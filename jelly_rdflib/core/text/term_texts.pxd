# Terms as text, in canonical N-Triples or in RDF Patch.

ctypedef struct WrittenTerm:
    # The position of a term's text; size 0 means that it is not written yet.
    size_t start
    size_t size
    size_t buffer  # the only version of the buffer in which the position is valid


cdef class TermTexts:
    cdef TermTable table  # keeps `terms` alive
    cdef const TermColumns* terms
    cdef WriteBuffer out
    cdef WrittenTerm* places
    cdef size_t count  # the number of terms in `places`
    cdef size_t capacity  # the capacity of `places`
    cdef size_t buffer  # changes when written texts are removed
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
    """Write the text of a term and a space; the term must not be number 0 or a STRING.

    Until ``texts.buffer`` changes, a repeated text is copied from its last position in the buffer.
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
    # Most texts are short, and both positions have room for a block; the blocks may overlap.
    memmove(target, text, BLOCK)
    if size > BLOCK:
        memcpy(target + BLOCK, text + BLOCK, size - BLOCK)
    out.size += size
    return 0
