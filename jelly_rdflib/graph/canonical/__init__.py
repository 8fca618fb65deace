"""Blank nodes of two datasets: which of them are the same, whatever their labels.

`differ` finds what of the statements with blank nodes is to be deleted and added. It splits them
into components, which blank nodes hold together; those that both datasets have, by their canonical
form (RDFC-1.0), are no difference. Of the rest it pairs the blank nodes as well as it can, first
those that are known by a statement, then those that have most in common: any pairing is right, a
good one leaves few changes.
"""
