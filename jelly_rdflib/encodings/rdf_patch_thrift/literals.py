"""Literals: the lexical forms that values have, as for Jena."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = [
    "RDF_LANG_STRING",
    "XSD",
    "decimal_size",
    "decimal_text",
    "double_text",
]

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"


def double_text(value: float) -> str:
    """Return the lexical form of an xsd:double.

    It is what Java's ``Double.toString`` gives, but for infinity, which XSD calls INF.

    Examples:
        >>> double_text(1.0), double_text(-1.5e-7), double_text(1e7), double_text(math.inf)
        ('1.0', '-1.5E-7', '1.0E7', 'INF')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    # repr has the fewest digits that tell the number from others.
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rstrip("0") or "0"
    # Of the first digit.
    magnitude = exponent + len(digits) - 1
    if value == 0:
        text = "0.0"
    elif -3 <= magnitude < 0:
        text = f"0.{'0' * (-magnitude - 1)}{text}"
    elif 0 <= magnitude < 7:
        text = text.ljust(magnitude + 1, "0")
        text = f"{text[: magnitude + 1]}.{text[magnitude + 1 :] or '0'}"
    else:
        text = f"{text[0]}.{text[1:] or '0'}E{magnitude}"
    return "-" + text if sign else text


def decimal_size(value: int, scale: int) -> int:
    """Return how many characters `decimal_text` has, at the most."""
    return len(str(value)) + abs(scale) + len("0.")


def decimal_text(value: int, scale: int) -> str:
    """Return the lexical form of the xsd:decimal that is ``value`` divided by 10 to ``scale``.

    Examples:
        >>> decimal_text(-1250, 2), decimal_text(5, 3), decimal_text(7, -2), decimal_text(7, 0)
        ('-12.50', '0.005', '700', '7')
    """
    if scale <= 0:
        return str(value) + ("0" * -scale if value else "")
    digits = str(abs(value)).zfill(scale + 1)
    return f"{'-' if value < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"
