# A number for each distinct node.

ctypedef struct RecentNumber:
    PyObject* node
    uint32_t number


cdef class NodeNumbers:
    # The nodes by number; number 0 is None.
    cdef list nodes
    cdef Py_hash_t* hashes
    cdef size_t capacity
    # A hash table with open addressing; 0 marks a free slot, since number 0 is None.
    cdef uint32_t* slots
    cdef size_t mask
    cdef RecentNumber* recent
    cdef bint is_exact
    cdef int max_same_hash  # how many nodes may share a hash; 0: any number
    cdef int64_t find(self, object node) except -1
    cdef int64_t find_or_add(self, object node) except -1
    cdef int grow(self) except -1


# Whether `mix_triple_hash` hashes as Python's tuples do.
cdef bint knows_tuple_hash

cdef Py_hash_t hash_node(object node) except -1
cdef Py_hash_t hash_of_triple(tuple triple) except -1
cdef bint is_same(object one, object other) except -1
