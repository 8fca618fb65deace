"""The tests of jelly_rdflib. Their oracles share no code with the package."""
