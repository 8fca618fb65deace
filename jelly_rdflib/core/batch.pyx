# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Batches: rows of numbers, with a table that has each distinct term once."""

cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.string cimport memset

import os

import jelly_rdflib.importers as importers
from jelly_rdflib.display import words
from jelly_rdflib.errors import ApplyError, DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op

include "batch/terms.pxi"
include "batch/term_table.pxi"
include "batch/tabular.pxi"
include "batch/batch.pxi"
include "batch/dumped.pxi"
include "batch/batch_source.pxi"
include "batch/relabelled.pxi"
include "batch/generated.pxi"
include "batch/batch_builder.pxi"
include "batch/transactions.pxi"
