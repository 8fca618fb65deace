# The numbers that the terms of a batch have in a store.

@cython.final
cdef class BatchNumbers:
    cdef QuadStore store
    cdef Dictionary terms
    cdef Batch batch
    cdef uint32_t* numbers  # the store's numbers of the batch's terms; 0: not known
    cdef uint32_t capacity
    cdef dict spellings  # by term of the batch: the number of its spelling if it isn't the store's
    cdef object recognized  # the datatypes whose literals have a normal form

    cdef int turn_to(self, Batch batch) except -1
    cdef uint32_t find(self, uint32_t term, bint is_added) except? 0
    cdef object normal_form(self, uint32_t term)
