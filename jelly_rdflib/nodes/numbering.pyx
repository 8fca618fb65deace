"""Numbers and entries for distinct rdflib nodes."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject_Hash, hashfunc
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_Compare
from libc.stdint cimport uint64_t

from jelly_rdflib.core.wire cimport mix

from rdflib.namespace import XSD
from rdflib.term import BNode, IdentifiedNode, Literal, URIRef

from jelly_rdflib.errors import LimitError
from jelly_rdflib.terms import identity

include "numbering/node_numbers.pxi"
include "numbering/node_table.pxi"
