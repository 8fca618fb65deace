"""Tries out every store at hand, and writes what was seen to docs/stores.md."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

from tests.graph.stores.at_hand import AT_HAND
from tests.graph.stores.matrix import write_page
from tests.interop.jvm.fuseki import run_fuseki
from tests.interop.jvm.project import UnavailableError

warnings.simplefilter("ignore")
try:
    with contextmanager(run_fuseki)() as fuseki:
        write_page([*AT_HAND, fuseki])
except UnavailableError as error:
    print(f"no Fuseki: {error}")
    write_page()
