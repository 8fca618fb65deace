"""Whether tests run under the sanitizers (`make test-asan`), where all takes more memory."""

import os

UNDER_SANITIZERS = "JELLY_RDFLIB_MODULES" in os.environ
MEMORY_FACTOR = 2 if UNDER_SANITIZERS else 1
"""How many times as much memory a process takes, about: there is a zone around each block."""
