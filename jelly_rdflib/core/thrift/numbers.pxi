"""Lexical forms for literals that have a value instead: the forms that Jena makes."""


cdef bytes decimal_text(int64_t value, int64_t scale):
    """Return the lexical form of ``value`` divided by 10 to the power of ``scale``."""
    digits = Decimal(value).as_tuple()
    return f"{Decimal(digits._replace(exponent=-scale)):f}".encode()


cdef bytes double_text(uint64_t bits):
    """Return the lexical form of an xsd:double.

    It is what Java's ``Double.toString`` gives, but for infinity, which XSD calls INF.
    """
    cdef double value
    memcpy(&value, &bits, sizeof(bits))
    if value != value:
        return b"NaN"
    if value - value != 0:
        return b"INF" if value > 0 else b"-INF"
    # repr has the fewest digits that tell the number from others.
    text = repr(value)
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return text.encode()
    sign, digits, exponent = Decimal(text).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    power = exponent + len(digits) - 1
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}".encode()
