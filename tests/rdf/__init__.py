"""Tests of Jelly-RDF."""
