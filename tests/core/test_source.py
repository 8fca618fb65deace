"""Compressed sources, and how much they may expand."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest
import zstandard

import jelly_rdflib as jr
from jelly_rdflib.core import source

TEXT = b"TX .\n" + b"A <urn:s> <urn:p> <urn:o> .\n" * 200 + b"TC .\n"
RATIO = 3


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_data_may_expand_by_the_ratio_and_some_free_bytes(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = compress(TEXT)
    limits = jr.Limits(max_decompression_ratio=RATIO)
    free = len(TEXT) - RATIO * len(data)
    assert free > 0
    monkeypatch.setattr(source, "FREE_SIZE", free)
    assert sum(map(len, jr.read_batches(data, format="rdf-patch", limits=limits))) == 203
    monkeypatch.setattr(source, "FREE_SIZE", free - 1)
    with pytest.raises(jr.LimitError, match="max_decompression_ratio"):
        list(jr.read_batches(data, format="rdf-patch", limits=limits))
