"""Graphs and datasets of rdflib: changes get into their stores and out again.

- ``apply``: apply changes, or undo all of them
- ``graphs``: read and write whole graphs
- ``stores``: how each kind of store is changed and looked into, and its changes seen
- ``canonical``: compares blank nodes by what is said of them
"""
