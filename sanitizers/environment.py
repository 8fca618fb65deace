"""The environment for processes that use the instrumented modules."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .build import ROOT

__all__ = ["sanitized"]

STARTUP = Path(__file__).parent / "startup"

_OPTIONS = {
    # Tests measure memory, so little freed memory may be kept.
    "quarantine_size_mb": 4,
    # No other code may handle these signals.
    "handle_segv": 2,
    "handle_sigbus": 2,
    "handle_sigfpe": 2,
    "handle_abort": 2,
    # malloc of 2**63 bytes returns NULL, as without a sanitizer.
    "allocator_may_return_null": 1,
    # Leaks are looked for before Python exits, not at the end of the process: see
    # startup/sitecustomize.py.
    "detect_leaks": 1,
    "leak_check_at_exit": 0,
    "detect_stack_use_after_return": 1,
    # If set, LeakSanitizer records where libraries keep thread-local variables. Occasionally the
    # address is wrong and it crashes: https://github.com/google/sanitizers/issues/1353
    "intercept_tls_get_addr": 0,
}


def sanitized(modules: Path, libraries: Iterable[Path], reports: Path) -> dict[str, str]:
    """Return the environment.

    Args:
        modules: The folder of the modules.
        libraries: The libraries to preload; AddressSanitizer's must be the first.
        reports: The folder for reports; each process writes its own file.
    """
    places = [str(STARTUP), str(ROOT), os.environ.get("PYTHONPATH", "")]
    log = f"log_path={reports / 'report'}"
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(map(str, libraries)),
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        # Allocate each object with malloc, so that its memory is checked.
        "PYTHONMALLOC": "malloc",
        "JELLY_RDFLIB_MODULES": str(modules),
        "JELLY_RDFLIB_LEAKS": str(reports / "report"),
        "ASAN_OPTIONS": ":".join([log, *(f"{key}={value}" for key, value in _OPTIONS.items())]),
        "LSAN_OPTIONS": f"suppressions={STARTUP.with_name('leaks.txt')}:print_suppressions=0",
        "UBSAN_OPTIONS": f"{log}:print_stacktrace=1:abort_on_error=1",
    }
