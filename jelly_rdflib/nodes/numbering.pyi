"""Distinct nodes of rdflib, found by rdflib's equality or an exact one."""
