"""Runs the command as its users do: as a process."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.forked import CAN_FORK, Call, start

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "jelly_rdflib"]
TIMEOUT = 120.0
"""Seconds that a command may take."""
# No colours, no terminal of the caller's nor its width, and this tree's package.
OF_CALLER = ("NO_COLOR", "TERM", "COLUMNS")
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if key not in OF_CALLER},
    "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    "TERM": "xterm-256color",
}

S, P, G = URIRef("http://example.org/s"), URIRef("http://example.org/p"), URIRef("urn:g")
OPERATIONS: list[Any] = [
    (Op.H, "id", URIRef("urn:uuid:1")),
    (Op.TX,),
    (Op.PA, "ex", URIRef("http://example.org/"), None),
    (Op.A, S, P, Literal("one", lang="en"), None),
    (Op.A, BNode("b"), P, Literal("01", datatype=URIRef("urn:d")), G),
    (Op.D, S, P, S, G),
    (Op.TC,),
    (Op.END,),
    (Op.TX,),
    (Op.A, S, P, Literal("never"), None),
    (Op.TA,),
]
TEXT = """\
H id <urn:uuid:1> .
TX .
PA "ex" "http://example.org/" .
A <http://example.org/s> <http://example.org/p> "one"@en .
A <_:b> <http://example.org/p> "01"^^<urn:d> <urn:g> .
D <http://example.org/s> <http://example.org/p> <http://example.org/s> <urn:g> .
TC .
Z .
TX .
A <http://example.org/s> <http://example.org/p> "never" .
TA .
"""


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")


def run(*arguments: Any, stdin: bytes = b"", cwd: Path | None = None, **variables: str) -> Ended:
    """Run ``jellyp`` with arguments."""
    environment = {**ENVIRONMENT, **variables}
    # Python reads variables of its own when it starts.
    if not CAN_FORK or any(name.startswith("PYTHON") for name in variables):
        return _run_anew(list(map(str, arguments)), stdin, cwd, environment)
    with TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
        for path, data in zip(files, (stdin, b"", b""), strict=True):
            path.write_bytes(data)
        call = Call(
            list(map(str, arguments)), str(cwd or Path.cwd()), environment, list(map(str, files))
        )
        process = start(call)
        process.join(TIMEOUT)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"jellyp {arguments}: no end after {TIMEOUT} seconds")
        _, out, err = (path.read_bytes() for path in files)
    return Ended(process.exitcode, out, err.decode("utf-8"))


def _run_anew(
    arguments: list[str], stdin: bytes, cwd: Path | None, environment: dict[str, str]
) -> Ended:
    ended = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment,
        timeout=TIMEOUT,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr.decode("utf-8"))


def run_well(*arguments: Any, **options: Any) -> Ended:
    """Run ``jellyp`` with arguments that are right, on input that is right."""
    ended = run(*arguments, **options)
    # It says what it did.
    says = r"\+\d+ −\d+(; \d+ of \d+ operations? changed nothing)?\n"  # noqa: RUF001
    is_help = not {"-h", "--help"}.isdisjoint(arguments)
    expected = says if arguments[0] == "apply" and not is_help else ""
    assert ended.code == 0, ended.err
    assert re.fullmatch(expected, ended.err), ended.err
    return ended


def encode(
    operations: list[Any] = OPERATIONS, format: str = "jelly-patch", **options: Any
) -> bytes:
    """Encode changes."""
    file = io.BytesIO()
    with jr.PatchWriter(
        file, jr.PatchOptions(**options) if options else None, format=format
    ) as writer:
        writer.write_all(operations)
    return file.getvalue()
