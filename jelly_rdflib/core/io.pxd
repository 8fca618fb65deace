"""Input buffers, and the output of encoders."""

cimport cython
from libc.stdint cimport uint64_t, uint8_t

from jelly_rdflib.core.batch cimport Batch

include "io/input_buffer.pxd"
include "io/output.pxd"
