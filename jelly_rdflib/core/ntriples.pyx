"""Terms as N-Triples text: one spelling for each term, and the way back.

The spelling is that of canonical N-Triples (RDF 1.2 N-Triples, "A Canonical form of N-Triples"),
and beyond it:

- a literal of datatype xsd:string has its datatype: it is not the same as one without, for rdflib;
- a character that a blank node's label can't have where it stands is written ``\\uXXXX`` or
  ``\\UXXXXXXXX``, so that any label can be written; ``_:`` alone is the empty label;
- a quoted triple is ``<< s p o >>``.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.string cimport memcpy, memset

from jelly_rdflib.core.input_buffer cimport PADDING
from jelly_rdflib.core.scanning cimport is_ascii_name_part, is_name_part, is_name_start
from jelly_rdflib.core.terms cimport TermKind
from jelly_rdflib.core.text_encoder cimport put_escaped, put_quoted
from jelly_rdflib.core.utf8 cimport read_code_point
from jelly_rdflib.core.write_buffer cimport (
    buffer_free,
    buffer_reserve,
    put_byte,
    put_bytes,
)

from jelly_rdflib.errors import DecodeError, LimitError

cdef const char* HEX = b"0123456789ABCDEF"

cdef enum:
    # Of the texts of a batch, where none is so large as to be worth a limit.
    LEAST_SIZE = 1 << 16
    # A character takes so many bytes at the most, where it took one.
    ESCAPE_SIZE = 10
    # How much of a text is shown in an error.
    SHOWN = 80


cdef int put_label(WriteBuffer* out, const uint8_t* label, size_t size) except -1:
    """Put a blank node's label, with escapes for what can't stand in it."""
    cdef const uint8_t* at = label
    cdef const uint8_t* end = label + size
    cdef uint32_t c
    cdef int length, shift
    cdef bint is_plain
    buffer_reserve(out, 2 + ESCAPE_SIZE * size)
    put_bytes(out, b"_:", 2)
    while at < end:
        length = 1
        c = at[0]
        if c >= 0x80:
            length = read_code_point(at, end, &c)
            is_plain = is_name_part(c) if at > label else is_name_start(c)
        elif c == b".":
            is_plain = at > label and at + 1 < end
        else:
            is_plain = (is_ascii_name_part(<uint8_t>c) and (c != b"-" or at > label)) or c == b":"
        if is_plain:
            put_bytes(out, at, length)
        else:
            put_byte(out, b"\\")
            put_byte(out, b"u" if c < 0x10000 else b"U")
            for shift in range(12 if c < 0x10000 else 28, -1, -4):
                put_byte(out, HEX[c >> shift & 0xF])
        at += length
    return 0


cdef int put_iri(WriteBuffer* out, const uint8_t* iri, size_t size) except -1:
    buffer_reserve(out, 1)
    put_byte(out, b"<")
    put_escaped(out, iri, size, False)
    buffer_reserve(out, 1)
    put_byte(out, b">")
    return 0


@cython.final
cdef class TermTexts:
    """The N-Triples texts of a batch's terms; each is made when it is first asked for.

    Args:
        max_size: How many bytes a quoted triple may have; all texts together may have eight times
            as many, since one byte may take six.
    """

    def __cinit__(self, size_t max_size):
        self.max_size = max(max_size, <size_t>LEAST_SIZE)

    def __dealloc__(self):
        buffer_free(&self.out)
        PyMem_RawFree(self.places)

    cdef int start(self, TermTable table) except -1:
        """Take another batch's terms; the texts of the last one are gone."""
        table.check_made()
        self.table = None
        self.start_columns(&table.columns)
        self.table = table
        return 0

    cdef int start_columns(self, const TermColumns* terms) except -1:
        cdef void* grown
        if terms.count > self.capacity:
            grown = PyMem_RawRealloc(self.places, terms.count * sizeof(WrittenTerm))
            if grown == NULL:
                raise MemoryError
            self.places = <WrittenTerm*>grown
            self.capacity = terms.count
        memset(self.places, 0, terms.count * sizeof(WrittenTerm))
        self.terms = terms
        self.out.size = 0
        return 0

    cdef inline WrittenTerm* find(self, uint32_t term) except NULL:
        """Return where the text of a term stands in ``out``; not of number 0, nor of a STRING."""
        if self.places[term].size == 0:
            self.put(term)
        return &self.places[term]

    cdef int put(self, uint32_t term) except -1:
        cdef const TermColumns* terms = self.terms
        cdef const uint8_t* text = terms.data + terms.offsets[term]
        cdef size_t size = terms.offsets[term + 1] - terms.offsets[term]
        cdef uint32_t extra = terms.extras[term]
        cdef int kind = terms.kinds[term]
        cdef size_t start
        if kind == TermKind.TRIPLE_TERM:
            return self.put_triple(term)
        start = self.out.size
        if kind == TermKind.IRI:
            put_iri(&self.out, text, size)
        elif kind == TermKind.BLANK_NODE:
            put_label(&self.out, text, size)
        else:
            put_quoted(&self.out, text, size)
            text = terms.data + terms.offsets[extra]
            size = terms.offsets[extra + 1] - terms.offsets[extra]
            if kind == TermKind.LANGUAGE_LITERAL:
                buffer_reserve(&self.out, size + 1)
                put_byte(&self.out, b"@")
                put_bytes(&self.out, text, size)
            elif kind == TermKind.TYPED_LITERAL:
                buffer_reserve(&self.out, 2)
                put_bytes(&self.out, b"^^", 2)
                put_iri(&self.out, text, size)
        return self.keep(term, start)

    cdef int keep(self, uint32_t term, size_t start) except -1:
        if self.out.size > 8 * self.max_size:
            raise LimitError(
                f"the frame's terms take more than {8 * self.max_size} bytes as N-Triples"
                " (8 times the limit max_text_size)"
            )
        # Room behind the texts, so that they can be copied in whole blocks.
        buffer_reserve(&self.out, PADDING)
        self.places[term].start = start
        self.places[term].size = self.out.size - start
        return 0

    cdef int put_triple(self, uint32_t term) except -1:
        cdef uint32_t[3] numbers
        cdef size_t size = 6
        cdef size_t start
        cdef int position
        memcpy(numbers, self.terms.data + self.terms.offsets[term], sizeof(numbers))
        for position in range(3):
            size += self.find(numbers[position]).size + 1
        # Triples that share triples may be few and yet endless to write down.
        if size > self.max_size:
            raise LimitError(
                f"a quoted triple has more than {self.max_size} bytes (limit max_text_size)"
            )
        buffer_reserve(&self.out, size)
        start = self.out.size
        put_bytes(&self.out, b"<< ", 3)
        for position in range(3):
            put_bytes(
                &self.out, self.out.data + self.places[numbers[position]].start,
                self.places[numbers[position]].size,
            )
            put_byte(&self.out, b" ")
        put_bytes(&self.out, b">>", 2)
        return self.keep(term, start)


@cython.final
cdef class TermParser:
    """Parses N-Triples texts, and interns their terms in the table of its decoder.

    The parser is strict: a text is one term and nothing else, without blanks around it, and none
    of Turtle's short forms. Spellings that are not canonical are read: escapes that need not be.

    Args:
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`.
    """

    def __cinit__(self, factory not None, limits):
        self.decoder = TextDecoder(factory, limits)
        self.decoder.is_n_triples = True
        self.start()

    def __dealloc__(self):
        buffer_free(&self.scratch)

    cdef int start(self) except -1:
        """Make an empty table if the last one was taken."""
        if self.decoder.start_batch() < 0:
            raise MemoryError
        return 0

    cdef uint32_t parse(self, const uint8_t* text, size_t size) except 0:
        """Return the number of the term that a text is."""
        cdef TextDecoder decoder = self.decoder
        cdef const uint8_t* start
        cdef const uint8_t* end
        cdef uint32_t number = 0
        # The decoder knows that a token is over only by what follows it.
        self.scratch.size = 0
        buffer_reserve(&self.scratch, size + 2 + PADDING)
        put_bytes(&self.scratch, text, size)
        put_bytes(&self.scratch, b" .", 2)
        memset(self.scratch.data + self.scratch.size, 0, PADDING)
        start = self.scratch.data
        memset(&decoder.failure, 0, sizeof(decoder.failure))
        decoder.end = start + size + 2
        decoder.is_final = True
        decoder.row_start = decoder.place.start = start
        decoder.place.line = 1
        decoder.place.column = 0
        if size == 0:
            raise self.error(text, size, "it is empty")
        end = decoder.read_term(start, &number, 0)
        if end == NULL:
            error = decoder.make_error(start, 0)
            if isinstance(error, LimitError):
                raise error
            raise self.error(text, size, getattr(error, "message", "out of memory"))
        if end != start + size:
            raise self.error(text, size, f"the term ends at byte {end - start}")
        return number

    cdef object error(self, const uint8_t* text, size_t size, str reason):
        shown = (<bytes>text[:min(size, <size_t>SHOWN)]).decode("utf-8", "replace")
        dots = "…" if size > SHOWN else ""
        return DecodeError(f"{shown + dots!r} is no term of N-Triples: {reason}")


def find_texts(TermTable table not None, size_t max_size):
    """Return the N-Triples texts of a table's terms: a list by number, None for what has none.

    Args:
        table: The terms of a batch.
        max_size: As for `TermTexts`.
    """
    cdef TermTexts texts = TermTexts(max_size)
    cdef WrittenTerm* place
    cdef list result = []
    cdef uint32_t term
    cdef int kind
    texts.start(table)
    for term in range(table.columns.count):
        kind = table.columns.kinds[term]
        if kind == TermKind.NONE or kind == TermKind.DEFAULT_GRAPH or kind == TermKind.STRING:
            result.append(None)
        else:
            place = texts.find(term)
            result.append(texts.out.data[place.start:place.start + place.size].decode("utf-8"))
    return result
