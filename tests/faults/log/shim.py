"""Builds the shim ``shim.c``, which intercepts system calls, and controls it from Python."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")
VARIABLE = "LD_PRELOAD"

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
WHY_NOT = (
    "calls are replaced with LD_PRELOAD, by names that glibc has"
    if not sys.platform.startswith("linux")
    else "there is no C compiler to build the shim with"
    if COMPILER is None
    else ""
)
"""The reason why the shim can't be built, or empty."""


def build_shim(folder: Path) -> Path:
    """Build the shim in a folder; return its path."""
    path = folder / "shim.so"
    assert COMPILER is not None
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([COMPILER, *flags, str(SOURCE), "-o", str(path), "-ldl"], check=True)
    return path


def environment(shim: Path) -> dict[str, str]:
    """Return the environment of a process whose calls go through the shim."""
    # The libraries of the sanitizers must stay first.
    loaded = [*os.environ.get(VARIABLE, "").split(":"), str(shim)]
    return {**os.environ, VARIABLE: ":".join(filter(None, loaded))}


class Shim:
    """The shim that this process was started with.

    Raises:
        RuntimeError: The process was started without a shim.
    """

    def __init__(self) -> None:
        name = os.environ.get(VARIABLE, "").split(":")[-1]
        if not name.endswith("shim.so"):
            raise RuntimeError("this process was started without the shim")
        self._library = ctypes.CDLL(name)
        self._library.shim_arm.argtypes = [
            *(ctypes.c_char_p, ctypes.c_long, ctypes.c_int),
            *(ctypes.c_int, ctypes.c_int, ctypes.c_int),
        ]
        self._library.shim_arm.restype = None
        self._library.shim_disarm.restype = ctypes.c_long
        self._library.shim_mark.argtypes = [ctypes.c_char_p]
        self._library.shim_mark.restype = None

    def arm(
        self,
        folder: Path,
        turn: int = -1,
        *,
        with_reads: bool = False,
        question: int = -1,
        answer: int = -1,
        record: int = -1,
    ) -> None:
        """From now on, count this process's calls on paths in a folder.

        Args:
            folder: The folder, as the system names it, without symbolic links.
            turn: The call to stop at, counted from 0; -1 for none.
            with_reads: Whether calls that only read also count.
            question: The descriptor to which the process writes the call that it stopped at.
            answer: The descriptor from which the process reads the fate of that call.
            record: The descriptor to which each call that changes something is written.
        """
        self._library.shim_arm(os.fsencode(folder), turn, with_reads, question, answer, record)

    def disarm(self) -> int:
        """Stop counting; return the number of calls."""
        count: int = self._library.shim_disarm()
        return count

    def mark(self, word: str) -> None:
        """Write a word into the record."""
        self._library.shim_mark(word.encode())
