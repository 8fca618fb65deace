# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Encodes batches as frames of Jelly-RDF and Jelly-Patch."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.io cimport (
    BROKEN, FINISHED, IN_FLIGHT, NOT_INITIALIZED, OPEN, Output, check_usable,
)
from jelly_rdflib.core.tables cimport SortItem, sort_items
from jelly_rdflib.core.wire cimport *

from collections.abc import Mapping
from operator import itemgetter

from jelly_rdflib.core.wire import PATCH_OPTION_FIELDS, STREAM_OPTION_FIELDS
from jelly_rdflib.errors import EncodeError, InUseError
from jelly_rdflib.operations import Op
from jelly_rdflib.options import PatchOptions, StreamOptions
from jelly_rdflib.rules import Rule

include "jelly/lookup_encoder.pxi"
include "jelly/term_encoder.pxi"
include "jelly/frame_encoder.pxi"
include "jelly/patch_encoder.pxi"
include "jelly/statement_encoder.pxi"
