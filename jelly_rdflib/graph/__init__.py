"""Graphs and datasets of rdflib: how changes get into their stores, and out again.

- ``apply``: applies changes, or undoes all of them
- ``graphs``: reads and writes whole graphs
- ``stores``: how each kind of store is read and changed, and how its changes are seen
- ``canonical``: compares blank nodes by the statements about them
"""
