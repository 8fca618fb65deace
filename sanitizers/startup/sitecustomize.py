"""Runs at the start of each Python that has this folder in its PYTHONPATH.

Python then imports the Cython modules from the folder in ``JELLY_RDFLIB_MODULES``, and the rest of
the package from its usual folder; so do the processes that tests start. Before Python
exits, this module looks for leaks: later, much memory is unreachable that Python never frees.
"""

import atexit
import ctypes
import os
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from typing import Any

MODULES = os.environ["JELLY_RDFLIB_MODULES"]


class InstrumentedModules:
    """Finds modules in ``MODULES``."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module for the import system."""
        if not name.startswith("jelly_rdflib."):
            return None
        spec = PathFinder.find_spec(name, [os.path.join(MODULES, *name.split(".")[:-1])])
        is_found = spec is not None and isinstance(spec.loader, ExtensionFileLoader)
        return spec if is_found else None


sys.meta_path.insert(0, InstrumentedModules)

PROCESS = os.getpid()
# The path of reports, without its suffix.
LEAKS = os.environ.get("JELLY_RDFLIB_LEAKS")


def find_leaks() -> None:
    """Report unreachable memory, except in a forked process, which lacks the other threads."""
    if os.getpid() == PROCESS and ctypes.CDLL(None).__lsan_do_recoverable_leak_check():
        # The stack traces show only C code, so name the command and the test.
        with open(f"{LEAKS}.{PROCESS}.of", "w") as report:
            test = os.environ.get("PYTEST_CURRENT_TEST")
            print("These leaks are of", sys.orig_argv, "in", test, file=report)


if LEAKS is not None:
    # This is registered first, so it runs last.
    atexit.register(find_leaks)
