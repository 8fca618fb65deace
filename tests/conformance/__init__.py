"""A runner of the Jelly-RDF conformance test suite.

``python -m tests.conformance [SUITE_DIR] --report out.ttl`` runs every case of every
``manifest.ttl`` below ``SUITE_DIR``, by default the cases in the folder ``suite``. `manifest`
reads the manifests, `run` decides whether a case passes, and `report` writes the outcomes as EARL.
"""
