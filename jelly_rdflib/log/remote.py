"""Where `PatchLog` finds the class of logs on servers, which is above it and needs httpx2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import_remote_log: Callable[[], Any]
"""Imports the module and returns the class: a function that `jelly_rdflib.plugins` puts here."""


def is_address(path: object) -> bool:
    """Is this the address of a log on a server, and no folder?"""
    return isinstance(path, str) and path.lower().startswith(("http://", "https://"))
