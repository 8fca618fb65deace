"""Processes that do one thing after the other, as they are told."""

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
"""Seconds after which a process is taken to hang."""


class GoneError(Exception):
    """The process has ended, or hangs."""


class Answer:
    """What a call in another process came to.

    Args:
        value: What it returned.
        error: The names of the classes of what it raised, the most special first; empty if nothing.
        message: What that said.
    """

    def __init__(self, value: Any = None, error: tuple[str, ...] = (), message: str = "") -> None:
        self.value = value
        self.error = error
        self.message = message

    def __repr__(self) -> str:
        return f"{self.error[0]}: {self.message}" if self.error else f"returned {self.value!r}"


class Child:
    """Another process, and an object in it whose methods are called.

    Args:
        pid: The process.
        connection: What goes there and comes from there.
    """

    def __init__(self, pid: int, connection: Connection) -> None:
        self.pid = pid
        self.connection = connection

    @classmethod
    def fork(cls, make: Callable[[], Any]) -> Child:
        """Fork this process, and make the object there."""
        ours, theirs = Pipe()
        pid = os.fork()
        if pid == 0:
            ours.close()
            serve(make, theirs)
        theirs.close()
        return cls(pid, ours)

    @classmethod
    def start(cls, module: str, *arguments: str, environment: Mapping[str, str]) -> Child:
        """Run a module in a new Python; its first argument is the descriptor to `serve` on."""
        ours, theirs = Pipe()
        command = [sys.executable, "-m", module, str(theirs.fileno()), *arguments]
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
        )
        theirs.close()
        # It is waited for in `end`.
        process.returncode = 0
        return cls(process.pid, ours)

    def send(self, name: str, *arguments: Any) -> None:
        """Have a method called."""
        self.connection.send((name, arguments))

    def receive(self, seconds: float = PATIENCE) -> Answer | None:
        """Return the answer; None if there is none after so many seconds.

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
        """Have a method called, and return the answer.

        Raises:
            GoneError: The process has ended, or hangs.
        """
        self.send(name, *arguments)
        answer = self.receive()
        if answer is None:
            raise GoneError(f"{name} takes more than {PATIENCE:g} seconds")
        return answer

    def end(self) -> None:
        """End the process, if it has not ended, and let go of what it held."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.connection.close()


def serve(make: Callable[[], Any], connection: Connection) -> NoReturn:
    """Make an object, and call its methods as the other end wants it, until that is gone."""
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
