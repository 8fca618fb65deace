"""A number for each distinct node.

rdflib's nodes hash and compare in Python code, so a dict of them would take most of the time.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject, PyObject_Hash, hashfunc
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_Compare
from libc.stdint cimport uint64_t

from jelly_rdflib.core.hashing cimport mix
from jelly_rdflib.stores.node_table cimport hash_node

from rdflib.term import BNode, Literal, URIRef

cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t index)
    hashfunc str_hash "PyUnicode_Type.tp_hash"

cdef enum:
    RECENT_SIZE = 1 << 14
    FIRST_SIZE = 1 << 10

cdef object IRI = URIRef
cdef object BLANK_NODE = BNode
cdef object LITERAL = Literal


@cython.final
cdef class NodeNumbers:
    """Numbers nodes from 1 on: nodes that are equal for rdflib have the same number.

    A small cache in front of the table knows recent nodes by their address.
    """

    def __cinit__(self):
        self.nodes = [None]
        self.slots = <uint32_t*>PyMem_Calloc(FIRST_SIZE, sizeof(uint32_t))
        self.recent = <RecentNumber*>PyMem_Calloc(RECENT_SIZE, sizeof(RecentNumber))
        if self.slots == NULL or self.recent == NULL:
            raise MemoryError
        self.mask = FIRST_SIZE - 1

    def __dealloc__(self):
        cdef size_t i
        if self.recent != NULL:
            for i in range(<size_t>RECENT_SIZE):
                Py_XDECREF(self.recent[i].node)
        PyMem_Free(self.recent)
        PyMem_Free(self.slots)
        PyMem_Free(self.hashes)

    cdef int64_t find(self, object node) except -1:
        """Return the number of the node, a new one where it has none yet."""
        cdef size_t address = <size_t><PyObject*>node
        cdef RecentNumber* recent = (
            &self.recent[((address >> 4) ^ (address >> 18)) & (RECENT_SIZE - 1)]
        )
        cdef PyObject* old
        cdef int64_t number
        if recent.node is <PyObject*>node:
            return recent.number
        number = self.find_or_add(node)
        # It is kept alive, so that its address can't become another node's.
        Py_INCREF(node)
        old = recent.node
        recent.node = <PyObject*>node
        recent.number = <uint32_t>number
        Py_XDECREF(old)
        return number

    cdef int64_t find_or_add(self, object node) except -1:
        cdef Py_hash_t hash = hash_term(node)
        cdef size_t slot = <size_t>hash & self.mask
        cdef size_t count
        cdef uint32_t number
        while self.slots[slot] != 0:
            number = self.slots[slot]
            if self.hashes[number] == hash and is_equal(
                <object>PyList_GET_ITEM(self.nodes, number), node
            ):
                return number
            slot = (slot + 1) & self.mask
        count = len(self.nodes)
        if count >= self.capacity:
            self.grow()
            slot = <size_t>hash & self.mask
            while self.slots[slot] != 0:
                slot = (slot + 1) & self.mask
        self.nodes.append(node)
        self.hashes[count] = hash
        self.slots[slot] = <uint32_t>count
        return count

    cdef int grow(self) except -1:
        """Make room for another node."""
        cdef size_t count = len(self.nodes)
        cdef size_t size = self.mask + 1 if self.capacity == 0 else 2 * (self.mask + 1)
        cdef size_t number, slot
        cdef void* grown
        if count >= <uint32_t>-1:
            raise MemoryError("there are more distinct terms than can be numbered")
        grown = PyMem_Realloc(self.hashes, size // 2 * sizeof(Py_hash_t))
        if grown == NULL:
            raise MemoryError
        self.hashes = <Py_hash_t*>grown
        grown = PyMem_Calloc(size, sizeof(uint32_t))
        if grown == NULL:
            raise MemoryError
        PyMem_Free(self.slots)
        self.slots = <uint32_t*>grown
        self.mask = size - 1
        # Half of the slots stay free.
        self.capacity = size // 2
        for number in range(1, count):
            slot = <size_t>self.hashes[number] & self.mask
            while self.slots[slot] != 0:
                slot = (slot + 1) & self.mask
            self.slots[slot] = <uint32_t>number
        return 0


cdef inline Py_hash_t hash_term(object node) except -1:
    cdef object cls = type(node)
    if cls is LITERAL:
        return hash_literal(node)
    if cls is IRI or cls is BLANK_NODE:
        return hash_node(node)
    return PyObject_Hash(node)


cdef Py_hash_t hash_literal(object literal) except -1:
    """Hash a literal so that no more than a few texts collide, whoever chooses them.

    rdflib's own hash is that of the text and that of the language or datatype, one XOR the other:
    literals whose texts are the IRIs of their datatypes all have the hash 0.
    """
    cdef object language = literal._language
    cdef object datatype = literal._datatype
    cdef uint64_t hash = <uint64_t>str_hash(literal)
    if language:
        hash = mix(hash, <uint64_t>PyObject_Hash(language.lower()))
    elif datatype is not None:
        hash = mix(hash, ~<uint64_t>PyObject_Hash(datatype))
    # A hash is never -1: that means an error.
    return <Py_hash_t>hash if <Py_hash_t>hash != -1 else -2


cdef inline bint is_equal(object one, object other) except -1:
    """Are the nodes, whose hashes are the same, equal for rdflib?"""
    cdef object cls = type(one)
    if one is other:
        return True
    if cls is not type(other):
        return False
    if cls is IRI or cls is BLANK_NODE:
        return PyUnicode_Compare(one, other) == 0
    if cls is LITERAL:
        return (
            PyUnicode_Compare(one, other) == 0
            and is_equal_text(one._datatype, other._datatype)
            and is_equal_language(one._language, other._language)
        )
    return bool(one == other)


cdef inline bint is_equal_text(object one, object other) except -1:
    if one is other:
        return True
    return one is not None and other is not None and PyUnicode_Compare(one, other) == 0


cdef inline bint is_equal_language(object one, object other) except -1:
    if one is other:
        return True
    # An empty tag is none.
    return (one.lower() if one else None) == (other.lower() if other else None)
