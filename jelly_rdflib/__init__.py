"""Jelly-Patch for rdflib: record, move and apply changes to RDF data."""

from jelly_rdflib.errors import ApplyError, DecodeError, EncodeError, JellyError, LimitError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.patch import read_batches, read_operations
from jelly_rdflib.terms import TripleTerm
