"""Holding files against the rules: those that readers insist on, and those that they don't."""

from jelly_rdflib.inspection.validation.faults import RULES, Fault, Rule
from jelly_rdflib.inspection.validation.validator import validate

__all__ = ["RULES", "Fault", "Rule", "validate"]
