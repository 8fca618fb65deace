"""Reads RDF Patch text as batches."""

cimport cython
from libc.stdint cimport uint8_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.batch_reader cimport BatchSource
from jelly_rdflib.core.input_buffer cimport InputBuffer
from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.scanning cimport is_ascii_name_part
from jelly_rdflib.core.text_decoder cimport TextDecoder

from jelly_rdflib.errors import DecodeError

cdef enum RowState:
    # Where in a row a byte stands.
    BETWEEN_ROWS
    COMMENT_BETWEEN_ROWS
    IN_ROW
    COMMENT_IN_ROW
    AFTER_DOT
    AFTER_LESS_THAN
    IN_IRI
    AFTER_QUOTE
    AFTER_TWO_QUOTES
    IN_STRING
    ESCAPE_IN_STRING
    IN_LONG_STRING
    ESCAPE_IN_LONG_STRING
    QUOTE_IN_LONG_STRING
    TWO_QUOTES_IN_LONG_STRING


ctypedef struct RowEnd:
    # How far the search for the end of a row is.
    RowState state
    uint8_t quote
    size_t searched


cdef bint find_row_end(RowEnd* search, const uint8_t* start, const uint8_t* end) noexcept nogil:
    """Does the row or comment that starts there end before ``end``? Or is it surely wrong?

    Each byte is looked at once, however small the pieces are that the text comes in. A dot counts
    only with a byte behind it that can't be in the same token: else a later one will do.
    """
    cdef const uint8_t* at = start + search.searched
    cdef RowState state = search.state
    cdef uint8_t byte
    while at < end:
        byte = at[0]
        at += 1
        if state == AFTER_DOT:
            if not (is_ascii_name_part(byte) or byte == b"." or byte == b":" or byte == b"+" or byte >= 0x80):
                return True
            state = IN_ROW
        elif state == AFTER_LESS_THAN:
            state = IN_IRI
            if byte == b"<":
                state = IN_ROW
                continue
        elif state == AFTER_TWO_QUOTES:
            state = IN_ROW
            if byte == search.quote:
                state = IN_LONG_STRING
                continue
        if state == IN_ROW or state == BETWEEN_ROWS:
            if byte == b"#":
                state = COMMENT_IN_ROW if state == IN_ROW else COMMENT_BETWEEN_ROWS
            elif byte == b".":
                state = AFTER_DOT
            elif byte == b"<":
                state = AFTER_LESS_THAN
            elif byte == b'"' or byte == b"'":
                state = AFTER_QUOTE
                search.quote = byte
            elif byte > b" ":
                state = IN_ROW
        elif state == IN_IRI:
            if byte == b">":
                state = IN_ROW
            elif byte <= b" " or byte == b"<":
                return True
        elif state == COMMENT_BETWEEN_ROWS:
            if byte == b"\n" or byte == b"\r":
                return True
        elif state == COMMENT_IN_ROW:
            if byte == b"\n" or byte == b"\r":
                state = IN_ROW
        elif state == AFTER_QUOTE or state == IN_STRING:
            if byte == search.quote:
                state = AFTER_TWO_QUOTES if state == AFTER_QUOTE else IN_ROW
            elif byte == b"\n" or byte == b"\r":
                return True
            else:
                state = ESCAPE_IN_STRING if byte == b"\\" else IN_STRING
        elif state == ESCAPE_IN_STRING:
            state = IN_STRING
        elif state == ESCAPE_IN_LONG_STRING:
            state = IN_LONG_STRING
        elif byte == search.quote:
            if state == IN_LONG_STRING:
                state = QUOTE_IN_LONG_STRING
            elif state == QUOTE_IN_LONG_STRING:
                state = TWO_QUOTES_IN_LONG_STRING
            else:
                state = IN_ROW
        else:
            state = ESCAPE_IN_LONG_STRING if byte == b"\\" else IN_LONG_STRING
    search.state = state
    search.searched = end - start
    return False


@cython.final
cdef class TextBatchReader(BatchSource):
    """Iterates over the batches of RDF Patch text; the end of the input ends a patch too.

    Memory is bounded by a row and a batch. A batch has what is there: rows that come one by one
    are not kept waiting for each other.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` is for a row.
    """

    cdef InputBuffer input
    cdef TextDecoder decoder
    cdef size_t max_row_size
    cdef bint is_started

    def __cinit__(self, source, NodeFactory factory not None, limits):
        self.decoder = TextDecoder(factory, limits)
        self.max_row_size = limits.max_frame_size
        self.input = InputBuffer(source, padding=True)

    cdef int close_source(self) except -1:
        self.input.close()
        return 0

    cdef Batch read_batch(self):
        try:
            if not self.is_started:
                self.is_started = True
                self.skip_byte_order_mark()
            while True:
                self.decode()
                if self.decoder.rows.count > 0:
                    return self.decoder.take_batch()
                if self.input.is_at_end:
                    break
                self.read_row()
        except DecodeError as error:
            if error.line is None:
                # Of the source: bad compressed data.
                error.line = self.decoder.place.line
            raise
        self.is_finished = True
        return self.decoder.finish(self.input.position)

    cdef int skip_byte_order_mark(self) except -1:
        if self.input.fill(3) and self.input.begin[:3] == b"\xEF\xBB\xBF":
            self.input.take(3)
        return 0

    cdef int decode(self) except -1:
        cdef InputBuffer input = self.input
        cdef const uint8_t* at = self.decoder.decode(
            input.begin, input.end, input.is_at_end, input.position
        )
        input.take(at - input.begin)
        return 0

    cdef int read_row(self) except -1:
        """Read until a row or comment is whole, or there is no more."""
        cdef InputBuffer input = self.input
        cdef RowEnd search
        search.state = BETWEEN_ROWS
        search.quote = 0
        search.searched = 0
        # What is there has no whole row; but it may lack only the byte behind its dot.
        find_row_end(&search, input.begin, input.end)
        while True:
            input.read_more()
            if (
                input.is_at_end or find_row_end(&search, input.begin, input.end)
                or <size_t>(input.end - input.begin) > self.max_row_size
            ):
                return 0
