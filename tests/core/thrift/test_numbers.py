"""Tests that literals given as values get the same lexical forms as in Jena."""

import math
import re
import struct
from decimal import Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.thrift.oracle import SCHEMA
from tests.core.thrift.test_batch_reader import XSD, value

# Java's Double.toString formats numbers like this.
JAVA_FORM = re.compile(r"-?(0|[1-9]\d{0,6})\.(0|\d*[1-9])|-?[1-9]\.(0|\d*[1-9])E(-?[1-9]\d*)")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (9999999.0, "9999999.0"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (math.nan, "NaN"),
        (math.inf, "INF"),
        (-math.inf, "-INF"),
    ],
)
def test_doubles(number: float, text: str) -> None:
    expected = ("literal", text, None, XSD + "double")
    assert value(SCHEMA.RDF_Term(valDouble=number)) == expected


@given(st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e8, 1e8))
def test_any_double(number: float) -> None:
    text = value(SCHEMA.RDF_Term(valDouble=number))[1]
    assert struct.pack("d", float(text)) == struct.pack("d", number)
    assert JAVA_FORM.fullmatch(text)
    assert ("E" in text) == (number != 0 and not 1e-3 <= abs(number) < 1e7)


@pytest.mark.parametrize(
    ("number", "scale", "text"),
    [
        (0, 0, "0"),
        (0, 2, "0.00"),
        (0, -3, "0"),
        (5, 0, "5"),
        (-5, 1, "-0.5"),
        (1250, 2, "12.50"),
        (7, -2, "700"),
        (-7, -2, "-700"),
        (-(1 << 63), 3, "-9223372036854775.808"),
        ((1 << 63) - 1, 19, "0.9223372036854775807"),
        (1, 20, "0.00000000000000000001"),
    ],
)
def test_decimals(number: int, scale: int, text: str) -> None:
    message = SCHEMA.RDF_Term(valDecimal=SCHEMA.RDF_Decimal(value=number, scale=scale))
    assert value(message) == ("literal", text, None, XSD + "decimal")


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(-500, 500))
def test_any_decimal(number: int, scale: int) -> None:
    message = SCHEMA.RDF_Term(valDecimal=SCHEMA.RDF_Decimal(value=number, scale=scale))
    text = value(message)[1]
    assert re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", text)
    assert len(text.partition(".")[2]) == max(scale, 0)
    assert Decimal(text) == Decimal(number).scaleb(-scale, Context(prec=1000))
