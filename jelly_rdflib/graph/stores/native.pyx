# cython: boundscheck=True
# Tuples of others are read by index here.
"""Views of what a store holds, the fast way into rdflib's Memory store, and the undo log."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_Compare
from libc.stdint cimport uint32_t, uint8_t

from jelly_rdflib.core.batch cimport Batch, RowColumns, RowIterator
from jelly_rdflib.core.wire cimport A, D
from jelly_rdflib.nodes.numbering cimport (
    NodeEntry,
    NodeKind,
    NodeTable,
    dict_discard,
    dict_get,
    dict_get_dict,
    dict_has,
    dict_need_dict,
    dict_set,
    hash_node,
    hash_of_triple,
    hash_triple,
    is_same,
)

import rdflib
from traceback import clear_frames

from rdflib.graph import Graph
from rdflib.namespace import XSD
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.term import BNode, Literal, URIRef

from jelly_rdflib.errors import ApplyError, RecordError, RollbackError
from jelly_rdflib.operations import Op
from jelly_rdflib.graph.stores.statements import check_graph, check_operation, check_statement
from jelly_rdflib.graph.stores.target import get_inner
from jelly_rdflib.terms import strong_key

include "native/undoing.pxi"
include "native/spelling.pxi"
include "native/view.pxi"
include "native/memory_view.pxi"
include "native/memory.pxi"
