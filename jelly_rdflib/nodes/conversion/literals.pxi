"""Makes the values and normal forms of literals as rdflib does, but without its Python code."""

cdef enum:
    TEXT, INTEGER, DECIMAL, DOUBLE, BOOLEAN, DATE_TIME, DATE

cdef enum Form:
    UNKNOWN  # only rdflib can decide
    VALID  # has a value, and perhaps another normal form
    CANONICAL  # the text is in normal form, even if it has no value, such as 30 February

cdef enum:
    # Any integer with this number of digits fits into 64 bits.
    MAX_DIGITS = 18

cdef object MOST = 10**MAX_DIGITS
# For dates without a time zone: the result is the same as that of rdflib's converter, which is
# Python code, and slower.
cdef object date_of = datetime.date.fromisoformat

# For each datatype its name in XML Schema and how its value is made; for integers also the range
# of well-typed values. Frequent datatypes come first.
cdef tuple NATIVE_TYPES = (
    ("decimal", DECIMAL, 0, 0),
    ("dateTime", DATE_TIME, 0, 0),
    ("double", DOUBLE, 0, 0),
    ("integer", INTEGER, -MOST, MOST),
    ("float", DOUBLE, 0, 0),
    ("boolean", BOOLEAN, 0, 0),
    ("date", DATE, 0, 0),
    ("string", TEXT, 0, 0),
    ("anyURI", TEXT, 0, 0),
    ("int", INTEGER, -(2**31), 2**31 - 1),
    ("long", INTEGER, -MOST, MOST),
    ("nonNegativeInteger", INTEGER, 0, MOST),
    ("positiveInteger", INTEGER, 1, MOST),
    ("nonPositiveInteger", INTEGER, -MOST, 0),
    ("negativeInteger", INTEGER, -MOST, -1),
    ("short", INTEGER, -(2**15), 2**15 - 1),
    ("byte", INTEGER, -(2**7), 2**7 - 1),
    ("unsignedLong", INTEGER, 0, MOST),
    ("unsignedInt", INTEGER, 0, 2**32 - 1),
    ("unsignedShort", INTEGER, 0, 2**16 - 1),
    ("unsignedByte", INTEGER, 0, 2**8 - 1),
)


@cython.nonecheck(True)
@cython.final
@cython.no_gc_clear
cdef class LiteralRules:
    """rdflib's current rules for literals, and its original ones, which this module implements.

    ``converters`` turns lexical forms into values. ``specific`` and ``generic`` turn values into
    normal forms, for one datatype or for any. `rdflib.term.bind` may change all three at any time.
    """

    def __cinit__(
        self, *, dict converters not None, dict original_converters not None,
        list specific not None, list original_specific not None, list generic not None,
        list original_generic not None
    ):
        cdef NativeType* native
        self.converters, self.specific, self.generic = converters, specific, generic
        # Make a copy, to keep alive the keys and values that the types point to.
        self.original_converters = dict(original_converters)
        self.original_specific, self.original_generic = original_specific, original_generic
        keys = {str(key): key for key in self.original_converters}
        for name, kind, least, most in NATIVE_TYPES:
            key = keys["http://www.w3.org/2001/XMLSchema#" + name]
            native = &self.types[self.count]
            native.iri = <PyObject*>key
            native.converter = <PyObject*>self.original_converters[key]
            native.kind, native.least, native.most = kind, least, most
            self.count += 1

    cdef const NativeType* find(self, Span iri) noexcept:
        """Return the entry of a datatype, or NULL if this module does not know the datatype."""
        cdef size_t i
        for i in range(self.count):
            if has_bytes(
                iri, PyUnicode_DATA(<object>self.types[i].iri),
                PyUnicode_GET_LENGTH(<object>self.types[i].iri),
            ):
                return &self.types[i]
        return NULL

    cdef bint are_original(self, const NativeType* native) except -1:
        """Return whether rdflib's rules for a datatype are the original ones."""
        # More generic rules may follow the original ones: rdflib uses the first rule that fits a
        # value, so these are only for values of other classes.
        return (
            PyDict_GetItemWithError(self.converters, <object>native.iri) == native.converter
            and len(self.specific) == len(self.original_specific)
            and begins_with(self.specific, self.original_specific)
            and begins_with(self.generic, self.original_generic)
        )


cdef inline bint begins_with(list rules, list originals):
    cdef Py_ssize_t i
    if len(rules) < len(originals):
        return False
    for i in range(len(originals)):
        if rules[i] is not originals[i]:
            return False
    return True


cdef bint is_canonical(LiteralRules rules, Span text, Span datatype) except -1:
    """Return whether a literal is certainly in normal form; False if a check would be slow."""
    cdef const NativeType* native = rules.find(datatype) if rules is not None else NULL
    if native == NULL:
        return False
    form = form_of(native.kind, text)
    if form == VALID and native.kind == DOUBLE:
        lexical = decode(text)
        if repr(float(lexical)) == lexical:
            form = CANONICAL
    # This comes last, since the lookup may run any code, which may move the text.
    return form == CANONICAL and rules.are_original(native)


cdef object make_native(NodeTypes types, str text, object datatype, bint normalize):
    """Return a literal with its value, or None if only rdflib can make the value."""
    cdef LiteralRules rules = types.literal_rules
    cdef const NativeType* native = NULL
    cdef Form form = UNKNOWN
    cdef object value = text
    cdef object ill_typed = False
    cdef int64_t number
    if rules is not None and PyUnicode_IS_ASCII(datatype):
        native = rules.find(utf8_of(datatype))
    if native == NULL or not rules.are_original(native):
        return None
    if native.kind == TEXT:
        return new_literal(types, text, None, datatype, text, False)
    if PyUnicode_IS_ASCII(text):
        form = form_of(native.kind, utf8_of(text))
    if form == UNKNOWN or (native.kind == INTEGER and PyUnicode_GET_LENGTH(text) > MAX_DIGITS):
        return None
    if native.kind == BOOLEAN:
        value = text == "true" or text == "1"
    else:
        try:
            value = (date_of if native.kind == DATE else <object>native.converter)(text)
        except ValueError:
            return None
    if native.kind == INTEGER:
        number = value
        ill_typed = not native.least <= number <= native.most
    if normalize and form == VALID:
        text = normal_text(native.kind, text, value)
    return new_literal(types, text, None, datatype, value, ill_typed)


cdef str normal_text(int kind, str text, object value):
    """Return rdflib's spelling of a value whose text is `VALID`."""
    if kind == DOUBLE:
        return repr(value)
    if kind == BOOLEAN:
        return "true" if value else "false"
    if PyUnicode_GET_LENGTH(text) == 20 and text.endswith("Z"):
        return text[:19] + "+00:00"
    return value.isoformat()


cdef Form form_of(int kind, Span text) noexcept:
    if kind == TEXT:
        return CANONICAL
    if kind == DATE:
        return CANONICAL if has_shape(text, b"0000-00-00") else UNKNOWN
    if kind == DATE_TIME:
        return time_form(text)
    if kind == BOOLEAN:
        if has_text(text, b"true") or has_text(text, b"false"):
            return CANONICAL
        return VALID if has_text(text, b"1") or has_text(text, b"0") else UNKNOWN
    return number_form(kind, text)


cdef Form number_form(int kind, Span text) noexcept:
    cdef const uint8_t* start = text.start
    cdef const uint8_t* at
    if start < text.end and start[0] == b"-":
        start += 1
    at = skip_digits(start, text.end)
    # Leave leading zeros to rdflib.
    if at == start or (start[0] == b"0" and at - start > 1):
        return UNKNOWN
    if kind == INTEGER:
        return CANONICAL if at == text.end and not has_text(text, b"-0") else UNKNOWN
    if at < text.end and at[0] == b".":
        start = at + 1
        at = skip_digits(start, text.end)
        if at == start:
            return UNKNOWN
    if kind == DECIMAL:
        return CANONICAL if at == text.end else UNKNOWN
    if at < text.end and (at[0] == b"e" or at[0] == b"E"):
        start = at + 1
        if start < text.end and (start[0] == b"+" or start[0] == b"-"):
            start += 1
        at = skip_digits(start, text.end)
        if at == start:
            return UNKNOWN
    return VALID if at == text.end else UNKNOWN


cdef Form time_form(Span text) noexcept:
    cdef Span part = text
    cdef Span zone = text
    cdef Form form = CANONICAL
    if text.end - text.start < 19:
        return UNKNOWN
    part.end = zone.start = text.start + 19
    # Leave 24 o'clock to rdflib: Python may read it as the next day.
    if not has_shape(part, b"0000-00-00T00:00:00") or memcmp(text.start + 11, b"24", 2) >= 0:
        return UNKNOWN
    if zone.start < text.end and zone.start[0] == b".":
        part.start = zone.start
        part.end = zone.start = skip_digits(part.start + 1, text.end)
        if part.end == part.start + 1:
            return UNKNOWN
        if not has_shape(part, b".000000") or has_text(part, b".000000"):
            form = VALID
    if zone.start == text.end:
        return form
    if has_text(zone, b"Z") or has_text(zone, b"-00:00"):
        return VALID
    # Leave 60 minutes to rdflib: Python may read them as an hour.
    if not (has_shape(zone, b"+00:00") or has_shape(zone, b"-00:00")) or zone.start[4] > b"5":
        return UNKNOWN
    # Leave a zone of 24 hours to rdflib: with Python 3.10 it makes a time that it can't spell.
    return form if memcmp(zone.start + 1, b"24", 2) < 0 else UNKNOWN


cdef inline const uint8_t* skip_digits(const uint8_t* at, const uint8_t* end) noexcept:
    while at < end and b"0" <= at[0] <= b"9":
        at += 1
    return at


cdef inline bint has_shape(Span text, const char* shape) noexcept:
    """Return whether a text equals the shape, but with any digits where the shape has zeros."""
    cdef size_t i
    if <size_t>(text.end - text.start) != strlen(shape):
        return False
    for i in range(strlen(shape)):
        if not (b"0" <= text.start[i] <= b"9" if shape[i] == b"0" else text.start[i] == shape[i]):
            return False
    return True
