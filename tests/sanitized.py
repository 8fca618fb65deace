"""Says whether the tests run under the sanitizers (`make test-asan`), which need more memory."""

import os

UNDER_SANITIZERS = "JELLY_RDFLIB_MODULES" in os.environ
MEMORY_FACTOR = 2 if UNDER_SANITIZERS else 1
"""How many times the memory is needed, approximately, since each block has red zones around it."""
