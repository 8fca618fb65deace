"""What each Python does at its start that has this folder in its PYTHONPATH.

It takes the Cython modules from the folder that ``JELLY_RDFLIB_MODULES`` says, and all else of the
package from where it is; so also in the processes that tests start. Before it ends it looks for
leaks: later much is unreachable that Python never gives back.
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
        """Find a module as the import system asks for it."""
        if not name.startswith("jelly_rdflib."):
            return None
        spec = PathFinder.find_spec(name, [os.path.join(MODULES, *name.split(".")[:-1])])
        is_found = spec is not None and isinstance(spec.loader, ExtensionFileLoader)
        return spec if is_found else None


sys.meta_path.insert(0, InstrumentedModules)

PROCESS = os.getpid()
# Where reports go: a path without its end.
LEAKS = os.environ.get("JELLY_RDFLIB_LEAKS")


def find_leaks() -> None:
    """Report what nothing refers to; not where a fork has left the other threads behind."""
    if os.getpid() == PROCESS and ctypes.CDLL(None).__lsan_do_recoverable_leak_check():
        # The stacks are of C, and say little of whose it was.
        with open(f"{LEAKS}.{PROCESS}.of", "w") as report:
            test = os.environ.get("PYTEST_CURRENT_TEST")
            print("These leaks are of", sys.orig_argv, "in", test, file=report)


if LEAKS is not None:
    # Registered first, so it runs last.
    atexit.register(find_leaks)
