"""Finds what the plan of a read needs: the cluster's size, and the parts of long files.

Spark plans a read on the driver's machine, in a separate process that has no session. That process
asks the process that called `register`, over a socket that only this user can open. The process
with the session lets tasks scan long files, and keeps the results for later plans.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Client, Connection, Listener
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from jelly_rdflib.options import Limits
from jelly_rdflib.spark.storage import Entry, Storage
from jelly_rdflib.streams.index import FilePart, find_parts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Enough for some 5,000 parts of 64 MiB, with a decoder's state for each.
KEPT_BYTES = 256 << 20
# The size of a part without its state.
_PART_BYTES = 200
_OPEN_COST = 4 << 20


class Look(NamedTuple):
    """A file to scan for parts of at least ``spacing`` bytes."""

    file: Entry
    storage: Storage
    is_statements: bool
    spacing: int
    limits: Limits

    def parts(self) -> list[FilePart]:
        """Find the parts."""
        file, storage, is_statements, spacing, limits = self
        with closing(storage.at(file.path).open(file.path)) as source:
            return find_parts(source, is_statements=is_statements, spacing=spacing, limits=limits)


_Run = Callable[[list[Look]], list[list[FilePart]]]


class Findings:
    """A cache of the parts that ``run`` finds in files; it holds up to ``most`` bytes."""

    def __init__(self, run: _Run, most: int = KEPT_BYTES) -> None:
        self._run, self._room = run, most
        self._kept: OrderedDict[Look, list[FilePart]] = OrderedDict()
        self._lock = Lock()

    def parts_of(self, looks: list[Look]) -> list[list[FilePart]]:
        """Return the parts of each file."""
        with self._lock:
            new = [look for look in looks if look not in self._kept]
            for look, found in zip(new, self._run(new) if new else (), strict=True):
                self._kept[look] = found
                self._room -= _size(found)
            for look in looks:
                self._kept.move_to_end(look)
            result = [self._kept[look] for look in looks]
            while self._room < 0:
                self._room += _size(self._kept.popitem(last=False)[1])
            return result


def _size(parts: list[FilePart]) -> int:
    return sum(
        _PART_BYTES + (len(part.state) if isinstance(part.state, bytes) else 0) for part in parts
    )


@dataclass(frozen=True)
class Cluster:
    """The cluster that a plan is for.

    Args:
        tasks: The minimum number of tasks for a large read; None: the driver's process reports it,
            or else it is two for each processor of this machine.
        open_cost: The bytes that could be read in the time that it takes to open a file.
        address: The address of the driver's process. None: it can't be reached, so a long file
            without an index is not scanned.
    """

    tasks: int | None = None
    open_cost: int = _OPEN_COST
    address: str | None = None

    def least_tasks(self) -> int:
        """Return the minimum number of tasks for a large read."""
        if self.tasks is None and self.address is not None:
            return cast("int", self._ask(None))
        return self.tasks or 2 * (os.cpu_count() or 1)

    def parts_of(self, looks: list[Look]) -> list[list[FilePart]]:
        """Return the parts of each file: one part if the driver's process can't be reached."""
        if self.address is None or not looks:
            return [[FilePart(0, look.file.size, True, None, None)] for look in looks]
        return cast("list[list[FilePart]]", self._ask(looks))

    def _ask(self, what: list[Look] | None) -> object:
        assert self.address is not None
        with Client(self.address) as connection:
            connection.send(what)
            answer = connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer


THIS_MACHINE = Cluster()
"""The cluster for a plan without a session."""


def cluster_of(spark: SparkSession) -> Cluster:
    """Return the cluster of a session, which follows the settings of Spark's own file sources.

    These are ``spark.sql.files.minPartitionNum`` and ``spark.sql.files.openCostInBytes``. By
    default there are two tasks for each core that Spark has when it plans. Spark Connect reports
    neither the cores nor the cost: then the cores of this machine and Spark's default cost are
    used.
    """
    least = spark.conf.get("spark.sql.files.minPartitionNum", None)
    tasks = None if least is None else int(least)
    if not hasattr(spark, "sparkContext"):
        return Cluster(tasks)
    session: Any = spark
    cost = session._jsparkSession.sessionState().conf().filesOpenCostInBytes()
    return Cluster(tasks, cost, _serve(spark))


@cache
def _serve(spark: SparkSession) -> str:
    """Start answering requests from planning processes; return the address for them."""
    context: Any = spark.sparkContext

    def run(looks: list[Look]) -> list[list[FilePart]]:
        context.setJobDescription(f"jelly-rdflib finds the parts of {len(looks)} long files")
        found = context.parallelize(looks, len(looks)).map(Look.parts).collect()
        return cast("list[list[FilePart]]", found)

    findings = Findings(run)

    def answer(connection: Connection) -> None:
        # Ignore connection errors: the process that asks may have ended.
        with connection, suppress(OSError, EOFError):
            looks = connection.recv()
            try:
                told = 2 * context.defaultParallelism if looks is None else findings.parts_of(looks)
            except Exception as error:
                # Spark's own exceptions can't be sent to another process, so send the text.
                told = RuntimeError(str(error))
            connection.send(told)

    # By default this is a local socket, in a folder that only this user can open.
    listener = Listener(backlog=64)

    def listen() -> None:
        while True:
            with suppress(OSError):
                Thread(target=answer, args=(listener.accept(),), daemon=True).start()

    Thread(target=listen, daemon=True, name="jelly-rdflib plans").start()
    return str(listener.address)
