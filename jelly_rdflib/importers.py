"""Functions that import modules above their users, which need packages that are extras."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# `jelly_rdflib.plugins` puts the functions here.

import_arrow: Callable[[], Any]
"""Imports `jelly_rdflib.arrow`, which needs pyarrow, and returns it."""

import_remote_log: Callable[[], Any]
"""Imports the function that opens patch logs on servers, which needs httpx2, and returns it."""
