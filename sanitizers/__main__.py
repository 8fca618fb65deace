"""Run tests under the sanitizers: ``python -m sanitizers test [ARGUMENTS OF PYTEST]``.

``python -m sanitizers build`` only builds the modules.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from .build import CACHE, ROOT, build_modules, check_modules
from .environment import sanitized

FOLDER = CACHE / "asan"
REPORTS = FOLDER / "reports"
PLANTED = FOLDER / "planted.so"
COMPILER = "gcc"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
# Python's own flags make integers wrap around, so that overflows would not be reported.
FLAGS = ["-O1", "-g1", "-fno-omit-frame-pointer", "-fno-wrapv", *SANITIZERS]

# Pytest's exit code.
TESTS_FAILED = 1

# What the report on each fault in planted.c must contain.
FAULTS = {
    "none": None,
    "read_behind": "heap-buffer-overflow",
    "read_freed": "heap-use-after-free",
    "overflow": "__ubsan_handle_add_overflow",
    "shift": "__ubsan_handle_shift",
    "leak": "1234 byte",
}


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name; return the exit code."""
    if arguments == ["build"]:
        build()
        return 0
    if arguments[:1] != ["test"]:
        print(__doc__, file=sys.stderr)
        return 2
    return test(arguments[1:])


def build() -> None:
    """Build the modules that are not up to date."""
    build_modules(FOLDER, compiler=COMPILER, flags=FLAGS, link_flags=SANITIZERS)


def test(arguments: list[str]) -> int:
    """Build the modules, check that faults are found, run the tests, and return an exit code."""
    build()
    environment = sanitized(FOLDER / "lib", find_libraries(), REPORTS)
    check_faults_are_found(environment)
    check_modules(FOLDER / "lib", environment, calls=b"__asan_report")
    code, reports = run_tests(arguments, environment)
    if code == TESTS_FAILED and reports and all(map(is_crash, reports)):
        print("LeakSanitizer crashed: the tests that failed are run once more")
        code, reports = run_tests([*arguments, "--last-failed"], environment)
    faults = [text for text in reports if not is_crash(text)]
    print(f"{len(faults)} reports of the sanitizers")
    return code or min(len(faults), 1)


def run_tests(arguments: list[str], environment: Mapping[str, str]) -> tuple[int, list[str]]:
    """Run pytest and print the reports; return its exit code and the reports."""
    clear_reports()
    command = [sys.executable, "-m", "pytest", "-p", "no:faulthandler", *arguments]
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    reports = take_reports()
    for text in reports:
        print(text)
    return code, reports


def is_crash(report: str) -> bool:
    """Return whether a report says that LeakSanitizer itself crashed while it looked for leaks.

    That happens occasionally if a process has several threads:
    https://github.com/google/sanitizers/issues/1353
    """
    return "LeakSanitizer has encountered a fatal error" in report


def find_libraries() -> list[Path]:
    """Return the paths of the libraries of AddressSanitizer and of C++.

    The first looks for the second only when it starts. If the second is loaded later, for example
    by matplotlib, the process is aborted when C++ code throws an exception.
    """
    return [_find_library(name) for name in ("libasan.so", "libstdc++.so")]


def _find_library(name: str) -> Path:
    found = subprocess.run(
        [COMPILER, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    path = Path(found.stdout.strip())
    if not path.is_absolute():
        raise SystemExit(f"{COMPILER} has no {name}")
    # The compiler prints a symbolic link or a linker script.
    return path.resolve()


def clear_reports() -> None:
    """Delete all reports."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)


def take_reports() -> list[str]:
    """Return the reports that processes have written."""
    return [path.read_text(errors="replace") for path in sorted(REPORTS.iterdir())]


def check_faults_are_found(environment: Mapping[str, str]) -> None:
    """Run each function of planted.c in its own process; only its fault must be reported."""
    source = Path(__file__).with_name("planted.c")
    flags = [*sysconfig.get_config_var("CFLAGS").split(), *FLAGS, "-shared", "-fPIC"]
    subprocess.run([COMPILER, *flags, str(source), "-o", str(PLANTED)], check=True)
    for fault, words in FAULTS.items():
        clear_reports()
        code = f"import ctypes; ctypes.CDLL({str(PLANTED)!r}).{fault}()"
        ended = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, check=False
        )
        found = "\n".join(take_reports())
        # A leak is reported, but does not end the process.
        lives = fault in ("none", "leak")
        is_right = found == "" if words is None else words in found
        if not is_right or (ended.returncode == 0) != lives:
            raise SystemExit(
                f"planted fault {fault!r}: exit code {ended.returncode}, and the report\n"
                f"{found}{ended.stderr.decode(errors='replace')}"
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
