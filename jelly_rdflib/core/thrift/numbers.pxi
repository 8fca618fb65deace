"""Lexical forms for literals that have a value instead: the forms that Jena makes."""


cdef bytes decimal_text(int64_t value, int64_t scale):
    """Return the lexical form of ``value`` divided by 10 to the power of ``scale``."""
    digits = str(value).lstrip("-")
    if scale <= 0:
        digits += "0" * -scale if value != 0 else ""
    else:
        digits = digits.zfill(scale + 1)
        digits = f"{digits[:len(digits) - scale]}.{digits[len(digits) - scale:]}"
    return f"{'-' if value < 0 else ''}{digits}".encode()


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
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    # Of the first digit.
    power = exponent + len(digits) - 1
    if value == 0:
        text = "0.0"
    elif -3 <= power < 0:
        text = f"0.{'0' * (-power - 1)}{text}"
    elif 0 <= power < 7:
        text = text.ljust(power + 1, "0")
        text = f"{text[:power + 1]}.{text[power + 1:] or '0'}"
    else:
        text = f"{text[0]}.{text[1:] or '0'}E{power}"
    return f"{'-' if sign else ''}{text}".encode()
