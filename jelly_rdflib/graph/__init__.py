"""rdflib graphs and datasets: how changes are applied to their stores and read from them.

- ``apply``: applies changes, or undoes all of them
- ``graphs``: reads and writes whole graphs
- ``stores``: how each kind of store is read and changed, and how its changes are seen
- ``canonical``: compares blank nodes by the statements about them
"""
