"""Checkpoints: the state of a decoder as bytes, saved and restored.

A checkpoint consists of varints, and of texts that are preceded by their lengths. It may be forged,
so it is checked like a stream: sizes against limits, numbers against the entries and terms that
they refer to, and texts for valid UTF-8.
"""

cdef enum:
    # The maximum number of bytes of a varint.
    MAX_VARINT = 10
    # The size of a written quoted triple without its terms, in bytes.
    TRIPLE_SIZE = 16

ctypedef struct WrittenTerm:
    # The size that a restored term would have in output. It must be checked, since quoted triples
    # may share terms, so a few terms may expand to very many.
    int depth
    size_t size


cdef int put_saved_number(WriteBuffer* out, uint64_t number) except -1:
    buffer_reserve(out, MAX_VARINT)
    put_varint(out, number)
    return 0


cdef int put_saved_text(WriteBuffer* out, const uint8_t* text, size_t size) except -1:
    put_saved_number(out, size)
    buffer_reserve(out, size)
    put_bytes(out, text, size)
    return 0


cdef int save_lookup(WriteBuffer* out, const Lookup* lookup) except -1:
    """Save the entries of a lookup that are set, and the id of the entry that was set last."""
    cdef uint32_t id
    cdef uint32_t count = 0
    for id in range(1, lookup.size + 1):
        count += lookup.serials[id] != NOT_SET
    put_saved_number(out, lookup.last_set)
    put_saved_number(out, count)
    for id in range(1, lookup.size + 1):
        if lookup.serials[id] != NOT_SET:
            put_saved_number(out, id)
            put_saved_text(out, lookup.entries[id].text, lookup.entries[id].size)
    return 0


cdef int save_terms(WriteBuffer* out, const TermColumns* terms) except -1:
    """Save a small table of terms, in which each term follows the terms that it refers to."""
    cdef uint32_t term
    cdef uint32_t[3] numbers
    cdef const uint8_t* text
    cdef int position
    put_saved_number(out, terms.count - 1)
    for term in range(1, terms.count):
        text = terms.data + terms.offsets[term]
        put_saved_number(out, terms.kinds[term])
        if terms.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(numbers, text, sizeof(numbers))
            for position in range(3):
                put_saved_number(out, numbers[position])
            continue
        put_saved_number(out, terms.extras[term])
        put_saved_text(out, text, terms.offsets[term + 1] - terms.offsets[term])
    return 0


cdef object damaged(str reason):
    return DecodeError(f"the checkpoint of a decoder is damaged: {reason}")


cdef uint64_t take_saved_number(Span* rest, uint64_t most) except? 0xFFFFFFFFFFFFFFFF:
    cdef uint64_t number
    cdef Failure failure
    memset(&failure, 0, sizeof(failure))
    if read_varint(&rest.start, rest.end, &number, &failure) < 0:
        raise damaged("a number is cut off")
    if number > most:
        raise damaged(f"number {number}, but the maximum is {most}")
    return number


cdef bint take_saved_flag(Span* rest) except -1:
    return take_saved_number(rest, 1) == 1


cdef int take_span(Span* rest, Span* span, size_t max_size) except -1:
    cdef Failure failure
    memset(&failure, 0, sizeof(failure))
    if read_span(&rest.start, rest.end, span, &failure) < 0:
        raise damaged("a text is cut off")
    if <size_t>(span.end - span.start) > max_size:
        raise damaged(f"a text has more than {max_size} bytes")
    if not is_utf8(span.start, span.end):
        raise damaged("a text is not UTF-8")
    return 0


cdef int restore_lookup(
    Span* rest, Lookup* lookup, uint64_t* serial, const TextLimits* limits, size_t* held
) except -1:
    """Fill an empty lookup."""
    cdef uint32_t last_set = <uint32_t>take_saved_number(rest, lookup.size)
    cdef uint32_t count = <uint32_t>take_saved_number(rest, lookup.size)
    cdef uint32_t id
    cdef uint32_t last = 0
    cdef Span text
    while count > 0:
        count -= 1
        id = <uint32_t>take_saved_number(rest, lookup.size)
        if id <= last:
            raise damaged("the entries of a lookup are out of order")
        last = id
        take_span(rest, &text, limits.string_size)
        if held[0] + (text.end - text.start) > limits.text_size:
            raise damaged(f"the lookups have more than {limits.text_size} bytes of text")
        serial[0] += 1
        if lookup_set_text(
            lookup, id, text.start, <uint32_t>(text.end - text.start), serial[0], held
        ) < 0:
            raise MemoryError
    if last_set != 0 and lookup.serials[last_set] == NOT_SET:
        raise damaged("the entry that was set last is not set")
    lookup.last_set = last_set
    return 0


cdef int restore_terms(
    Span* rest, TermColumns* terms, uint64_t seed, const TextLimits* limits, int max_depth
) except -1:
    """Make a table of the terms that `save_terms` saved, in the same order."""
    # Each term needs at least three bytes.
    cdef uint32_t count = <uint32_t>take_saved_number(rest, (rest.end - rest.start) // 3)
    cdef WrittenTerm* written = <WrittenTerm*>PyMem_RawCalloc(
        <size_t>count + 1, sizeof(WrittenTerm)
    )
    if written == NULL:
        raise MemoryError
    try:
        terms_free(terms)
        if terms_init(terms, count, 256, limits.text_size) < 0:
            raise MemoryError
        for term in range(1, <size_t>count + 1):
            restore_term(rest, terms, seed, limits, max_depth, written)
    finally:
        PyMem_RawFree(written)
    return 0


cdef int restore_term(
    Span* rest, TermColumns* terms, uint64_t seed, const TextLimits* limits, int max_depth,
    WrittenTerm* written
) except -1:
    cdef uint32_t term = terms.count
    cdef uint32_t[3] numbers
    cdef uint32_t extra
    cdef int kind = <int>take_saved_number(rest, TermKind.STRING)
    cdef int position
    cdef int depth = 0
    cdef size_t size = TRIPLE_SIZE
    cdef int64_t number
    cdef Failure failure
    cdef Span text, tag
    cdef uint64_t hash = 0
    memset(&failure, 0, sizeof(failure))
    if kind == TermKind.NONE:
        raise damaged("a term of no kind")
    if kind == TermKind.TRIPLE_TERM:
        for position in range(3):
            numbers[position] = <uint32_t>take_saved_number(rest, term - 1)
            extra = terms.kinds[numbers[position]]
            if extra == TermKind.NONE or extra >= TermKind.DEFAULT_GRAPH:
                raise damaged("a quoted triple has a part that is not a term")
            depth = max(depth, written[numbers[position]].depth)
            size += written[numbers[position]].size
        if depth + 1 > max_depth:
            raise damaged(f"quoted triples nest deeper than {max_depth}")
        if size > limits.text_size:
            raise LimitError(
                "a quoted triple of a decoder's checkpoint expands to more than"
                f" {limits.text_size} bytes of text", limit="max_text_size", value=limits.text_size,
            )
        written[term].depth = depth + 1
        written[term].size = size
        number = terms_intern_triple(terms, numbers[0], numbers[1], numbers[2], NULL, &failure)
    else:
        extra = <uint32_t>take_saved_number(rest, term - 1)
        take_span(rest, &text, limits.string_size)
        written[term].size = text.end - text.start + written[extra].size
        if kind == TermKind.LANGUAGE_LITERAL:
            tag.start = terms.data + terms.offsets[extra]
            tag.end = terms.data + terms.offsets[extra + 1]
            if terms.kinds[extra] != TermKind.STRING or not is_language_tag(tag):
                raise damaged("a literal without the language tag that it should have")
        elif kind == TermKind.TYPED_LITERAL:
            if terms.kinds[extra] != TermKind.IRI:
                raise damaged("a literal without the datatype that it should have")
        elif extra != 0:
            raise damaged("a term that is not a literal has a datatype or a language")
        # As in a decoder, the default graph has no text to hash.
        if kind != TermKind.DEFAULT_GRAPH:
            hash = hash_text(text.start, text.end - text.start, seed)
        elif text.end > text.start:
            raise damaged("the default graph has a text")
        number = terms_intern(
            terms, <TermKind>kind, text.start, text.end - text.start, extra,
            term_hash(<TermKind>kind, hash, terms.hashes[extra]), NULL, &failure,
        )
    if number < 0:
        raise failure_to_error(&failure, None, None, None)
    if number != term:
        raise damaged("it has a term twice")
    return 0
