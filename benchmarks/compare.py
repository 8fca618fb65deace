"""Compare two tasks by timing them in turn, so that other load affects both equally."""

from __future__ import annotations

import functools
import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from . import columns, floor, log_works, shapes, works
from .data import Inputs
from .record_works import CHANGES
from .store_works import COUNT, STORE_WORKS
from .works import Work

__all__ = ["COMPARISONS", "Comparison", "Ratio", "compare"]


@dataclass(frozen=True)
class Comparison:
    """A comparison of our task with a peer's, and its target.

    Args:
        ours: Makes our task from the inputs.
        peer: Makes the peer's task from the inputs.
        target: The wanted ratio; None if the ratio is only reported.
        rounds: How often each task is timed; short tasks are timed more often.
        quick_rounds: How often each task is timed in a quick run.
        count: Counts the quads that a task processes; by default the quads of the input.
    """

    ours: Callable[[Inputs], Work]
    peer: Callable[[Inputs], Work]
    target: float | None
    rounds: int
    quick_rounds: int
    count: Callable[[Inputs], int] = lambda inputs: len(inputs.quads)


COMPARISONS = (
    Comparison(works.read_batches, works.protobuf_parse, 3, 41, 21),
    *(
        Comparison(
            shapes.read_batches_of(name),
            shapes.protobuf_parse_of(name),
            target,
            41,
            21,
            count=functools.partial(shapes.count, name),
        )
        for name, target in (("small lookups", 2.35), ("distinct quads", 2.35), ("sensors", 2.0))
    ),
    Comparison(works.read_batches, floor.walk_of(), None, 41, 21),
    *(
        Comparison(
            shapes.read_batches_of(name),
            floor.walk_of(name),
            None,
            41,
            21,
            count=functools.partial(shapes.count, name),
        )
        for name in shapes.SHAPES
    ),
    Comparison(works.read_operations, works.pyjelly_parse, 15, 5, 3),
    Comparison(works.read_operations, works.pyoxigraph_parse, 4, 9, 5),
    Comparison(works.compact, works.read_operations, 0.5, 21, 9),
    Comparison(works.parse_patch, works.rdflib_parse_patch, 8, 2, 1),
    Comparison(works.parse_patch, works.rdflib_add, 3, 5, 3),
    Comparison(works.write_patch, works.pyjelly_write, 15, 5, 3),
    Comparison(works.write_patch_one_by_one, works.pyjelly_write, None, 3, 1),
    Comparison(works.write_batches, works.write_patch, 1.5, 9, 5),
    Comparison(works.write_batches, works.pyjelly_write, 30, 3, 1),
    Comparison(works.write_batches, works.protobuf_serialize, None, 21, 9),
    Comparison(works.convert_patch, works.protobuf_serialize, None, 21, 9),
    Comparison(works.read_statement_batches, works.protobuf_parse_statements, 3, 41, 21),
    Comparison(columns.read_batches, columns.protobuf_parse, None, 41, 21),
    Comparison(columns.read_batches, works.read_statement_batches, None, 41, 21),
    Comparison(works.read_statements, works.pyjelly_parse, 15, 5, 3),
    Comparison(works.parse_statements, works.pyjelly_parse_dataset, 6, 3, 1),
    Comparison(works.write_statements, works.pyjelly_write, 15, 5, 3),
    Comparison(works.write_statement_batches, works.write_statements, 1.5, 9, 5),
    Comparison(works.write_statement_batches, works.protobuf_serialize_statements, None, 21, 9),
    Comparison(works.make_table, works.make_table_of_dicts, 20, 5, 3),
    Comparison(works.take_table, works.read_operations, None, 9, 5),
    Comparison(works.read_text, works.rdflib_read_patch, 20, 3, 1),
    Comparison(works.read_text, works.pyoxigraph_parse, 1, 9, 5),
    Comparison(works.write_text_of_batches, works.pyoxigraph_serialize, 1, 9, 5),
    Comparison(works.convert_to_text, works.pyoxigraph_serialize, 1, 9, 5),
    Comparison(works.write_text, works.pyoxigraph_serialize, None, 5, 3),
    Comparison(works.read_n_quads, works.pyoxigraph_parse, None, 5, 3),
    Comparison(works.convert_to_n_quads, works.pyoxigraph_serialize, None, 9, 5),
    Comparison(works.write_n_quads, works.pyoxigraph_serialize, None, 5, 3),
    Comparison(
        log_works.append_history, log_works.write_files, None, 5, 3, log_works.count_changes
    ),
    Comparison(log_works.replay_history, log_works.rdflib_replay, 8, 3, 1, log_works.count_changes),
    Comparison(log_works.checkout_versions, log_works.rdflib_parse_releases, 5, 3, 1),
    # Recording must not double the time of a change.
    *(Comparison(each.recorded, each.plain, each.target, 3, 3, each.count) for each in CHANGES),
    *(
        Comparison(each.ours, each.theirs, each.target, each.rounds, 1, lambda _: COUNT)
        for each in STORE_WORKS
    ),
)


@dataclass(frozen=True)
class Ratio:
    """The result of a comparison: our and the peer's processor seconds in each round."""

    ours: str
    peer: str
    target: float | None
    quads: int
    our_seconds: list[float]
    peer_seconds: list[float]

    @property
    def ratios(self) -> list[float]:
        """How many times as fast our work was, round by round."""
        pairs = zip(self.our_seconds, self.peer_seconds, strict=True)
        return [peer / ours for ours, peer in pairs]

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.median >= self.target


def compare(
    comparison: Comparison, inputs: Inputs, rounds: int, report: Callable[[], None]
) -> Ratio:
    """Time both tasks in turn, and call ``report`` after each."""
    ours = comparison.ours(inputs)
    peer = comparison.peer(inputs)
    our_seconds: list[float] = []
    peer_seconds: list[float] = []
    # The collector would scan the inputs, which a user's process need not have.
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for work, seconds in ((ours, our_seconds), (peer, peer_seconds)):
            seconds.append(time_once(work))
            report()
    count = comparison.count(inputs)
    return Ratio(ours.name, peer.name, comparison.target, count, our_seconds, peer_seconds)


def time_once(work: Work) -> float:
    """Return the processor seconds of one run, with Python's garbage collector on.

    All tasks are single-threaded and never wait. So on an idle machine processor time equals
    elapsed time, and on a busy machine it excludes other processes.
    """
    prepared = work.prepare()
    gc.collect()
    start = time.process_time()
    result = work.run(prepared)
    seconds = time.process_time() - start
    if not work.check(result):
        raise AssertionError(f"{work.name}: the result is wrong")
    return seconds
