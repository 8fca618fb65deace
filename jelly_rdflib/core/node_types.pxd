"""The classes that terms become: the core knows what it needs of them, but not whose they are."""

from cpython.object cimport PyObject_TypeCheck, PyTypeObject


cdef class NodeTypes:
    cdef readonly object iri
    cdef readonly object blank_node
    cdef readonly object literal
    cdef readonly object triple_term
    cdef readonly object default_graph
    cdef readonly object recognized_datatypes
    # Where a literal keeps its attributes: byte offsets in the object.
    cdef Py_ssize_t language_offset
    cdef Py_ssize_t datatype_offset
    cdef Py_ssize_t value_offset
    cdef Py_ssize_t ill_typed_offset


cdef inline bint is_of(object node, object cls) noexcept:
    """Is a node really of a class, or of a subclass? A mock or a proxy may just say so."""
    return PyObject_TypeCheck(node, <PyTypeObject*>cls)


cdef inline object get_slot(object node, Py_ssize_t offset):
    cdef void** slot = <void**>(<char*><void*>node + offset)
    return <object>slot[0] if slot[0] != NULL else None
