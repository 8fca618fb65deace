"""Compares blank nodes of two datasets, regardless of their labels.

`differ` finds which statements with blank nodes to delete and to add. It splits the statements into
components that are connected by blank nodes. Components with a canonical form (RDFC-1.0) that both
datasets have are left out. In the rest it pairs blank nodes: first those that a statement
identifies, then those that have the most in common. Any pairing is correct; a good one leaves few
changes.
"""
