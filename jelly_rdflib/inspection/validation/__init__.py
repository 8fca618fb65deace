"""Checks files against every rule of their format, including rules that readers don't enforce."""

from jelly_rdflib.inspection.validation.faults import Fault
from jelly_rdflib.inspection.validation.validator import validate

__all__ = ["Fault", "validate"]
