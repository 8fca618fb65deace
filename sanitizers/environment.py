"""The environment of processes that use the instrumented modules."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .build import ROOT

__all__ = ["sanitized"]

STARTUP = Path(__file__).parent / "startup"

_OPTIONS = {
    # Tests measure memory: what was freed is kept for a while only.
    "quarantine_size_mb": 4,
    # Nobody else may handle them.
    "handle_segv": 2,
    "handle_sigbus": 2,
    "handle_sigfpe": 2,
    "handle_abort": 2,
    # malloc of 2**63 bytes is NULL, as it is without a sanitizer.
    "allocator_may_return_null": 1,
    # Not when the process ends, but before Python ends: see startup/sitecustomize.py.
    "detect_leaks": 1,
    "leak_check_at_exit": 0,
    "detect_stack_use_after_return": 1,
    # With it, LeakSanitizer notes where libraries keep the variables of threads, now and then in a
    # wrong place, and then crashes: https://github.com/google/sanitizers/issues/1353
    "intercept_tls_get_addr": 0,
}


def sanitized(modules: Path, libraries: Iterable[Path], reports: Path) -> dict[str, str]:
    """Return the environment.

    Args:
        modules: Where the modules are.
        libraries: What is to be loaded first, AddressSanitizer's library before all else.
        reports: The folder that a process writes a report into, in a file of its own.
    """
    places = [str(STARTUP), str(ROOT), os.environ.get("PYTHONPATH", "")]
    log = f"log_path={reports / 'report'}"
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(map(str, libraries)),
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        # Each object has memory of its own, which is watched.
        "PYTHONMALLOC": "malloc",
        "JELLY_RDFLIB_MODULES": str(modules),
        "JELLY_RDFLIB_LEAKS": str(reports / "report"),
        "ASAN_OPTIONS": ":".join([log, *(f"{key}={value}" for key, value in _OPTIONS.items())]),
        "LSAN_OPTIONS": f"suppressions={STARTUP.with_name('leaks.txt')}:print_suppressions=0",
        "UBSAN_OPTIONS": f"{log}:print_stacktrace=1:abort_on_error=1",
    }
