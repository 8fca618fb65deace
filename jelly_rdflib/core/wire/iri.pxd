# Is this an IRI of RFC 3987, with a scheme? What is wrong, if it is none.

cdef enum IriFault:
    IRI_IS_GOOD
    IRI_IS_RELATIVE  # it has no scheme
    IRI_HAS_BAD_CHARACTER
    IRI_HAS_BAD_ESCAPE  # a percent sign without two hexadecimal digits
    IRI_HAS_BAD_PORT
    IRI_HAS_BAD_ADDRESS  # in brackets


cdef IriFault check_iri(const uint8_t* at, const uint8_t* end) noexcept nogil
