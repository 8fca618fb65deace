"""Says whether the tests run under the sanitizers (`make test-asan`), which need more memory."""

import os

UNDER_SANITIZERS = "JELLY_RDFLIB_MODULES" in os.environ
MEMORY_FACTOR = 2 if UNDER_SANITIZERS else 1
"""The approximate factor by which memory use grows, since each block has red zones around it."""
