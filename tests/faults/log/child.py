"""Processes that do one task after another on request."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 600.0
"""The number of seconds after which a process is considered hung."""


class GoneError(Exception):
    """Raised when the process has ended, or hangs."""


class Answer:
    """The result of a call in another process.

    Args:
        value: The value that the call returned.
        error: The names of the exception's classes, the most specific first; empty without an
            exception.
        message: The exception's message.
    """

    def __init__(self, value: Any = None, error: tuple[str, ...] = (), message: str = "") -> None:
        self.value = value
        self.error = error
        self.message = message

    def __repr__(self) -> str:
        return f"{self.error[0]}: {self.message}" if self.error else f"returned {self.value!r}"


class Child:
    """Another process, with an object whose methods can be called.

    Args:
        pid: The id of the process.
        connection: The connection to the process.
    """

    def __init__(self, pid: int, connection: Connection) -> None:
        self.pid = pid
        self.connection = connection

    @classmethod
    def fork(cls, make: Callable[[], Any]) -> Child:
        """Fork this process, and create the object in the new process."""
        ours, theirs = Pipe()
        pid = os.fork()
        if pid == 0:
            ours.close()
            serve(make, theirs)
        theirs.close()
        return cls(pid, ours)

    @classmethod
    def start(cls, module: str, *arguments: str, environment: Mapping[str, str]) -> Child:
        """Run a module in a new Python; its first argument is the descriptor for `serve`."""
        ours, theirs = Pipe()
        command = [sys.executable, "-m", module, str(theirs.fileno()), *arguments]
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
        )
        theirs.close()
        # The method `end` waits for the process.
        process.returncode = 0
        return cls(process.pid, ours)

    def send(self, name: str, *arguments: Any) -> None:
        """Ask the process to call the method `name`."""
        self.connection.send((name, arguments))

    def receive(self, seconds: float = PATIENCE) -> Answer | None:
        """Return the answer, or None if none arrives within `seconds`.

        Raises:
            GoneError: The process has ended.
        """
        try:
            if not self.connection.poll(seconds):
                return None
            answer: Answer = self.connection.recv()
        except (EOFError, ConnectionError):
            raise GoneError(f"process {self.pid} has ended") from None
        return answer

    def call(self, name: str, *arguments: Any) -> Answer:
        """Call the method `name`, and return the answer.

        Raises:
            GoneError: The process has ended, or hangs.
        """
        self.send(name, *arguments)
        answer = self.receive()
        if answer is None:
            raise GoneError(f"{name} takes more than {PATIENCE:g} seconds")
        return answer

    def end(self) -> None:
        """Kill the process if it is still running, and free its resources."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.connection.close()


def serve(make: Callable[[], Any], connection: Connection) -> NoReturn:
    """Make an object, and call its methods on request until the other end closes."""
    try:
        served = make()
        while True:
            name, arguments = connection.recv()
            try:
                answer = Answer(getattr(served, name)(*arguments))
            except BaseException as error:
                names = tuple(each.__name__ for each in type(error).__mro__)
                answer = Answer(None, names, str(error))
            connection.send(answer)
    except (EOFError, ConnectionError):
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
