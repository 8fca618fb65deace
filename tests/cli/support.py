"""Runs the command like its users, as a process."""

import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.forked import CAN_FORK, run_command

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "jelly_rdflib"]
TIMEOUT = 120.0
"""The number of seconds that a command may take."""
# No colours, default terminal and width, and the package of this source tree.
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
    """The outcome of a command."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")


def run(*arguments: Any, stdin: bytes = b"", cwd: Path | None = None, **variables: str) -> Ended:
    """Run ``jellyp`` with arguments."""
    words, environment = list(map(str, arguments)), {**ENVIRONMENT, **variables}
    # Python itself reads some variables when it starts.
    if CAN_FORK and not any(name.startswith("PYTHON") for name in variables):
        code, out, err = run_command(
            words, stdin=stdin, folder=cwd, environment=environment, timeout=TIMEOUT
        )
    else:
        ended = subprocess.run(
            [*COMMAND, *words],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env=environment,
            timeout=TIMEOUT,
        )
        code, out, err = ended.returncode, ended.stdout, ended.stderr
    return Ended(code, out, err.decode("utf-8"))


def run_well(*arguments: Any, status: int = 0, **options: Any) -> Ended:
    """Run ``jellyp`` with valid arguments on valid input.

    ``status`` is the expected exit status: 1 where the answer to a question is no.
    """
    ended = run(*arguments, **options)
    # The command reports what it did.
    says = r"\+\d+ −\d+(; \d+ of \d+ operations? changed nothing)?\n"  # noqa: RUF001
    is_help = not {"-h", "--help"}.isdisjoint(arguments)
    expected = says if arguments[0] == "apply" and not is_help else ""
    assert ended.code == status, ended.err
    assert re.fullmatch(expected, ended.err), ended.err
    return ended


def encode(
    operations: list[Any] = OPERATIONS, format: str = "jelly-patch", **options: Any
) -> bytes:
    """Encode changes in a format."""
    file = io.BytesIO()
    with jr.PatchWriter(
        file, jr.PatchOptions(**options) if options else None, format=format
    ) as writer:
        writer.write_all(operations)
    return file.getvalue()
