"""Reading and writing Jelly-Patch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.patch_decoder import PatchFrameDecoder
from jelly_rdflib.core.patch_reader import PatchBatchReader, PatchOperationReader
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions

_DEFAULT_LIMITS = Limits()


def read_operations(
    source: Any, *, limits: Limits | None = None, normalize: bool | None = None
) -> PatchOperationReader:
    """Iterate over the operations of a Jelly-Patch stream."""
    return PatchOperationReader(source, make_node_factory(normalize), limits or _DEFAULT_LIMITS)


def read_batches(source: Any, *, limits: Limits | None = None) -> PatchBatchReader:
    """Iterate over the batches of a Jelly-Patch stream, one for each frame."""
    return PatchBatchReader(source, make_node_factory(False), limits or _DEFAULT_LIMITS)
