"""Targets that compare the decoders with parsers that share no code with them.

The reference decoders of the tests check the rules; protobuf's own parser checks the bytes.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError as ProtobufError

import jelly_rdflib as jr
from tests import support as patch_support
from tests.core.columns import plain_batches as columns_support
from tests.core.jelly import statement_support as rdf_support
from tests.core.text import reference as text_reference
from tests.oracle import schema as pb
from tests.oracle import wire
from tests.support import LOOSE

from .outcomes import attempt, is_compressed, plain_operations

__all__ = ["compare_columns", "compare_patch", "compare_rdf", "compare_text"]


def compare_patch(data: bytes) -> None:
    """Check that Jelly-Patch is read exactly as protobuf and the reference decoder read it."""
    if is_compressed(data):
        return
    is_refused = patch_support.assert_same_outcome(data)
    assert is_refused or not _is_malformed(pb.RdfPatchFrame, data), "protobuf refuses it"


def compare_rdf(data: bytes) -> None:
    """Check that Jelly-RDF is read exactly as protobuf and the reference decoder read it."""
    if is_compressed(data):
        return
    is_refused = rdf_support.assert_same_outcome(data)
    assert is_refused or not _is_malformed(pb.RdfStreamFrame, data), "protobuf refuses it"


def compare_columns(data: bytes) -> None:
    """Check that Jelly-RDF 1.2 is read exactly as protobuf and the second reader read it."""
    if not is_compressed(data):
        columns_support.assert_same_outcome(data)


def _is_malformed(message_class: Any, data: bytes) -> bool:
    """Return whether protobuf's own parser refuses a frame of an input."""
    try:
        for part in wire.split(data):
            message_class.FromString(part)
    except (wire.WireError, ProtobufError):
        return True
    return False


def compare_text(data: bytes) -> None:
    """Check that RDF Patch text is read as a grammar of regular expressions prescribes."""
    if is_compressed(data):
        return
    expected = text_reference.read(data)
    operations = jr.read_operations(data, format="rdf-patch", normalize=False)
    got = attempt(lambda: plain_operations(operations))
    if isinstance(got.error, jr.LimitError):
        # The reference reader has no limits.
        operations = jr.read_operations(data, format="rdf-patch", normalize=False, limits=LOOSE)
        got = attempt(lambda: plain_operations(operations))
    if isinstance(got.error, jr.LimitError):
        assert "max_nesting_depth" in got.error.message
        return
    assert (got.error is None) == (expected.fault is None), (got.error, expected.fault)
    assert got.items == expected.operations
