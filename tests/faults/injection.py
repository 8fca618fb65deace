"""Ways to put a fault in the way: an exception of a store, of a term, or of the user's Ctrl-C."""

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
    """Raises an exception at one of the calls that it counts, or at two.

    Args:
        turns: At which calls, counted from 0; none to count only.
        error: What it raises.
        does_it: Whether the call does what it should before.
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
        """Count a call; is it one to fail?"""
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
                # It does nothing before it is asked. And Oxigraph waits forever to change anything
                # while somebody has an iterator of its graphs.
                list(found)
        raise self.error("a fault")


METHODS = (
    *("add", "addN", "remove", "triples", "contexts", "add_graph", "remove_graph"),
    *("bind", "prefix", "namespace", "namespaces", "commit", "rollback"),
)


@contextmanager
def wired(store: Store, fuse: Fuse) -> Iterator[None]:
    """Have all calls of a store's methods go through a fuse, its own to itself among them."""
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

# What drives a transaction, to its commit and back.
OUR_PYTHON = tuple(
    str(Path(jelly_rdflib.__file__).parent / name) for name in ("graph/apply.py", "graph/stores")
)

# After these Python looks whether a signal has come.
LOOKS_AFTER = ("CALL", "JUMP_BACKWARD", "JUMP_ABSOLUTE")


@cache
def _places(code: CodeType) -> frozenset[int]:
    """Return the offsets of the instructions before which Python may look for signals."""
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
    """Run something, and interrupt it where Python might look for signals.

    That is at the start of each function, after each call and at the end of each loop: in this
    package, in rdflib and in the tests' stores.

    Args:
        turn: At which such place, counted from 0.
        work: What is run.
        within: How the paths start of the files whose places count.

    Returns:
        How many such places came, and what it raised.
    """
    interrupter = _Interrupter(turn, within)
    old = sys.gettrace(), sys.unraisablehook
    # One that comes while a generator is thrown away goes nowhere, as with a real signal.
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
