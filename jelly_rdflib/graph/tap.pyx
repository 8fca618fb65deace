# cython: boundscheck=True
# Tuples of others are read by index here.
"""Sees the changes of a store as they are made, and hands them to those who record."""

from jelly_rdflib.graph.stores.native cimport DELETED, UndoLog, Undoer, View, get_name, is_answer

import threading

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph, QuotedGraph
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.store import Store

from jelly_rdflib.errors import RecordError
from jelly_rdflib.operations import Op
from jelly_rdflib.graph.stores.native import open_view
from jelly_rdflib.graph.stores.target import get_default_graph

include "tap/journal.pxi"
include "tap/tap.pxi"
