"""Injects faults: exceptions from a store or a term, and the user's Ctrl-C."""

import dis
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import oxrdflib
import rdflib
from rdflib.store import Store

import jelly_rdflib

ERRORS: tuple[type[BaseException], ...] = (RuntimeError, MemoryError, KeyboardInterrupt)


class Fuse:
    """Raises an exception at one or two of the calls that it counts.

    Args:
        turns: The calls to fail, counted from 0; with none, calls are only counted.
        error: The exception to raise.
        does_it: Whether the call takes effect before the exception is raised.
    """

    def __init__(
        self, *turns: int, error: type[BaseException] = RuntimeError, does_it: bool = False
    ) -> None:
        self.turns = turns
        self.error = error
        self.does_it = does_it
        self.calls = 0
        self.blown = 0

    def hit(self) -> bool:
        """Count a call; return whether the call must fail."""
        self.calls += 1
        is_hit = self.calls - 1 in self.turns
        self.blown += is_hit
        return is_hit

    def call(self, method: Callable[..., Any], *args: Any, **more: Any) -> Any:
        if not self.hit():
            return method(*args, **more)
        if self.does_it:
            found = method(*args, **more)
            if isinstance(found, Iterator):
                # An iterator does nothing until it is used. Also, Oxigraph blocks a change forever
                # while an iterator over its graphs exists.
                list(found)
        raise self.error("a fault")


METHODS = (
    *("add", "addN", "remove", "triples", "contexts", "add_graph", "remove_graph"),
    *("bind", "prefix", "namespace", "namespaces", "commit", "rollback"),
)


@contextmanager
def wired(store: Store, fuse: Fuse) -> Iterator[None]:
    """Route all calls of a store's methods, including the store's own calls, through a fuse."""
    for name in METHODS:
        method = getattr(store, name)

        def call(*args: Any, _method: Callable[..., Any] = method, **more: Any) -> Any:
            return fuse.call(_method, *args, **more)

        setattr(store, name, wraps(method)(call))
    try:
        yield
    finally:
        for name in METHODS:
            delattr(store, name)


FOLDERS = (
    *(str(Path(module.__file__ or "").parent) for module in (rdflib, jelly_rdflib, oxrdflib)),
    str(Path(__file__).with_name("targets.py")),
)

# These modules run a transaction until it is committed or rolled back.
OUR_PYTHON = tuple(
    str(Path(jelly_rdflib.__file__).parent / name) for name in ("graph/apply.py", "graph/stores")
)

# After these instructions Python checks for signals.
LOOKS_AFTER = ("CALL", "JUMP_BACKWARD", "JUMP_ABSOLUTE")


@cache
def _places(code: CodeType) -> frozenset[int]:
    """Return the offsets of the instructions before which Python may check for signals."""
    return frozenset(
        after.offset
        for before, after in pairwise(dis.get_instructions(code))
        if before.opname.startswith(LOOKS_AFTER)
    )


class _Interrupter:
    def __init__(self, turn: int, within: tuple[str, ...]) -> None:
        self.turn = turn
        self.within = within
        self.places = 0

    def at_call(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self.within):
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        self.hit()
        return self.inside

    def inside(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode" and frame.f_lasti in _places(frame.f_code):
            self.hit()
        return self.inside

    def hit(self) -> None:
        self.places += 1
        if self.places - 1 == self.turn:
            raise KeyboardInterrupt


def interrupted_at(
    turn: int, work: Callable[[], object], within: tuple[str, ...] = FOLDERS
) -> tuple[int, BaseException | None]:
    """Run `work`, and interrupt it where Python might check for signals.

    Python may check at the start of each function, after each call and at the end of each loop.
    Only such points in this package, in rdflib and in the tests' stores count.

    Args:
        turn: The point to interrupt at, counted from 0.
        work: The function to run.
        within: Only points in files whose paths start with one of these count.

    Returns:
        The number of points that were reached, and the exception of `work`.
    """
    interrupter = _Interrupter(turn, within)
    old = sys.gettrace(), sys.unraisablehook
    # An exception raised while a generator is destroyed is lost, as with a real signal.
    sys.unraisablehook = lambda _: None
    sys.settrace(interrupter.at_call)
    try:
        work()
    except BaseException as error:
        return interrupter.places, error
    finally:
        sys.settrace(old[0])
        sys.unraisablehook = old[1]
    return interrupter.places, None
