"""Run the tested command, in one process per case or in one process for all cases."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

__all__ = ["Answer", "Commands", "Patience", "Runner", "Server"]

REFUSED, UNSUPPORTED = 3, 4
"""Exit statuses with a meaning; 0 means success, and any other status means broken."""

Kind = Literal["ok", "refused", "unsupported", "broken"]


class Answer(NamedTuple):
    """A runner's answer: the outcome, the output, and a message for humans."""

    kind: Kind
    output: bytes
    message: str


class Runner(Protocol):
    """An object that decodes and encodes files."""

    def run(self, verb: Literal["decode", "encode"], path: Path) -> Answer:
        """Decode or encode a file, and return the answer."""

    def close(self) -> None:
        """Terminate the processes that the runner has started."""


class Patience:
    """Passes requests to a runner; gives up if the runner answers none of the first three.

    Args:
        runner: The runner.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner, self._requests, self._has_answered = runner, 0, False

    def run(self, verb: Literal["decode", "encode"], path: Path) -> Answer:
        """Decode or encode a file, and return the answer.

        Raises:
            ChildProcessError: The runner does not answer.
        """
        answer = self._runner.run(verb, path)
        self._has_answered |= answer.kind != "broken"
        self._requests += 1
        if self._requests == 3 and not self._has_answered:
            raise ChildProcessError(f"no answer to three requests, the last: {answer.message}")
        return answer

    def close(self) -> None:
        """Close the runner."""
        self._runner.close()


class Commands:
    """Starts ``COMMAND decode FILE`` or ``COMMAND encode FILE`` for each case.

    Args:
        command: The command's words.
        timeout: The time limit of a case, in seconds.
    """

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command, self._timeout = list(command), timeout

    def run(self, verb: Literal["decode", "encode"], path: Path) -> Answer:
        """Run the command, and return its output as an answer."""
        try:
            done = subprocess.run(
                [*self._command, verb, str(path)],
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer("broken", b"", f"no answer in {self._timeout:g} seconds")
        message = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        kinds: dict[int, Kind] = {0: "ok", REFUSED: "refused", UNSUPPORTED: "unsupported"}
        if done.returncode not in kinds:
            return Answer("broken", b"", f"exit status {done.returncode}: {message}")
        return Answer(kinds[done.returncode], done.stdout, message)

    def close(self) -> None:
        """Do nothing, since no process is left."""


class Server:
    """Starts the command once, and again whenever it has ended.

    Each line of the command's input is ``decode`` or ``encode``, the file to read, and the file to
    write, separated by tabs. The command answers each with one line: ``ok``, ``refused``
    or ``unsupported``, and optionally a message.

    Args:
        command: The command's words.
        timeout: The time limit of a case, in seconds.
    """

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command, self._timeout = list(command), timeout
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        self._folder = tempfile.TemporaryDirectory()

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        lines: queue.Queue[str] = queue.Queue()
        self._process, self._lines = process, lines

        def pass_on() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                lines.put(line)
            lines.put("")

        threading.Thread(target=pass_on, daemon=True).start()
        return process

    def run(self, verb: Literal["decode", "encode"], path: Path) -> Answer:
        """Let the process decode or encode a file; return its answer with the output."""
        process = self._process or self._start()
        output = Path(self._folder.name) / "output"
        output.unlink(missing_ok=True)
        assert process.stdin is not None
        try:
            process.stdin.write(f"{verb}\t{path}\t{output}\n")
            process.stdin.flush()
            line = self._lines.get(timeout=self._timeout)
        except queue.Empty:
            self._end()
            return Answer("broken", b"", f"no answer in {self._timeout:g} seconds")
        except OSError as error:
            self._end()
            return Answer("broken", b"", f"the runner has ended: {error}")
        word, _, message = line.strip().partition(" ")
        if word == "ok" and output.is_file():
            return Answer("ok", output.read_bytes(), message)
        if word in ("refused", "unsupported"):
            return Answer("refused" if word == "refused" else "unsupported", b"", message)
        self._end()
        return Answer("broken", b"", f"answer {line.strip()!r}" if line else "the runner has ended")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                # Closing the pipe may fail, since buffered requests can no longer be written.
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self._process = None

    def close(self) -> None:
        """Terminate the process."""
        self._end()
        self._folder.cleanup()
