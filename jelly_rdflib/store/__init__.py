"""A store of rdflib that is made for changes.

`JellyStore` is rdflib's view of the store. `quads` has its contents: each term once, with a
number, and each quad as a row of four numbers.
"""
