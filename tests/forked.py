"""Runs commands and code in forked processes, in which all modules are already imported.

Such a process has its own files, environment and folder, and ends like any other process. But it
starts in a hundredth of a second, while a new Python needs half a second. A separate process forks
it, because the process of the tests has threads, and has modules that a command must not find.
"""

import atexit
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.sanitized import UNDER_SANITIZERS

# The sanitizers would report the leaks of the forking process again for each of its children.
CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods() and not UNDER_SANITIZERS
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


class Ended(NamedTuple):
    """The exit code of a process, and its output."""

    code: int
    out: bytes
    err: bytes


def run_command(
    arguments: list[str],
    *,
    stdin: bytes = b"",
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    timeout: float,
) -> Ended:
    """Run ``jellyp`` in a forked process; raise a TimeoutError after `timeout` seconds."""
    return _run(_call_main, ["jellyp", *arguments], stdin, folder, environment, timeout)


def run_code(code: str, *arguments: str, timeout: float, is_fresh: bool = False) -> Ended:
    """Run Python code like ``python -c``, in a forked process or a new Python."""
    if CAN_FORK and not is_fresh:
        return _run(partial(_execute, code), ["-c", *arguments], b"", None, None, timeout)
    command = [sys.executable, "-c", code, *arguments]
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    ended = subprocess.run(
        command,
        capture_output=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def _run(
    work: Callable[[], object],
    arguments: list[str],
    stdin: bytes,
    folder: Path | None,
    environment: dict[str, str] | None,
    timeout: float,
) -> Ended:
    # The process needs the current umask of this process, not that of the forking process.
    mask = os.umask(0)
    os.umask(mask)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    with TemporaryDirectory() as streams:
        files = [os.path.join(streams, name) for name in ("stdin", "stdout", "stderr")]
        for path, data in zip(files, (stdin, b"", b""), strict=True):
            Path(path).write_bytes(data)
        place = os.fspath(folder or Path.cwd()), environment or dict(os.environ), mask
        process = context.Process(target=_become, args=(work, arguments, files, *place))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"{arguments}: no end after {timeout} seconds")
        _, out, err = (Path(path).read_bytes() for path in files)
    return Ended(process.exitcode, out, err)


def _become(
    work: Callable[[], object],
    arguments: list[str],
    files: list[str],
    folder: str,
    environment: dict[str, str],
    mask: int,
) -> None:
    """Run ``work`` in this process, which was forked for it, as if Python had just started."""
    os.umask(mask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    modes = os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_APPEND
    for number, (file, mode) in enumerate(zip(files, modes, strict=True)):
        opened = os.open(file, mode)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.argv = arguments
    try:
        work()
    finally:
        # A forked process would skip functions that are registered with atexit.
        atexit._run_exitfuncs()


def _call_main() -> None:
    from jelly_rdflib.cli.main import main

    main()


def _execute(code: str) -> None:
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
