"""Holding files against the rules: those that readers insist on, and those that they don't."""

from jelly_rdflib.validation.faults import RULES, Fault, Rule
from jelly_rdflib.validation.validator import validate

__all__ = ["RULES", "Fault", "Rule", "validate"]
