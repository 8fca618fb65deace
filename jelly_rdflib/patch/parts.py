"""Patches of batches."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from jelly_rdflib.core.batch import Batch, BatchSlice
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Operation
from jelly_rdflib.patch.patch import Patch


def join_parts(parts: Iterable[Operation | Batch]) -> Patch:
    """Return the patch of batches, and of operations between them."""
    slices: list[BatchSlice] = []
    for cls, run in groupby(parts, type):
        found: Any = iter(run)
        for batch in found if cls is Batch else NodeBatches(NODE_TYPES, found):
            slices += batch._slices()
    return Patch.of_slices(slices)
