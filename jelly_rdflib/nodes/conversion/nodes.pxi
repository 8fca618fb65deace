"""Makes nodes (rdflib's terms) from the terms of a batch."""

cdef extern from "Python.h":
    PyTypeObject PyUnicode_Type
    object unicode_new "PyUnicode_Type.tp_new"(PyTypeObject* cls, tuple args, void* kwargs)
    bint may_refer "PyObject_IS_GC"(object value) noexcept
    void PyObject_GC_UnTrack(object node) noexcept

# A stand-in for every ill-formed boolean, so that rdflib warns only once.
cdef str ILL_FORMED_BOOLEAN = "\u2026"

cdef enum:
    # The document around an XML literal's tree takes as much memory as this number of tags.
    TAGS_PER_LITERAL = 10
    # rdflib visits a tree by recursion, so a deep tree would exhaust Python's stack.
    MAX_XML_DEPTH = 100

cdef enum:
    # Small, so that a small patch does not pay for a large cache.
    FIRST_CACHE_SIZE = 1 << 6
    # Larger than the name lookup of the preset BIG, so that a stream's IRIs stay cached.
    MAX_CACHE_SIZE = 1 << 14
    # Longer texts are seldom repeated, and would take much memory in the cache.
    MAX_CACHED_TEXT = 256


@cython.final
cdef class NodeFactory(NodeMaker):
    """Makes nodes, and caches recent ones, so that many batches share the node of a term."""

    def __cinit__(
        self, NodeTypes types not None, *, normalize=None, size_t max_xml_tags=<size_t>-1,
        size_t max_terms=<size_t>-1, bint keeps_directions=False
    ):
        self.types = types
        self.default_graph = str(types.default_graph).encode()
        self.max_xml_tags = max_xml_tags
        self.max_terms = max_terms
        self.normalize = normalize
        self.keeps_directions = keeps_directions

    def __dealloc__(self):
        cdef size_t i
        for i in range(self.cache_size):
            Py_XDECREF(self.cache[i].node)
            Py_XDECREF(self.cache[i].source)
        PyMem_RawFree(self.cache)

    @cython.critical_section
    cdef list make_nodes(self, const TermColumns* terms):
        """Return a list with the node of each term, in the order of the table."""
        cdef list nodes = PyList_New(terms.count)
        cdef object node = None
        cdef uint32_t term
        cdef size_t xml_tags = 0
        cdef size_t durations = 0
        Py_INCREF(node)
        PyList_SET_ITEM(nodes, 0, node)
        for term in range(1, terms.count):
            if terms.kinds[term] == TermKind.TYPED_LITERAL:
                xml_tags += count_xml_tags(terms, term)
                durations += is_duration(terms, term)
                self.check_values(terms, xml_tags, durations)
            # A term refers only to earlier terms, whose nodes exist by now.
            node = self.find_or_make(terms, term, nodes)
            Py_INCREF(node)
            PyList_SET_ITEM(nodes, term, node)
        return nodes

    def show_node(self, node):
        """Return a node as text for a message."""
        return show(node)

    def for_messages(self):
        """Return a factory that appends base directions to the languages of its literals."""
        return NodeFactory(self.types, normalize=self.normalize, keeps_directions=True)

    def show_batch(self, batch):
        """Return an HTML table of the first operations of a batch."""
        from jelly_rdflib.display.operations import operations_html

        # Also show terms that rdflib has no nodes for.
        shown = load_batch(dump_batch(batch), self.for_messages())
        return operations_html("Batch", shown, len(batch), also=f", {len(batch.terms):,} terms")

    cdef int check_values(
        self, const TermColumns* terms, size_t xml_tags, size_t durations
    ) except -1:
        """Check limits on the literals whose values take the most memory."""
        if xml_tags > self.max_xml_tags:
            raise LimitError(
                f"the XML literals of the frame have more than {self.max_xml_tags} tags and"
                f" attributes, where each literal counts as {TAGS_PER_LITERAL} more",
                limit="max_xml_tags", value=self.max_xml_tags,
            )
        if durations > 0 and terms.count - 1 + durations > self.max_terms:
            raise LimitError(
                f"the frame has more than {self.max_terms} distinct terms, where a duration counts"
                " twice", limit="max_frame_terms", value=self.max_terms,
            )
        return 0

    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes):
        cdef uint64_t hash = terms.hashes[term]
        cdef CachedNode* cached
        cdef object node
        cdef object source = None
        cdef CachedNode old
        cdef uint32_t[3] numbers
        # Allocate the cache late, since encoders have a factory, too, but seldom make nodes.
        if self.cache == NULL:
            self.grow_cache()
        cached = &self.cache[hash & (self.cache_size - 1)]
        if cached.node != NULL and cached.hash == hash:
            # Hold the node, since another thread may replace it during the comparison.
            node = <object>cached.node
            if cached.source != NULL:
                source = <object>cached.source
            if is_node_of(node, source, terms, term, nodes, self.types):
                return node
            source = None
        if terms.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(numbers, text_of(terms, term).start, sizeof(numbers))
            return self.types.triple_term(nodes[numbers[0]], nodes[numbers[1]], nodes[numbers[2]])
        node = self.make_node(
            terms.kinds[term], text_of(terms, term), nodes[terms.extras[term]]
        )
        if not is_small(terms, term):
            return node
        if terms.kinds[term] == TermKind.TYPED_LITERAL and not is_text_of(node, terms, term):
            source = <bytes>terms.data[terms.offsets[term]:terms.offsets[term + 1]]
        # Look for a slot only now, since another thread may have changed the cache in the meantime.
        cached = self.place_in_cache(hash)
        old = cached[0]
        Py_INCREF(node)
        cached[0] = CachedNode(hash, <PyObject*>node, NULL)
        if source is not None:
            Py_INCREF(source)
            cached.source = <PyObject*>source
        # Release the old node last, since a destructor may run any code.
        Py_XDECREF(old.node)
        Py_XDECREF(old.source)
        return node

    cdef CachedNode* place_in_cache(self, uint64_t hash) except NULL:
        """Return the slot for a node; it may hold another node, if the cache can't grow."""
        cdef CachedNode* place = &self.cache[hash & (self.cache_size - 1)]
        while place.node != NULL and place.hash != hash and self.cache_size < MAX_CACHE_SIZE:
            self.grow_cache()
            place = &self.cache[hash & (self.cache_size - 1)]
        return place

    cdef int grow_cache(self) except -1:
        cdef size_t i
        cdef size_t size = 4 * self.cache_size if self.cache_size else FIRST_CACHE_SIZE
        cdef CachedNode* grown = <CachedNode*>PyMem_RawCalloc(size, sizeof(CachedNode))
        if grown == NULL:
            raise MemoryError
        for i in range(self.cache_size):
            if self.cache[i].node != NULL:
                grown[self.cache[i].hash & (size - 1)] = self.cache[i]
        PyMem_RawFree(self.cache)
        self.cache, self.cache_size = grown, size
        return 0

    cdef object make_node(self, int kind, Span text, object extra):
        """Make the node of a term other than a quoted triple.

        ``extra`` is the language tag or the node of the datatype. The text is copied before any
        rdflib code runs, which might move it.
        """
        if kind == TermKind.IRI:
            if find_iri_escape(text.start, text.end) < text.end:
                # Some characters are not allowed in IRIs: have the constructor log a warning.
                return self.types.iri(decode(text))
            return as_leaf(subclass_text(self.types.iri, decode(text)))
        if kind == TermKind.BLANK_NODE:
            return as_leaf(subclass_text(self.types.blank_node, decode(text)))
        if kind == TermKind.DEFAULT_GRAPH:
            return as_leaf(self.types.default_graph)
        if kind == TermKind.STRING:
            return decode(text)
        return self.make_literal(kind, decode(text), extra)

    cdef object make_literal(self, int kind, str text, object extra):
        cdef Span plain
        cdef int direction
        language = extra if kind == TermKind.LANGUAGE_LITERAL else None
        datatype = extra if kind == TermKind.TYPED_LITERAL else None
        if language is not None and PyUnicode_IS_ASCII(language) and not self.keeps_directions:
            direction = split_direction(utf8_of(language), &plain)
            if direction > 0:
                raise_direction(text, direction, "rdflib's literals have", DecodeError)
        if datatype is None:
            return new_literal(self.types, text, language, None, text, None)
        literal = None
        if self.normalize is not None:
            literal = make_native(self.types, text, datatype, self.normalize)
        if literal is None and datatype in self.types.recognized_datatypes:
            literal = self.make_recognized(text, datatype)
            if literal is not None and not may_refer(get_slot(literal, self.types.slots[VALUE])):
                as_leaf(literal)
        if literal is None:
            literal = new_literal(self.types, text, None, datatype, None, None)
        return literal

    cdef object make_recognized(self, str text, object datatype):
        """Return a literal with its value, or None if it must not or can't have a value."""
        cdef NodeTypes types = self.types
        cdef object known = text
        cdef object normalize = self.normalize
        cdef object made = None
        cdef int slot
        # The time to parse HTML may grow with the square of its size, or faster. rdflib
        # visits a tree of XML by recursion, which fails for a deep tree.
        if is_iri(datatype, b"http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML") or (
            is_iri(datatype, XML_LITERAL) and text.count("<") > MAX_XML_DEPTH
            and find_xml_depth(text) > MAX_XML_DEPTH
        ):
            return None
        if is_iri(datatype, b"http://www.w3.org/2001/XMLSchema#decimal"):
            # XML Schema allows no exponents in decimals, but rdflib accepts them: the normal form
            # of 1E999999999 would have a billion digits.
            if len(text.lower().partition("e")[2].lstrip("+-")) > 2:
                normalize = False
        elif is_iri(datatype, b"http://www.w3.org/2001/XMLSchema#boolean"):
            if text.lower() not in ("true", "false", "1", "0"):
                # Use one text for all of these, since rdflib warns about each different text and
                # Python keeps each warning; the value is the same.
                known = ILL_FORMED_BOOLEAN
        for normalize in (normalize, False):
            try:
                made = types.literal(known, datatype=datatype, normalize=normalize)
                break
            except MemoryError:
                raise
            except Exception:
                # rdflib has no normal form for some values, such as the duration -P1Y1D. Then try
                # again without normalization.
                pass
        # A normalized literal may have another text, unless it is the stand-in for an ill-formed
        # boolean, which rdflib leaves as it is if warnings are errors. A literal that is not
        # normalized must have the term's text.
        if made is None or PyUnicode_Compare(made, text) == 0 or (
            normalize and (known is text or PyUnicode_Compare(made, ILL_FORMED_BOOLEAN) != 0)
        ):
            return made
        # Even without normalization rdflib collapses the white space of some datatypes.
        literal = subclass_text(types.literal, text)
        for slot in range(SLOTS):
            set_slot(literal, types.slots[slot], get_slot(made, types.slots[slot]))
        return literal


def find_xml_depth(text):
    """Return how deeply the elements of an XML literal nest, up to the first error in the XML."""
    # Imported late, since a process that makes no nodes needs no parser.
    from xml.parsers import expat

    depth = deepest = -1

    def start(name, attributes):
        nonlocal depth, deepest
        depth += 1
        deepest = max(depth, deepest)

    def end(name):
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    with contextlib.suppress(expat.ExpatError):
        # As rdflib does, put an element around the text.
        parser.Parse(f"<x>{text}</x>", True)
    return deepest


cdef inline object as_leaf(object node):
    """Hide a node from the garbage collector if nothing that it refers to could refer back.

    The collector would visit all nodes again and again. The values of most literals refer to
    nothing. A value of a datatype that a program has bound may refer to anything, now or later.
    """
    PyObject_GC_UnTrack(node)
    return node


cdef inline object subclass_text(object cls, str text):
    return unicode_new(<PyTypeObject*>cls, (text,), NULL)


cdef inline void set_slot(object node, Py_ssize_t offset, object value) noexcept:
    # Only for a new object, since an old value in the slot would not be released.
    Py_INCREF(value)
    (<PyObject**>(<char*><PyObject*>node + offset))[0] = <PyObject*>value


cdef object new_literal(
    NodeTypes types, str text, object language, object datatype, object value, object ill_typed
):
    # Set the attributes as the constructor would, but faster.
    literal = subclass_text(types.literal, text)
    set_slot(literal, types.slots[LANGUAGE], language)
    set_slot(literal, types.slots[DATATYPE], datatype)
    set_slot(literal, types.slots[VALUE], value)
    set_slot(literal, types.slots[ILL_TYPED], ill_typed)
    return literal if may_refer(value) else as_leaf(literal)


cdef inline str decode(Span text):
    return PyUnicode_DecodeUTF8(<const char*>text.start, text.end - text.start, NULL)


cdef const char* XML_LITERAL = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"


cdef inline bint is_iri(object node, const char* iri) noexcept:
    """Return whether a node is the given IRI, which is ASCII."""
    cdef size_t size = strlen(iri)
    return (
        PyUnicode_IS_ASCII(node)
        and <size_t>PyUnicode_GET_LENGTH(node) == size
        and memcmp(PyUnicode_DATA(node), iri, size) == 0
    )


cdef inline bint has_text(Span text, const char* other) noexcept:
    return has_bytes(text, other, strlen(other))


cdef inline bint is_xml(const TermColumns* terms, uint32_t term) noexcept:
    return has_text(text_of(terms, terms.extras[term]), XML_LITERAL)


cdef inline bint is_duration(const TermColumns* terms, uint32_t term) noexcept:
    cdef Span datatype = text_of(terms, terms.extras[term])
    return (
        has_text(datatype, b"http://www.w3.org/2001/XMLSchema#duration")
        or has_text(datatype, b"http://www.w3.org/2001/XMLSchema#dayTimeDuration")
        or has_text(datatype, b"http://www.w3.org/2001/XMLSchema#yearMonthDuration")
    )


cdef inline bint is_small(const TermColumns* terms, uint32_t term) noexcept:
    """Return whether a term's node certainly takes little memory."""
    cdef Span text = text_of(terms, term)
    cdef Span extra = text_of(terms, terms.extras[term])
    return (
        text.end - text.start <= MAX_CACHED_TEXT
        and extra.end - extra.start <= MAX_CACHED_TEXT
        and terms.kinds[term] != TermKind.TRIPLE_TERM
        # The tree of an XML literal is a hundred times as large as its text.
        and not is_xml(terms, term)
    )


cdef inline size_t count_xml_tags(const TermColumns* terms, uint32_t term) noexcept:
    """Count the tags and attributes of the tree that rdflib makes from an XML literal."""
    cdef size_t count = TAGS_PER_LITERAL
    cdef size_t i
    if not is_xml(terms, term):
        return 0
    for i in range(terms.offsets[term], terms.offsets[term + 1]):
        count += terms.data[i] == b"<" or terms.data[i] == b"="
    return count


cdef inline bint is_text_of(object node, const TermColumns* terms, uint32_t term) except -1:
    cdef Span text = text_of(terms, term)
    if PyUnicode_IS_ASCII(node):
        return has_bytes(text, PyUnicode_DATA(node), PyUnicode_GET_LENGTH(node))
    # Make a UTF-8 copy, since the node would keep its own UTF-8 form forever.
    other = node.encode("utf-8")
    return has_bytes(text, PyBytes_AS_STRING(other), PyBytes_GET_SIZE(other))


cdef inline bint is_same_text(object one, object other) except -1:
    # Not ==, which is slow Python code in rdflib's nodes.
    if one is other:
        return True
    return one is not None and other is not None and PyUnicode_Compare(one, other) == 0


cdef bint is_node_of(
    object node, bytes source, const TermColumns* terms, uint32_t term, list nodes,
    NodeTypes types
) except -1:
    """Return whether a node represents a term; the caller has found their hashes equal."""
    cdef int kind = terms.kinds[term]
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
            get_slot(node, types.slots[LANGUAGE]),
            extra if kind == TermKind.LANGUAGE_LITERAL else None,
        )
        and is_same_text(
            get_slot(node, types.slots[DATATYPE]),
            extra if kind == TermKind.TYPED_LITERAL else None,
        )
    ):
        return False
    if source is None:
        return is_text_of(node, terms, term)
    return has_bytes(
        text_of(terms, term), PyBytes_AS_STRING(source), PyBytes_GET_SIZE(source)
    )
