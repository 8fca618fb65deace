"""Makes the same lexical forms as Jena for literals that Thrift encodes as numbers."""


cpdef bytes decimal_text(int64_t value, int64_t scale):
    """Return the lexical form of ``value`` divided by 10 to the power of ``scale``."""
    digits = Decimal(value).as_tuple()
    return f"{Decimal(digits._replace(exponent=-scale)):f}".encode()


cpdef bytes double_text(uint64_t bits):
    """Return the lexical form of an xsd:double.

    It is the text of Java's ``Double.toString``, except that infinity is XSD's INF.
    """
    cdef double value
    memcpy(&value, &bits, sizeof(bits))
    if value != value:
        return b"NaN"
    if value - value != 0:
        return b"INF" if value > 0 else b"-INF"
    # repr gives the fewest digits that distinguish the number from all others.
    text = repr(value)
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return text.encode()
    sign, digits, exponent = Decimal(text).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    power = exponent + len(digits) - 1
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}".encode()
