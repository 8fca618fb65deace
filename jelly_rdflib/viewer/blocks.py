"""Compressed blocks of data in a page, as text."""

from __future__ import annotations

import base64
import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from itertools import chain
from operator import sub
from typing import Any


def pack_json(value: Any) -> str:
    """Pack a JSON value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _pack(text.encode())


def pack_columns(columns: Sequence[Sequence[int]]) -> str:
    """Pack columns of numbers below 2³¹, all of the same length.

    Each number is written as its difference from the previous one, which is usually small. For each
    column, all first bytes are written, then all second bytes, and so on, since this suits zlib.
    """
    planes: list[bytes] = []
    for column in columns:
        differences = array("i", map(sub, column, chain((0,), column)))
        if sys.byteorder == "big":
            differences.byteswap()
        data = differences.tobytes()
        planes += (data[place::4] for place in range(4))
    return _pack(b"".join(planes))


def _pack(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")
