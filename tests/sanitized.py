"""Whether tests run under the sanitizers (`make test-asan`), where all takes more memory."""

from __future__ import annotations

import os

__all__ = ["UNDER_SANITIZERS"]

UNDER_SANITIZERS = "JELLY_RDFLIB_MODULES" in os.environ
