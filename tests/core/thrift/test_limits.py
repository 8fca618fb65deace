"""Each limit at its extremes, and just where it starts to hold."""

from __future__ import annotations

import pytest

import jelly_rdflib as jr
from tests.core.thrift.oracle import SCHEMA, rows_to_bytes
from tests.core.thrift.support import attempt
from tests.core.thrift.test_batch_reader import END, SAMPLE, XSD, row_of
from tests.oracle.terms import Plain
from tests.pieces import Pieces

NUMBER = SCHEMA.RDF_Term(valDecimal=SCHEMA.RDF_Decimal(value=-5, scale=2000))
STATEMENT: Plain = ("A", *SAMPLE[6][1:])
NESTED = SAMPLE[7]


@pytest.mark.parametrize(
    ("name", "data", "enough"),
    [
        ("max_frame_size", rows_to_bytes([STATEMENT] * 3), len(rows_to_bytes([STATEMENT]))),
        ("max_string_size", rows_to_bytes([STATEMENT] * 3), len(XSD + "integer")),
        ("max_text_size", rows_to_bytes([STATEMENT] * 3), len(XSD + "integer" + "b.1p1")),
        ("max_nesting_depth", rows_to_bytes([NESTED] * 3), 2),
        # The digits, and the sign, zero and point before them.
        ("max_string_size", row_of(NUMBER), len("-0.") + 2000),
        ("max_text_size", row_of(NUMBER), len("k" + XSD + "decimal" + "-0.") + 2000),
        # Of 8 bytes; 1024 characters are free, and 22 are counted for the digits and the rest.
        ("max_expansion", row_of(NUMBER), -((1024 - 22 - 2000) // 8)),
    ],
)
def test_where_a_limit_starts_to_hold(name: str, data: bytes, enough: int) -> None:
    most = {"max_nesting_depth": 1000, "max_expansion": 1 << 24}.get(name, (1 << 31) - 1)
    for value in (0, enough - 1, enough, enough + 1, most):
        for source in (data, Pieces(data), Pieces(data, 1000)):
            operations, error = attempt(source, **{name: value})
            if value >= enough:
                assert error is None
                assert operations[-1] == END
            else:
                assert operations == []
                assert type(error) is jr.LimitError
                assert name in error.message
                assert error.row == 0
                assert error.offset is not None
                assert error.offset <= len(data)
