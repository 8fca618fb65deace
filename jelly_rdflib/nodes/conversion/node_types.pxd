# The classes of nodes, and the attributes of nodes that the compiled code reads.

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    void* PyUnicode_DATA(object text)


cdef enum:
    # The attributes of a literal. `NodeTypes.slots` has their byte offsets in the object.
    LANGUAGE, DATATYPE, VALUE, ILL_TYPED, SLOTS


cdef class NodeTypes:
    cdef readonly object iri, blank_node, literal
    cdef readonly object triple_term  # called with s, p and o
    cdef readonly object default_graph  # the node that stands for the default graph
    # The datatypes whose literals get values, from `literal_rules` or from the constructor.
    cdef readonly object recognized_datatypes
    cdef readonly LiteralRules literal_rules  # None: the constructor makes all values
    cdef Py_ssize_t[SLOTS] slots


cdef inline bint is_of(object node, object cls) noexcept:
    """Return whether a node really is an instance, whatever ``__class__`` a mock or proxy has."""
    return PyObject_TypeCheck(node, <PyTypeObject*>cls)


cdef inline object get_slot(object node, Py_ssize_t offset):
    cdef void** slot = <void**>(<char*><void*>node + offset)
    return <object>slot[0] if slot[0] != NULL else None


cdef inline int literal_kind(NodeTypes types, object literal):
    if get_slot(literal, types.slots[LANGUAGE]) is not None:
        return TermKind.LANGUAGE_LITERAL
    if get_slot(literal, types.slots[DATATYPE]) is not None:
        return TermKind.TYPED_LITERAL
    return TermKind.SIMPLE_LITERAL


cdef inline int node_kind(NodeTypes types, object node) except -1:
    """Return the `TermKind` of a node, or of a plain str; NONE for any other object."""
    cdef object cls = type(node)
    # Compare exact classes first, since checks for subclasses take longer.
    if cls is types.iri:
        return TermKind.IRI
    if cls is types.literal:
        return literal_kind(types, node)
    if cls is types.blank_node:
        return TermKind.BLANK_NODE
    if cls is str:
        return TermKind.STRING
    if is_of(node, types.iri):
        return TermKind.IRI
    if is_of(node, types.literal):
        return literal_kind(types, node)
    if is_of(node, types.blank_node):
        return TermKind.BLANK_NODE
    if isinstance(node, types.triple_term):
        return TermKind.TRIPLE_TERM
    return TermKind.NONE


cdef bytes encode_text(object text)


cdef inline object as_utf8(object text):
    """Return an object that has the text of a str in UTF-8, for `utf8_of`.

    Raise an `EncodeError` if ``text`` is not a str, or has no UTF-8 form.
    """
    # Don't ask a str that is not ASCII for its UTF-8 form, which the str would keep forever.
    return text if isinstance(text, str) and PyUnicode_IS_ASCII(text) else encode_text(text)


cdef inline Span utf8_of(object utf8) noexcept:
    cdef Span text
    if type(utf8) is bytes:
        text.start = <const uint8_t*>PyBytes_AS_STRING(utf8)
        text.end = text.start + PyBytes_GET_SIZE(utf8)
    else:
        text.start = <const uint8_t*>PyUnicode_DATA(utf8)
        text.end = text.start + PyUnicode_GET_LENGTH(utf8)
    return text
