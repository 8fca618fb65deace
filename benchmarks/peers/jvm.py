"""The tasks of Jelly-JVM and Apache Jena, in a separate process that stays warm."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import jelly_rdflib as jr

from .inputs import Changes
from .task import READ, WRITE, Task

__all__ = ["NAMES", "Jvm", "JvmError", "tasks", "write_file"]

NAMES = {
    "jellyp": "Jelly-JVM",
    "jelly": "Jelly-JVM",
    "rdfp": "Apache Jena",
    "rdfpb": "Apache Jena",
    "nq": "Apache Jena",
}
JAVA = ("-Xss8m", "-Xms4g", "-Xmx4g")


class JvmError(Exception):
    """Raised when the JVM's side can't be built or refuses a task."""


class Jvm:
    """The process: ``interop.Benchmark`` of the project in ``tests/interop/jvm``.

    Raises:
        JvmError: Java, Maven or the registry is missing.
    """

    def __init__(self) -> None:
        # An import statement would make mypy check the tests too.
        project = import_module("tests.interop.jvm.project")
        try:
            project.build()
        except project.UnavailableError as error:
            raise JvmError(str(error)) from None
        self.versions: dict[str, str] = project.versions()
        self._process = subprocess.Popen(
            project.command("interop.Benchmark", java=JAVA),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=60)

    def ask(self, **fields: Any) -> tuple[float, int]:
        """Run a task in the JVM; return the seconds and the count.

        Raises:
            JvmError: The task failed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join(f"{key}={value}" for key, value in fields.items()))
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise JvmError("the process has ended")
        state, _, rest = answer.rstrip("\n").partition(" ")
        if state != "ok":
            raise JvmError(rest)
        nanoseconds, count = rest.split()
        return int(nanoseconds) / 1e9, int(count)


def tasks(changes: Changes, jvm: Jvm) -> list[Task]:
    """Return the readers and writers."""
    return [
        *(
            Task(
                READ,
                NAMES[extension],
                "into a counting sink",
                extension,
                _read(jvm, changes.path(extension), extension),
                changes.count,
            )
            for extension in NAMES
        ),
        *(
            Task(
                WRITE,
                NAMES[extension],
                "from its terms",
                extension,
                _write(jvm, changes, extension),
            )
            for extension in NAMES
        ),
    ]


def _read(jvm: Jvm, path: Path, extension: str) -> Callable[[], tuple[float, int]]:
    return lambda: jvm.ask(task="read", **{"from": extension, "in": path})


def _write(jvm: Jvm, changes: Changes, extension: str) -> Callable[[], tuple[float, int]]:
    source = extension if extension in ("jelly", "nq") else "jellyp"

    def run() -> tuple[float, int]:
        # Loading is not timed, and is skipped if the file was the last one loaded.
        jvm.ask(task="load", **{"from": source, "in": changes.path(source)})
        return jvm.ask(task="write", to=extension, **_options())

    return run


def write_file(jvm: Jvm, changes: Changes, extension: str, path: Path) -> None:
    """Make the JVM write changes to a file."""
    source = extension if extension in ("jelly", "nq") else "jellyp"
    fields = {"from": source, "in": changes.path(source), "to": extension, "out": path}
    jvm.ask(task="convert", **fields, **_options())


def _options() -> dict[str, Any]:
    """Return options for the JVM that equal ours."""
    return {
        "stream": "PUNCTUATED",
        "statements": "QUADS",
        "preset": "BIG_STRICT",
        "rows": jr.PatchOptions().frame_rows,
        "delimited": "true",
        "namespaces": "false",
    }
