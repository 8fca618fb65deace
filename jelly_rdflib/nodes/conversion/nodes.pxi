"""Makes nodes (rdflib's terms) of the terms of a batch."""

ctypedef struct CachedNode:
    uint64_t hash
    PyObject* node
    # The UTF-8 text of the term, as a bytes object, if the node has another text (a normalized
    # literal); else NULL.
    PyObject* source

cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t index)
    void PyList_SET_ITEM(object items, Py_ssize_t index, object item)
    list PyList_New(Py_ssize_t size)
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    void* PyUnicode_DATA(object text)
    PyTypeObject PyUnicode_Type
    object unicode_new "PyUnicode_Type.tp_new"(PyTypeObject* cls, tuple args, void* kwargs)

# Stand-in for an ill-formed boolean, so that rdflib warns only once.
cdef str ILL_FORMED_BOOLEAN = "\u2026"
cdef const char* XSD_BOOLEAN = b"http://www.w3.org/2001/XMLSchema#boolean"
cdef const char* XSD_DECIMAL = b"http://www.w3.org/2001/XMLSchema#decimal"
cdef const char* XML_LITERAL = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"
cdef const char* HTML = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML"
cdef const char* DURATION = b"http://www.w3.org/2001/XMLSchema#duration"
cdef const char* DAY_TIME_DURATION = b"http://www.w3.org/2001/XMLSchema#dayTimeDuration"
cdef const char* YEAR_MONTH_DURATION = b"http://www.w3.org/2001/XMLSchema#yearMonthDuration"
cdef enum:
    XSD_BOOLEAN_SIZE = 40
    XSD_DECIMAL_SIZE = 40
    XML_LITERAL_SIZE = 53
    HTML_SIZE = 47
    DURATION_SIZE = 41
    DAY_TIME_DURATION_SIZE = 48
    YEAR_MONTH_DURATION_SIZE = 50

cdef enum:
    # The document around the tree of an XML literal takes as much memory as so many tags.
    TAGS_PER_LITERAL = 10
    # rdflib visits a tree by recursion: a deep one would exhaust Python's stack.
    MAX_XML_DEPTH = 100

cdef enum:
    # More than the names of the big preset, so that a stream's IRIs stay cached.
    CACHE_SIZE = 1 << 14
    # Longer texts seldom come again, and would take much memory in the cache.
    MAX_CACHED_TEXT = 256


@cython.final
cdef class NodeFactory(NodeMaker):
    """Makes nodes, and remembers recent ones so that a term is the same object in many batches.

    Args:
        types: The classes of nodes.
        normalize: Passed to the literal class: True, False, or None for its own default.
        max_xml_tags: Tags and attributes that the XML literals of a table may have, at most: the
            literal class makes a tree of each literal.
        max_terms: Terms of a table, at most, where a duration counts twice: the literal class makes
            several objects of it.
    """

    cdef NodeTypes types
    cdef object normalize
    cdef size_t max_xml_tags
    cdef size_t max_terms
    cdef CachedNode* cache

    def __cinit__(
        self, NodeTypes types not None, *, normalize=None, size_t max_xml_tags=<size_t>-1,
        size_t max_terms=<size_t>-1
    ):
        self.types = types
        self.max_xml_tags = max_xml_tags
        self.max_terms = max_terms
        self.normalize = normalize
        self.cache = <CachedNode*>PyMem_RawCalloc(CACHE_SIZE, sizeof(CachedNode))
        if self.cache == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef size_t i
        if self.cache == NULL:
            return
        for i in range(<size_t>CACHE_SIZE):
            Py_XDECREF(self.cache[i].node)
            Py_XDECREF(self.cache[i].source)
        PyMem_RawFree(self.cache)

    cdef list make_nodes(self, const TermColumns* terms):
        """Return a list with the node of each term, in the order of the table."""
        cdef list nodes = PyList_New(terms.count)
        cdef uint32_t term
        cdef object node = None
        cdef size_t xml_tags = 0
        cdef size_t durations = 0
        Py_INCREF(node)
        PyList_SET_ITEM(nodes, 0, node)
        for term in range(1, terms.count):
            if terms.kinds[term] == TermKind.TYPED_LITERAL:
                xml_tags += count_xml_tags(terms, term)
                durations += is_duration(terms, term)
                self.check_values(terms, xml_tags, durations)
            # A term refers only to terms before it, whose nodes are there already.
            node = self.find_or_make(terms, term, nodes)
            Py_INCREF(node)
            PyList_SET_ITEM(nodes, term, node)
        return nodes

    cdef int check_values(
        self, const TermColumns* terms, size_t xml_tags, size_t durations
    ) except -1:
        """Check the literals whose values take most memory."""
        if xml_tags > self.max_xml_tags:
            raise LimitError(
                f"the XML literals of the frame have more than {self.max_xml_tags} tags and"
                f" attributes, where each literal counts as {TAGS_PER_LITERAL} more (limit"
                " max_xml_tags)"
            )
        if durations > 0 and terms.count - 1 + durations > self.max_terms:
            raise LimitError(
                f"the frame has more than {self.max_terms} distinct terms, where a duration counts"
                " twice (limit max_frame_terms)"
            )
        return 0

    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes):
        cdef uint64_t hash = terms.hashes[term]
        cdef CachedNode* cached = &self.cache[hash & (CACHE_SIZE - 1)]
        cdef object node
        cdef PyObject* old_node
        cdef PyObject* old_source
        if (
            cached.node != NULL and cached.hash == hash
            and is_node_of(cached, terms, term, nodes, self.types)
        ):
            return <object>cached.node
        node = self.make_node(terms, term, nodes)
        if not is_small(terms, term):
            return node
        old_node, old_source = cached.node, cached.source
        Py_INCREF(node)
        cached.hash = hash
        cached.node = <PyObject*>node
        cached.source = NULL
        if is_rewritten(terms, term, node):
            source = text_bytes(terms, term)
            Py_INCREF(source)
            cached.source = <PyObject*>source
        # Last, since a destructor may run any code.
        Py_XDECREF(old_node)
        Py_XDECREF(old_source)
        return node

    cdef object make_node(self, const TermColumns* terms, uint32_t term, list nodes):
        cdef int kind = terms.kinds[term]
        cdef uint32_t[3] numbers
        if kind == TermKind.IRI:
            text = text_str(terms, term)
            if has_character_not_for_iris(terms, term):
                # The constructor of the class logs a warning of such an IRI.
                return self.types.iri(text)
            return self.subclass_text(self.types.iri, text)
        if kind == TermKind.BLANK_NODE:
            return self.subclass_text(self.types.blank_node, text_str(terms, term))
        if kind == TermKind.TRIPLE_TERM:
            memcpy(numbers, text_start(terms, term), sizeof(numbers))
            return self.types.triple_term(nodes[numbers[0]], nodes[numbers[1]], nodes[numbers[2]])
        if kind == TermKind.DEFAULT_GRAPH:
            return self.types.default_graph
        if kind == TermKind.STRING:
            return text_str(terms, term)
        return self.make_literal(terms, term, nodes)

    cdef object make_literal(self, const TermColumns* terms, uint32_t term, list nodes):
        cdef NodeTypes types = self.types
        cdef int kind = terms.kinds[term]
        cdef object text = text_str(terms, term)
        cdef object language = None
        cdef object datatype = None
        cdef object value = text
        cdef object known = text
        cdef object literal
        if kind == TermKind.LANGUAGE_LITERAL:
            language = <object>PyList_GET_ITEM(nodes, terms.extras[term])
        elif kind == TermKind.TYPED_LITERAL:
            datatype = <object>PyList_GET_ITEM(nodes, terms.extras[term])
            if datatype in types.recognized_datatypes and not is_left_as_text(terms, term):
                normalize = self.normalize
                if normalize is not False and has_long_exponent(terms, term):
                    normalize = False
                if is_odd_boolean(terms, term):
                    # rdflib warns of each, and Python keeps each warning; the value is the same.
                    known = ILL_FORMED_BOOLEAN
                made = make_typed(types, known, datatype, normalize)
                if made is None and normalize is not False:
                    normalize = False
                    made = make_typed(types, known, datatype, normalize)
                # A normalized literal is right, unless it is the stand-in of an ill-formed boolean,
                # which is unchanged where warnings are errors; any other must have the term's text.
                if made is not None and (
                    (normalize and (known is text or PyUnicode_Compare(made, ILL_FORMED_BOOLEAN) != 0))
                    or is_text_of(made, terms, term)
                ):
                    return made
                # rdflib collapses the white space of some datatypes even so.
                if made is not None:
                    literal = self.subclass_text(types.literal, text)
                    copy_slots(literal, made, types)
                    return literal
            value = None
        # The constructor would set the same attributes, more slowly.
        literal = self.subclass_text(types.literal, text)
        set_slot(literal, types.language_offset, language)
        set_slot(literal, types.datatype_offset, datatype)
        set_slot(literal, types.value_offset, value)
        set_slot(literal, types.ill_typed_offset, None)
        return literal

    cdef object subclass_text(self, object cls, str text):
        return unicode_new(<PyTypeObject*>cls, (text,), NULL)


cdef object make_typed(NodeTypes types, str text, datatype, normalize):
    """Return a literal; None if the constructor fails, as rdflib's does for the duration -P1Y1D."""
    try:
        return types.literal(text, datatype=datatype, normalize=normalize)
    except MemoryError:
        raise
    except Exception:
        return None


cdef inline void set_slot(object node, Py_ssize_t offset, object value) noexcept:
    # For a new object only: an old value in the slot would not be released.
    Py_INCREF(value)
    (<PyObject**>(<char*><PyObject*>node + offset))[0] = <PyObject*>value


cdef int copy_slots(object literal, object source, NodeTypes types) except -1:
    cdef Py_ssize_t offset
    for offset in (
        types.language_offset, types.datatype_offset, types.value_offset, types.ill_typed_offset
    ):
        set_slot(literal, offset, get_slot(source, offset))
    return 0


cdef inline const uint8_t* text_start(const TermColumns* terms, uint32_t term) noexcept:
    return terms.data + terms.offsets[term]


cdef inline Py_ssize_t text_size(const TermColumns* terms, uint32_t term) noexcept:
    return terms.offsets[term + 1] - terms.offsets[term]


cdef inline bint is_small(const TermColumns* terms, uint32_t term) noexcept:
    """Does the term's node surely take little memory?"""
    if text_size(terms, term) > MAX_CACHED_TEXT or terms.kinds[term] == TermKind.TRIPLE_TERM:
        return False
    # An XML literal has a tree, a hundred times as large as its text.
    return text_size(terms, terms.extras[term]) <= MAX_CACHED_TEXT and not (
        terms.kinds[term] == TermKind.TYPED_LITERAL
        and is_datatype(terms, term, XML_LITERAL, XML_LITERAL_SIZE)
    )


cdef inline str text_str(const TermColumns* terms, uint32_t term):
    return PyUnicode_DecodeUTF8(
        <const char*>text_start(terms, term), text_size(terms, term), NULL
    )


cdef inline bytes text_bytes(const TermColumns* terms, uint32_t term):
    return PyBytes_FromStringAndSize(
        <const char*>text_start(terms, term), text_size(terms, term)
    )


cdef inline size_t count_xml_tags(const TermColumns* terms, uint32_t term) noexcept:
    """Count the tags and attributes of the tree that rdflib makes of an XML literal."""
    if not is_datatype(terms, term, XML_LITERAL, XML_LITERAL_SIZE):
        return 0
    return TAGS_PER_LITERAL + count_markup(text_start(terms, term), text_size(terms, term))


cdef size_t count_markup(const uint8_t* text, size_t size) noexcept:
    cdef size_t count = 0
    cdef size_t i
    for i in range(size):
        count += text[i] == b"<" or text[i] == b"="
    return count


cdef inline bint is_duration(const TermColumns* terms, uint32_t term) noexcept:
    return (
        is_datatype(terms, term, DURATION, DURATION_SIZE)
        or is_datatype(terms, term, DAY_TIME_DURATION, DAY_TIME_DURATION_SIZE)
        or is_datatype(terms, term, YEAR_MONTH_DURATION, YEAR_MONTH_DURATION_SIZE)
    )


cdef inline bint is_left_as_text(const TermColumns* terms, uint32_t term) noexcept:
    """Is this typed literal left without a value, which could take any time or stack to compute?

    Parsing HTML may take time that grows with the square of its size, or faster.
    """
    if is_datatype(terms, term, XML_LITERAL, XML_LITERAL_SIZE):
        return nests_deeper(text_start(terms, term), text_size(terms, term), MAX_XML_DEPTH)
    return is_datatype(terms, term, HTML, HTML_SIZE)


cdef bint nests_deeper(const uint8_t* at, size_t size, int max_depth) noexcept:
    """Do the elements of an XML literal nest deeper than ``max_depth``?

    For malformed XML, of which no tree is made, the answer may be wrong.
    """
    cdef const uint8_t* end = at + size
    cdef int depth = 0
    while at != NULL:
        at = <const uint8_t*>memchr(at, b"<", end - at)
        if at == NULL:
            return False
        if starts_with(at, end, b"<!--", 4):
            at = find_behind(at + 4, end, b"-->", 3)
        elif starts_with(at, end, b"<![CDATA[", 9):
            at = find_behind(at + 9, end, b"]]>", 3)
        elif starts_with(at, end, b"<?", 2):
            at = find_behind(at + 2, end, b"?>", 2)
        elif starts_with(at, end, b"</", 2):
            at = find_behind(at + 2, end, b">", 1)
            depth -= 1
        elif depth == max_depth:
            return True
        else:
            at = find_behind_tag(at + 1, end)
            depth += at != NULL and (at - 2)[0] != b"/"
    return False


cdef inline bint starts_with(
    const uint8_t* at, const uint8_t* end, const char* mark, size_t size
) noexcept:
    return <size_t>(end - at) >= size and memcmp(at, mark, size) == 0

cdef const uint8_t* find_behind(
    const uint8_t* at, const uint8_t* end, const char* mark, size_t size
) noexcept:
    """Return the end of the next mark, or NULL."""
    while True:
        at = <const uint8_t*>memchr(at, mark[0], end - at)
        if at == NULL:
            return NULL
        if starts_with(at, end, mark, size):
            return at + size
        at += 1

cdef const uint8_t* find_behind_tag(const uint8_t* at, const uint8_t* end) noexcept:
    """Return the end of a tag, or NULL. A ``>`` in quotes is no end."""
    cdef uint8_t quote = 0
    while at < end:
        if quote != 0:
            if at[0] == quote:
                quote = 0
        elif at[0] == b"'" or at[0] == b'"':
            quote = at[0]
        elif at[0] == b">":
            return at + 1
        at += 1
    return NULL


cdef inline bint is_datatype(
    const TermColumns* terms, uint32_t term, const char* datatype, size_t size
) noexcept:
    cdef uint32_t extra = terms.extras[term]
    return <size_t>text_size(terms, extra) == size and (
        memcmp(text_start(terms, extra), datatype, size) == 0
    )


cdef bint has_long_exponent(const TermColumns* terms, uint32_t term) noexcept:
    """Is this an xsd:decimal with an exponent of more than two digits?

    XML Schema has no exponents there, but rdflib accepts them: its normal form of ``1E999999999``
    has as many digits. So such a number is not normalized.
    """
    cdef const uint8_t* at = text_start(terms, term)
    cdef const uint8_t* end = at + text_size(terms, term)
    if not is_datatype(terms, term, XSD_DECIMAL, XSD_DECIMAL_SIZE):
        return False
    while at < end and at[0] | 0x20 != b"e":
        at += 1
    at += 1
    if at < end and (at[0] == b"+" or at[0] == b"-"):
        at += 1
    # Any characters count, since Python has more digits than those of ASCII.
    return end - at > 2


cdef bint is_odd_boolean(const TermColumns* terms, uint32_t term) noexcept:
    """Is this a boolean that is neither true nor false for rdflib?"""
    if not is_datatype(terms, term, XSD_BOOLEAN, XSD_BOOLEAN_SIZE):
        return False
    cdef const uint8_t* text = text_start(terms, term)
    cdef Py_ssize_t size = text_size(terms, term)
    if size == 1:
        return text[0] != b"0" and text[0] != b"1"
    return not (
        (size == 4 and is_word(text, b"true", 4)) or (size == 5 and is_word(text, b"false", 5))
    )


cdef bint is_word(const uint8_t* text, const char* word, Py_ssize_t size) noexcept:
    """Is a text this word of small letters, in letters of any case?"""
    cdef Py_ssize_t i
    for i in range(size):
        if text[i] | 0x20 != <uint8_t>word[i]:
            return False
    return True


cdef inline bint has_character_not_for_iris(const TermColumns* terms, uint32_t term) noexcept:
    cdef const uint8_t* at = text_start(terms, term)
    cdef const uint8_t* end = at + text_size(terms, term)
    while at < end:
        if IS_NOT_FOR_IRIS[at[0]]:
            return True
        at += 1
    return False


cdef uint8_t[256] IS_NOT_FOR_IRIS
for byte in range(256):
    IS_NOT_FOR_IRIS[byte] = byte in b'<>" {}|\\^`'


cdef inline bint is_text_of(object node, const TermColumns* terms, uint32_t term) except -1:
    cdef Py_ssize_t size = text_size(terms, term)
    cdef Py_ssize_t node_size
    cdef const char* text
    if PyUnicode_IS_ASCII(node):
        return (
            PyUnicode_GET_LENGTH(node) == size
            and memcmp(PyUnicode_DATA(node), text_start(terms, term), size) == 0
        )
    # The node would keep its own UTF-8 form forever; make a short-lived one.
    other = node.encode("utf-8")
    return (
        PyBytes_GET_SIZE(other) == size
        and memcmp(PyBytes_AS_STRING(other), text_start(terms, term), size) == 0
    )


cdef inline bint is_rewritten(const TermColumns* terms, uint32_t term, object node) except -1:
    """Does the node have another text than the term, since the literal was normalized?"""
    return terms.kinds[term] == TermKind.TYPED_LITERAL and not is_text_of(node, terms, term)


cdef inline bint is_same_text(object one, object other) except -1:
    # The nodes' own == is Python code, and slow.
    if one is other:
        return True
    return one is not None and other is not None and PyUnicode_Compare(one, other) == 0


cdef bint is_node_of(
    CachedNode* cached, const TermColumns* terms, uint32_t term, list nodes, NodeTypes types
) except -1:
    """Is this the node of the term? The hashes are equal; everything else is compared here."""
    cdef int kind = terms.kinds[term]
    cdef object node = <object>cached.node
    cdef object cls = type(node)
    if kind == TermKind.IRI:
        return cls is types.iri and is_text_of(node, terms, term)
    if kind == TermKind.BLANK_NODE:
        return cls is types.blank_node and is_text_of(node, terms, term)
    if kind == TermKind.STRING:
        return cls is str and is_text_of(node, terms, term)
    if kind == TermKind.DEFAULT_GRAPH:
        return node is types.default_graph
    if cls is not types.literal:
        return False
    extra = nodes[terms.extras[term]]
    if not (
        is_same_text(
            get_slot(node, types.language_offset),
            extra if kind == TermKind.LANGUAGE_LITERAL else None,
        )
        and is_same_text(
            get_slot(node, types.datatype_offset),
            extra if kind == TermKind.TYPED_LITERAL else None,
        )
    ):
        return False
    if cached.source != NULL:
        return (
            PyBytes_GET_SIZE(<object>cached.source) == text_size(terms, term)
            and memcmp(
                PyBytes_AS_STRING(<object>cached.source), text_start(terms, term),
                text_size(terms, term),
            ) == 0
        )
    return is_text_of(node, terms, term)
