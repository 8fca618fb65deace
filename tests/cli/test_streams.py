"""Tests closed, empty, full and broken standard streams: at most one line, and no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.support import COMMAND, ENVIRONMENT, OPERATIONS, TEXT

S = "<http://example.org/s> <http://example.org/p> <http://example.org/o> .\n"

COMMANDS = {
    "cat": "cat -",
    "cat a file": "cat data.rdfp",
    "convert": "convert - --from rdf-patch --to jelly-patch",
    "validate": "validate -",
    "stats a file": "stats data.rdfp",
    "apply": "apply base.nq - --to nq",
    "record": "record base.nq -",
    "log list": "log list history",
    "help": "--help",
}
STREAMS = {
    "input closed": "<&-",
    "no input": "</dev/null",
    "output closed": ">&-",
    "output full": ">/dev/full",
    "error closed": "2>&-",
    "error full": "2>/dev/full",
    "all that is written is full": ">/dev/full 2>&1",
    "output broken": "| true",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("streams")
    made.joinpath("data.rdfp").write_text(TEXT)
    made.joinpath("base.nq").write_text(S)
    import jelly_rdflib as jr

    with jr.PatchWriter(made / "data.jellyp") as writer:
        writer.write_all(OPERATIONS)
    return made


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /dev/full")
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_no_traceback(folder: Path, stream: str) -> None:
    """No command prints a traceback. Each test covers all commands for one kind of stream."""
    for command in COMMANDS.values():
        call = " ".join([*COMMAND, command])
        # The message goes to the stream that is still open.
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {call} {stream}"],
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            input=b"",
            timeout=120,
        )
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        assert "Traceback" not in said, (command, said)
        assert "Exception ignored" not in said, (command, said)
        assert done.returncode in (0, 1, 2, 141), (command, done.returncode, said)
