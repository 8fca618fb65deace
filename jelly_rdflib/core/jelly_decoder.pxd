"""Decodes the frames of Jelly-RDF and Jelly-Patch to batches."""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from jelly_rdflib.core.batch cimport (
    Batch,
    BatchSource,
    NodeMaker,
    RowColumns,
    TermColumns,
    TermKind,
)
from jelly_rdflib.core.io cimport InputBuffer
from jelly_rdflib.core.wire cimport Failure, Span, WriteBuffer, fail_number

include "jelly/lookup.pxd"
include "jelly/checkpoint.pxd"
include "jelly/term_decoder.pxd"
include "jelly/frame_decoder.pxd"
include "jelly/patch_decoder.pxd"
include "jelly/statement_decoder.pxd"
include "jelly/frame_reader.pxd"
include "jelly/batch_reader.pxd"
