"""Sorts the rows of a partition in bounded memory."""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

KEYS = ("file", "seq")
# How many rows of each sorted run are held in memory while runs are merged.
RUN_ROWS = 1 << 13


def in_order(
    record_batches: Iterable[pa.RecordBatch], *, sort_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Sort rows by ``file`` and ``seq``; rows without ``seq`` keep their order.

    Up to ``sort_bytes`` and one record batch are held in memory. More rows are written to temporary
    files in sorted runs, which are merged at the end.
    """
    import pyarrow as pa

    batches = iter(record_batches)
    first = next(batches, None)
    if first is None:
        return
    keys = [key for key in KEYS if key in first.schema.names]
    if "seq" not in keys:
        yield from chain([first], batches)
        return
    with tempfile.TemporaryDirectory(prefix="jelly-sort-") as folder:
        runs: list[str] = []
        held: list[pa.RecordBatch] = []
        size = 0
        for record_batch in chain([first], batches):
            held.append(record_batch)
            size += record_batch.nbytes
            if size > sort_bytes:
                runs.append(_save_run(_sorted(held, keys), folder, len(runs)))
                held, size = [], 0
        if not runs:
            yield from _sorted(held, keys).to_batches()
            return
        if held:
            runs.append(_save_run(_sorted(held, keys), folder, len(runs)))
        yield from _merged([pa.ipc.open_file(pa.memory_map(run)) for run in runs], keys)


def _sorted(held: list[pa.RecordBatch], keys: list[str]) -> pa.Table:
    import pyarrow as pa

    table = pa.Table.from_batches(held)
    # Arrow orders strings as Python does. The sort is stable.
    return table.sort_by([(key, "ascending") for key in keys])


def _save_run(table: pa.Table, folder: str, number: int) -> str:
    import pyarrow as pa

    path = os.path.join(folder, f"{number}.arrow")
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=RUN_ROWS)
    return path


def _merged(files: list[pa.ipc.RecordBatchFileReader], keys: list[str]) -> Iterator[pa.RecordBatch]:
    """Merge sorted runs.

    The next rows of each run are held in memory. No later row can come before the smallest of their
    last keys, so the rows up to this key can be sorted and returned.
    """
    import pyarrow as pa

    heads: dict[int, pa.Table] = {}
    nexts = [0] * len(files)
    while True:
        for number, file in enumerate(files):
            while number not in heads and nexts[number] < file.num_record_batches:
                head = pa.Table.from_batches([file.get_batch(nexts[number])])
                nexts[number] += 1
                if head.num_rows > 0:
                    heads[number] = head
        if not heads:
            return
        bound, first = min((_key(head, -1, keys), number) for number, head in heads.items())
        ready = []
        # Go through the runs in order, so that rows with the same key keep their order.
        for number in sorted(heads):
            head = heads.pop(number)
            rows = range(head.num_rows)
            # The run with the bound may have more rows with the bound's key later: rows of later
            # runs with this key must wait for them.
            bisect = bisect_right if number <= first else bisect_left
            count = bisect(rows, bound, key=lambda row: _key(head, row, keys))
            ready.append(head.slice(0, count))
            if count < head.num_rows:
                heads[number] = head.slice(count)
        table = pa.concat_tables(ready).sort_by([(key, "ascending") for key in keys])
        yield from table.to_batches()


def _key(table: pa.Table, row: int, keys: list[str]) -> tuple[object, ...]:
    row = row % table.num_rows
    values = [table.column(key)[row].as_py() for key in keys]
    # Arrow sorts null last.
    return tuple((value is None, 0 if value is None else value) for value in values)
