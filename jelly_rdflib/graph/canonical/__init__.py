"""Compares blank nodes of two datasets, whatever their labels.

`differ` finds which statements with blank nodes to delete and to add. It splits the statements into
components, which blank nodes hold together. Components that both datasets have, by their canonical
form (RDFC-1.0), are no difference. In the rest it pairs blank nodes: first those that a statement
identifies, then those that have the most in common. Any pairing is correct; a good one leaves few
changes.
"""
