"""Makes each memory allocation fail in turn, in a separate process.

CPython's own tests have a hook that makes the n-th allocation fail. The allocation may be for an
object, for the items of a list, or in Cython code without the GIL.
"""

import gc
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.graph.apply import apply
from tests.faults.campaign import Tally
from tests.faults.scenario import TARGETS, Scenario, state_of


class Pieces:
    """A file to write to; a BytesIO would claim to be closed when memory runs out."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: Any) -> int:
        self.pieces.append(bytes(data))
        return len(data)


def encoded(operations: list[Any], format: str = "jelly-patch") -> bytes:
    file = Pieces()
    options = jr.PatchOptions(frame_rows=4) if format == "jelly-patch" else None
    with jr.PatchWriter(file, options, format=format) as writer:
        for operation in operations:
            writer.write(operation)
    return b"".join(file.pieces)


class Work(ABC):
    """A task that may run out of memory.

    Args:
        scenario: The scenario to apply.
        format: The format of the operations.
    """

    def __init__(self, scenario: Scenario, format: str = "jelly-patch") -> None:
        self.scenario = scenario
        self.data = encoded(scenario.operations, format)
        self.operations = list(jr.read_operations(self.data))

    def prepare(self) -> Any:
        """Return the objects that are made before memory runs out."""
        return None

    @abstractmethod
    def run(self, prepared: Any) -> Any:
        """Do the work."""

    @abstractmethod
    def check(self, prepared: Any, error: BaseException | None, result: Any) -> None:
        """Compare the outcome with the expected one."""


class Read(Work):
    """Reads operations from bytes."""

    def run(self, prepared: Any) -> Any:
        return list(jr.read_operations(self.data))

    def check(self, prepared: Any, error: BaseException | None, result: Any) -> None:
        assert error is not None or result == self.operations


class Write(Work):
    """Writes operations."""

    def run(self, prepared: Any) -> Any:
        return encoded(self.operations)

    def check(self, prepared: Any, error: BaseException | None, result: Any) -> None:
        assert error is not None or result == self.data


class WriteOn(Work):
    """Writes operations whose terms replace others in full lookups, and then continues."""

    def prepare(self) -> Any:
        file = Pieces()
        sizes = {"name": 8, "prefix": 1, "datatype": 2}
        tables = {f"max_{lookup}_table_size": size for lookup, size in sizes.items()}
        writer = jr.PatchWriter(file, jr.PatchOptions(**tables))
        writer.write_all(map(self.row, "abcdefgh"))
        return file, writer

    @staticmethod
    def row(name: str) -> Any:
        literal = Literal(name, datatype=URIRef(f"urn:type/{name}"))
        return (jr.Op.A, URIRef(f"urn:s/{name}"), URIRef(f"urn:p/{name}"), literal, None)

    def run(self, prepared: Any) -> Any:
        for size in (10, 100, 1000):
            prepared[1].write(self.row("x" * size))

    def check(self, prepared: Any, error: BaseException | None, result: Any) -> None:
        file, writer = prepared
        writer.write_all(map(self.row, "ijklmnopqrstuvw"))
        writer.close()
        *found, _ = jr.read_operations(b"".join(file.pieces))
        names = [*"abcdefgh", *(size * "x" for size in (10, 100, 1000)), *"ijklmnopqrstuvw"]
        missing = len(names) - len(found)
        assert missing == 0 or (error is not None and missing <= 3)
        del names[11 - missing : 11]
        assert [row[:4] for row in found] == [self.row(name)[:4] for name in names]


class Apply(Work):
    """Applies bytes to a target."""

    def prepare(self) -> Any:
        context = self.scenario.make()
        target = context.__enter__()
        self.scenario.prepare(target)
        return context, target

    def run(self, prepared: Any) -> Any:
        return apply(self.data, prepared[1])

    def check(self, prepared: Any, error: BaseException | None, result: Any) -> None:
        context, target = prepared
        state = state_of(target)
        if error is None:
            assert state == self.scenario.states[-1]
        elif not isinstance(error, jr.RollbackError):
            assert state in self.scenario.states, error
            apply(self.data, target)
        context.__exit__(None, None, None)


class Record(Apply):
    """Records changes to a target as one transaction."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self.state: Any = None

    def run(self, prepared: Any) -> Any:
        target = prepared[1]
        # A Dataset causes Python warnings, which become a SystemError when memory runs out.
        graph = getattr(target, "default_graph", target)
        with jr.record(target, patches := []):
            graph.remove((URIRef("urn:s"), None, None))
            for number in range(20):
                graph.add((URIRef("urn:new"), URIRef("urn:p"), Literal(number)))
            graph.bind("recorded", "urn:recorded#")
            graph.remove((URIRef("urn:new"), None, Literal(7)))
        return patches

    def check(self, prepared: Any, error: BaseException | None, result: Any) -> None:
        context, target = prepared
        if error is not None:
            assert state_of(target) == self.scenario.states[0], error
            result = self.run(prepared)
        if self.state is None:
            self.state = state_of(target)
        assert state_of(target) == self.state
        [patch] = result
        again_context, again = self.prepare()
        patch.apply(again)
        assert state_of(again) == self.state
        for each in (context, again_context):
            each.__exit__(None, None, None)


WORKS: dict[str, Callable[..., Work]] = {
    "read Jelly-Patch": Read,
    "read text": partial(Read, format="rdf-patch"),
    "write Jelly-Patch": Write,
    "write on": WriteOn,
    "apply": Apply,
    "record": Record,
}

# CPython 3.11 loses its references to a function's arguments if it can't allocate one of the
# function's cells. It also loses a tuple from which a list is made, if it can't allocate the list.
# The objects are kept until the process ends, so that they don't count as our leaks.
KEPT: list[Work] = []

# Some failed allocations do no harm. If this many in a row do no harm, the work has all the memory
# that it needs.
ENOUGH = 40


def failing_at_each_allocation(work: Work, *, stride: int = 1) -> Tally:
    """Do `work` repeatedly, with a different allocation failing each time.

    Args:
        work: The work to do.
        stride: 1 for each allocation; n for every n-th allocation.
    """
    from _testcapi import remove_mem_hooks, set_nomemory  # type: ignore[import-not-found]

    tally = Tally()
    n, unharmed = 1, 0
    work.check(prepared := work.prepare(), None, work.run(prepared))
    while unharmed < ENOUGH:
        prepared = work.prepare()
        caught: BaseException | None = None
        result = None
        gc.disable()
        set_nomemory(n, n + 1)
        try:
            result = work.run(prepared)
        except BaseException as error:
            remove_mem_hooks()
            caught = error
        else:
            remove_mem_hooks()
        gc.enable()
        # CPython raises these errors if it can't allocate a lock or, in 3.11, memory for a call.
        is_pythons = isinstance(caught, RuntimeError | SystemError) and any(
            words in str(caught) for words in ("can't allocate lock", "NULL without setting")
        )
        if not (caught is None or is_pythons or isinstance(caught, MemoryError | jr.RollbackError)):
            # No other exception may occur.
            raise caught
        work.check(prepared, caught, result)
        unharmed = unharmed + 1 if caught is None else 0
        tally.injected += caught is not None
        tally.told += isinstance(caught, jr.RollbackError)
        n += stride
    return tally


def main() -> None:
    """Print how many allocations failed; the arguments are a task, a target, and a stride."""
    work, target, stride = sys.argv[1:]
    KEPT.append(WORKS[work](Scenario(TARGETS[target])))
    tally = failing_at_each_allocation(KEPT[0], stride=int(stride))
    print(tally.injected, tally.told)


if __name__ == "__main__":
    main()
