"""Runs Jelly-JVM and Apache Jena in their own process, which converts files on request.

The input of a writer and the output of a reader are JSON, which is a format of neither side. So the
tests can check a reader without a writer, and the other way round.
"""

import itertools
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.interop.jvm import project
from tests.oracle.terms import DEFAULT_GRAPH, Plain


class PeerError(Exception):
    """Raised when the peer refuses its input, or can't write it."""


class Peer:
    """The process of the peer.

    Args:
        folder: An empty folder for the files.
        command: The command that starts the process, by default that of the project in this folder.
    """

    def __init__(self, folder: Path, command: list[str] | None = None) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self._process = subprocess.Popen(
            command or project.command("interop.Server"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def close(self) -> None:
        self._process.communicate(timeout=60)

    def convert(self, data: bytes, source: str, target: str, **options: Any) -> bytes:
        """Convert `data` from one format to another; the options are those of `Request.java`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        name = str(self._folder / str(next(self._numbers)))
        before, after = Path(name + ".in"), Path(name + ".out")
        before.write_bytes(data)
        fields = {"from": source, "to": target, "in": before, "out": after, **options}
        texts = (f"{key}={_spell(value)}" for key, value in fields.items())
        try:
            self._process.stdin.write("\t".join(texts) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            if not answer:
                raise RuntimeError(f"the peer has ended, converting {source} to {target}")
            if answer != "ok\n":
                raise PeerError(answer.removeprefix("error ").rstrip("\n"))
            return after.read_bytes()
        finally:
            before.unlink()
            after.unlink(missing_ok=True)

    def read_changes(self, data: bytes, source: str) -> list[Plain]:
        """Return the plain operations that the peer reads.

        Jena does not store the IRI of a deleted prefix. Like RDF 1.1, it does not distinguish plain
        literals from those of ``xsd:string``, so the latter have no datatype here.
        """
        lines = self.convert(data, source, "changes").splitlines()
        return [_operation(json.loads(line)) for line in lines]

    def read_headers(self, data: bytes, source: str) -> dict[str, Plain]:
        """Return the headers of one patch as Jena stores them, by key."""
        lines = self.convert(data, source, "headers").splitlines()
        return {key: _term(value) for _, key, value in map(json.loads, lines)}

    def write_changes(self, operations: Iterable[Plain], target: str, **options: Any) -> bytes:
        """Return the bytes that the peer writes for plain operations."""
        lines = (json.dumps(_change(operation)) + "\n" for operation in operations)
        return self.convert("".join(lines).encode(), "changes", target, **options)

    def read_statements(
        self, data: bytes, source: str
    ) -> tuple[list[Plain], list[tuple[str, str]]]:
        """Return the plain statements and the namespaces that the peer reads."""
        rows = [json.loads(line) for line in self.convert(data, source, "statements").splitlines()]
        statements = [tuple(map(_term, row[1:])) for row in rows if row[0] != "N"]
        return statements, [tuple(row[1:]) for row in rows if row[0] == "N"]

    def write_statements(
        self,
        statements: Iterable[Plain],
        target: str,
        /,
        *,
        prefixes: Iterable[tuple[str, str]] = (),
        **options: Any,
    ) -> bytes:
        """Return the bytes that the peer writes for namespaces, followed by plain statements."""
        rows: list[Any] = [["N", prefix, iri] for prefix, iri in prefixes]
        rows += (["T" if len(row) == 3 else "Q", *map(_json, row)] for row in statements)
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        return self.convert(lines.encode(), "statements", target, **options)


def _spell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json(value: Any) -> Any:
    """Convert a term, a string or None to the JSON that the peer reads."""
    if value == DEFAULT_GRAPH:
        return ["default"]
    if isinstance(value, tuple):
        return [value[0], *map(_json, value[1:])]
    return value


def _term(value: Any) -> Any:
    """Convert the peer's JSON to a term, a string or None."""
    if value == ["default"]:
        return DEFAULT_GRAPH
    if isinstance(value, list):
        return tuple(map(_term, value))
    return value


def _change(operation: Plain) -> Any:
    if operation[0] == "PD":
        _, prefix, _, graph = operation
        return ["PD", prefix, _json(graph)]
    if operation[0] == "PA":
        _, prefix, (_, iri), graph = operation
        return ["PA", prefix, iri, _json(graph)]
    return _json(operation)


def _operation(row: Any) -> Plain:
    if row[0] == "PD":
        _, prefix, graph = row
        return ("PD", prefix, None, _term(graph))
    if row[0] == "PA":
        _, prefix, iri, graph = row
        return ("PA", prefix, ("iri", iri), _term(graph))
    operation: Plain = _term(row)
    return operation
