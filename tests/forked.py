"""Runs the command line in forked processes: all that it imports is there already.

A command has its own files, environment and folder, and ends as a process does. But it starts in
a hundredth of a second, where Python needs half of one. The commands are forked by a process that
does nothing else: that of the tests has threads, and modules that the command must not find.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
_LOADED = [
    "jelly_rdflib.cli.commands",
    *(
        f"jelly_rdflib.cli.{path.stem}"
        for path in (Path(__file__).parents[1] / "jelly_rdflib" / "cli").glob("*.py")
        if path.stem != "__init__"
    ),
    "jelly_rdflib.plugins",
    "jelly_rdflib.live",
    "pyoxigraph",
    "tests.forked",
]


class Call(NamedTuple):
    """A command, and where its standard streams go."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    files: list[str]  # of standard input, output and error


def start(call: Call) -> multiprocessing.process.BaseProcess:
    """Start ``jellyp``."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    process = context.Process(target=_become, args=(call,))
    process.start()
    return process


def _become(call: Call) -> NoReturn:
    """Run the command in this process, which was forked for it."""
    os.chdir(call.folder)
    os.environ.clear()
    os.environ.update(call.environment)
    modes = os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_APPEND
    for number, (file, mode) in enumerate(zip(call.files, modes, strict=True)):
        opened = os.open(file, mode)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.argv = ["jellyp", *call.arguments]
    from jelly_rdflib.cli.main import main

    try:
        main()
    finally:
        # Forked processes leave this out.
        with suppress(AttributeError):
            atexit._run_exitfuncs()  # type: ignore[attr-defined]
