"""The classes of nodes, which are passed to the compiled code, since it does not import rdflib."""

cdef extern from *:
    """
    #include <structmember.h>
    #if PY_VERSION_HEX >= 0x030C0000
    #define JELLY_OBJECT_MEMBER Py_T_OBJECT_EX
    #else
    #define JELLY_OBJECT_MEMBER T_OBJECT_EX
    #endif

    /* The offset of a __slots__ member in its instances, or -1 if this is none. */
    static Py_ssize_t jelly_slot_offset(PyObject *descriptor) {
        PyMemberDef *member;
        if (Py_TYPE(descriptor) != &PyMemberDescr_Type) return -1;
        member = ((PyMemberDescrObject *)descriptor)->d_member;
        return member->type == JELLY_OBJECT_MEMBER ? member->offset : -1;
    }
    """
    Py_ssize_t slot_offset "jelly_slot_offset"(object descriptor)


cdef Py_ssize_t find_slot(object cls, str name) except -1:
    cdef Py_ssize_t offset = slot_offset(getattr(cls, name))
    if offset <= 0:
        raise TypeError(f"{cls.__name__}.{name} is not a slot, unlike in rdflib 7")
    return offset


@cython.nonecheck(True)
cdef class NodeTypes:
    """The classes that `NodeFactory` instantiates and by which encoders distinguish nodes."""

    def __cinit__(
        self, *, iri, blank_node, literal, triple_term, default_graph, recognized_datatypes,
        LiteralRules literal_rules=None
    ):
        for cls in (iri, blank_node, literal):
            if not isinstance(cls, type) or not issubclass(cls, str):
                raise TypeError(f"{cls!r} is not a subclass of str")
        self.iri = iri
        self.blank_node = blank_node
        self.literal = literal
        self.triple_term = triple_term
        self.default_graph = default_graph
        self.recognized_datatypes = recognized_datatypes
        self.literal_rules = literal_rules
        for slot, name in enumerate(("_language", "_datatype", "_value", "_ill_typed")):
            self.slots[<int>slot] = find_slot(literal, name)


cdef bytes encode_text(object text):
    if not isinstance(text, str):
        raise EncodeError(f"{text!r} of type {type(text).__name__} is not text")
    try:
        return str.encode(text, "utf-8")
    except UnicodeEncodeError as error:
        raise EncodeError(f"text has no UTF-8 form: {error}") from error
