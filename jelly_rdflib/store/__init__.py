"""A store of rdflib that is made for changes.

`JellyStore` is the store as rdflib sees it. `quads` has what it holds: each term once, with a
number, and each quad as a row of four numbers.
"""
