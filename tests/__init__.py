"""The tests of jelly_rdflib; their oracles share no code with the package."""
