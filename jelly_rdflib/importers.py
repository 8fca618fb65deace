"""Functions that import modules of higher layers; these modules need optional packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# `jelly_rdflib.plugins` assigns the functions.

import_arrow: Callable[[], Any]
"""Imports `jelly_rdflib.arrow`, which needs pyarrow, and returns it."""

import_remote_log: Callable[[], Any]
"""Imports and returns the function that opens patch logs on servers; it needs httpx2."""

import_fuseki: Callable[[], Any]
"""Imports and returns the function that applies changes to a server; it needs httpx2."""
