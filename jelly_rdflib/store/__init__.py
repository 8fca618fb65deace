"""An rdflib store that is made for changes.

`JellyStore` has rdflib's interface of a store. `quads` holds the contents: each term once, with a
number, and each quad as a row of four numbers.
"""
