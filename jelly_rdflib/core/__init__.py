"""The wire format in Cython: bytes to batches and back. Knows nothing of rdflib."""
