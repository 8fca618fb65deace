# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Converts RDF Patch text and N-Triples to batches and back."""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp, memmove, memset, strlen, strstr

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.io cimport *
from jelly_rdflib.core.tables cimport *
from jelly_rdflib.core.wire cimport *

from collections import deque

from jelly_rdflib.core.warning import warn_of_dropped
from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op
from jelly_rdflib.rules import Rule

include "text/language_tag.pxi"
include "text/text_decoder.pxi"
include "text/tokens.pxi"
include "text/rows.pxi"
include "text/terms.pxi"
include "text/strings.pxi"
include "text/text_reader.pxi"
include "text/node_labels.pxi"
include "text/quad_reader.pxi"
include "text/term_parser.pxi"
include "text/term_texts.pxi"
include "text/term_checks.pxi"
include "text/iri.pxi"
include "text/turtle_scanner.pxi"
include "text/text_encoder.pxi"
include "text/patch_encoder.pxi"
include "text/line_encoder.pxi"
