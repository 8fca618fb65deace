"""Tries out every store at hand, and writes what was seen to docs/stores.md."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

from ..interop.jvm.fuseki import run_fuseki
from ..interop.jvm.project import UnavailableError
from .at_hand import AT_HAND
from .matrix import write_page

warnings.simplefilter("ignore")
try:
    with contextmanager(run_fuseki)() as fuseki:
        write_page([*AT_HAND, fuseki])
except UnavailableError as error:
    print(f"no Fuseki: {error}")
    write_page()
