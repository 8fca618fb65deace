# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Decodes the frames of Jelly-RDF and Jelly-Patch to batches, and counts the parts of frames."""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcmp, memcpy, memset, strlen

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.io cimport InputBuffer
from jelly_rdflib.core.wire cimport *

from jelly_rdflib.core.warning import warn
from jelly_rdflib.core.wire import PATCH_OPTION_FIELDS, STREAM_OPTION_FIELDS
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.options import LogicalStreamType, PatchOptions, PhysicalStreamType, StreamOptions
from jelly_rdflib.rules import Rule

include "jelly/schema.pxi"
include "jelly/lookup.pxi"
include "jelly/checkpoint.pxi"
include "jelly/observations.pxi"
include "jelly/term_decoder.pxi"
include "jelly/stream_kind.pxi"
include "jelly/frame_decoder.pxi"
include "jelly/patch_decoder.pxi"
include "jelly/column_options.pxi"
include "jelly/column_lists.pxi"
include "jelly/column_decoder.pxi"
include "jelly/statement_decoder.pxi"
include "jelly/frame_reader.pxi"
include "jelly/batch_reader.pxi"
include "jelly/stream_scanner.pxi"
include "jelly/frame_statistics.pxi"
