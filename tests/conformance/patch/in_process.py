"""Runs cases with a function in this process, for tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.check import Outcome, check
from conformance.manifest import Entry, read_suite
from conformance.runner import Answer

ENTRIES = read_suite()


class InProcess:
    """Passes a verb and a path to a function, which raises ValueError to refuse the file."""

    def __init__(self, answer: Callable[[str, Path], bytes]) -> None:
        self._answer = answer

    def run(self, verb: Any, path: Path) -> Answer:
        try:
            return Answer("ok", self._answer(verb, path), "")
        except ValueError as error:
            return Answer("refused", b"", str(error))
        except Exception as error:  # A command would crash with this error.
            return Answer("broken", b"", str(error))

    def close(self) -> None:
        pass


def outcomes(
    answer: Callable[[str, Path], bytes], entries: list[Entry] | None = None
) -> list[Outcome]:
    """Return the outcomes of `entries`, by default of all cases."""
    runner = InProcess(answer)
    return [check(entry, runner) for entry in (ENTRIES if entries is None else entries)]
