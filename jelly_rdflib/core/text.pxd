"""Converts RDF Patch text and N-Triples to batches and back."""

from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memmove

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.wire cimport *

include "text/text_decoder.pxd"
include "text/term_parser.pxd"
include "text/term_texts.pxd"
