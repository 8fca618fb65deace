"""Sorts the rows of a partition in bounded memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

KEYS = ("file", "seq")
# Memory holds this many rows of each sorted run.
RUN_ROWS = 1 << 13


def in_order(
    record_batches: Iterable[pa.RecordBatch], *, sort_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Sort rows by ``file`` and ``seq``; rows without ``seq`` keep their order.

    Memory holds up to ``sort_bytes`` and one record batch. More rows are written to temporary files
    in sorted runs, which are merged at the end.
    """
    import pyarrow as pa

    with tempfile.TemporaryDirectory(prefix="jelly-sort-") as folder:
        runs: list[str] = []
        held: list[pa.RecordBatch] = []
        size = 0
        keys: list[str] | None = None
        for record_batch in record_batches:
            if keys is None:
                keys = [key for key in KEYS if key in record_batch.schema.names]
                if "seq" not in keys:
                    keys = []
            if not keys:
                yield record_batch
                continue
            held.append(record_batch)
            size += record_batch.nbytes
            if size > sort_bytes:
                runs.append(_save_run(_sorted(held, keys), folder, len(runs)))
                held, size = [], 0
        if not held and not runs:
            return
        assert keys is not None
        if not runs:
            yield from _sorted(held, keys).to_batches()
            return
        if held:
            runs.append(_save_run(_sorted(held, keys), folder, len(runs)))
        files = [pa.ipc.open_file(pa.memory_map(run)) for run in runs]
        try:
            yield from _merged(files, keys)
        finally:
            del files


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

    Of each run, memory holds the next rows. Rows up to the least of their last keys are complete.
    """
    import pyarrow as pa

    heads: list[pa.Table | None] = [None] * len(files)
    nexts = [0] * len(files)
    while True:
        for number, file in enumerate(files):
            head = heads[number]
            if (head is None or head.num_rows == 0) and nexts[number] < file.num_record_batches:
                heads[number] = pa.Table.from_batches([file.get_batch(nexts[number])])
                nexts[number] += 1
        alive = [number for number, head in enumerate(heads) if head is not None and head.num_rows]
        if not alive:
            return
        bound = min(_key(heads[number], -1, keys) for number in alive)
        ready = []
        for number in alive:
            head = heads[number]
            assert head is not None
            count = _count_up_to(head, bound, keys)
            ready.append(head.slice(0, count))
            heads[number] = head.slice(count)
        table = pa.concat_tables(ready).sort_by([(key, "ascending") for key in keys])
        yield from table.to_batches()


def _key(table: pa.Table | None, row: int, keys: list[str]) -> tuple[object, ...]:
    assert table is not None
    row = row % table.num_rows
    values = [table.column(key)[row].as_py() for key in keys]
    # Arrow sorts null last.
    return tuple((value is None, 0 if value is None else value) for value in values)


def _count_up_to(table: pa.Table, bound: tuple[object, ...], keys: list[str]) -> int:
    """Return the number of rows of a sorted table up to a key, by bisection."""
    low, high = 0, table.num_rows
    while low < high:
        middle = (low + high) // 2
        if _key(table, middle, keys) <= bound:
            low = middle + 1
        else:
            high = middle
    return low
