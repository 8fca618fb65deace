"""A runner of the Jelly-RDF conformance test suite.

``python -m tests.conformance [SUITE_DIR] --report out.ttl`` runs every case of every
``manifest.ttl`` below ``SUITE_DIR``, by default the cases in the folder ``suite``. See `manifest`,
which reads the manifests; `run`, which says whether a case passes; `report`, which writes the
outcomes as EARL.
"""
