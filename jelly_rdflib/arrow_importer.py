"""Where the core finds `jelly_rdflib.arrow`, which is above it and needs pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import_arrow: Callable[[], Any]
"""Imports the module and returns it: a function that `jelly_rdflib.plugins` puts here."""
