# cython: boundscheck=True
# Check bounds, since the code here reads callers' tuples by index.
"""Views of a store, ways to change it and to undo changes, and the tap that sees changes."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t, uint8_t

from jelly_rdflib.core.batch cimport Batch, RowColumns, RowIterator, TermKind, TermTable, is_unnamed
from jelly_rdflib.core.wire cimport A, D, END, TA, TC, TX
from jelly_rdflib.nodes.numbering cimport *
from jelly_rdflib.store.quads cimport G, O, P, S, BatchNumbers, Dictionary, QuadStore, Row, StoreJournal

import os
import rdflib
import threading
from traceback import clear_frames
from urllib.error import HTTPError

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph, QuotedGraph
from rdflib.namespace import XSD
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.store import Store
from rdflib.term import BNode, Literal, URIRef

from jelly_rdflib.display.operations import operation_text
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import ApplyError, EncodeError, RecordError, RollbackError
from jelly_rdflib.graph.stores.statements import (
    check_graph,
    check_operation,
    check_statement,
    same_value,
)
from jelly_rdflib.graph.stores.target import get_default_graph, get_inner
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op
from jelly_rdflib.store.jelly_store import JellyStore
from jelly_rdflib.terms import TripleTerm, identity

cdef object ADD = Op.A
cdef object DELETE = Op.D
cdef object STRING = XSD.string
cdef tuple ANYTHING = (None, None, None)

include "native/undoing.pxi"
include "native/spelling.pxi"
include "native/view.pxi"
include "native/memory_view.pxi"
include "native/oxigraph_view.pxi"
include "native/journal.pxi"
include "native/tap.pxi"
include "native/journal_tap.pxi"
include "native/changes.pxi"
include "native/memory.pxi"
include "native/jelly.pxi"
include "native/endpoint.pxi"
include "native/choose_changes.pxi"
