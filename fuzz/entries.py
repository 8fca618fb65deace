"""A target that calls all public entry points, with extreme limits and in any order."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import random
import shutil
import tempfile
import threading
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rdflib import Dataset

import jelly_rdflib as jr
from tests.pieces import Pieces

__all__ = ["ENTRIES", "enter", "extreme_limits"]

# The largest lookup size to try: a lookup is allocated as soon as a stream asks for it.
_MOST_ENTRIES = 1 << 16
_MOST = {
    "max_frame_size": (1 << 31) - 1,
    "max_nesting_depth": 1000,
    "max_string_size": (1 << 31) - 1,
    "max_text_size": (1 << 31) - 1,
    "max_expansion": 1 << 24,
    "max_decompressed_size": (1 << 63) - 1,
    "max_decompression_ratio": (1 << 31) - 1,
    "max_held_operations": (1 << 63) - 1,
}

# Raised by calls in a wrong order, not by faults in data.
_MISUSE = (ValueError, RuntimeError)


def extreme_limits(choices: random.Random) -> jr.Limits:
    """Return limits, some of them at the ends of their ranges."""
    names = [field.name for field in dataclasses.fields(jr.Limits)]
    chosen = choices.sample(names, choices.choice((0, 1, 1, 2, len(names))))
    most = {**dict.fromkeys(names, (1 << 31) - 1), **_MOST}
    most |= {name: _MOST_ENTRIES for name in names if name.endswith("_table_size")}
    return jr.Limits(**{name: choices.choice((0, 1, most[name])) for name in chosen})


def enter(data: bytes) -> None:
    """Call an entry point; the input's checksum determines which, and its arguments."""
    choices = random.Random(zlib.crc32(data))
    entry = choices.choice(list(ENTRIES.values()))
    with warnings.catch_warnings(), contextlib.suppress(jr.JellyError):
        warnings.simplefilter("ignore")
        entry(data, choices)


def _source(data: bytes, choices: random.Random) -> Any:
    return choices.choice((data, io.BytesIO(data), Pieces(data, choices.randint(1, 64))))


def _apply(data: bytes, choices: random.Random) -> None:
    jr.apply(
        _source(data, choices),
        Dataset(),
        atomic=choices.random() < 0.8,
        limits=extreme_limits(choices),
    )


def _parse(data: bytes, choices: random.Random) -> None:
    # Another package may have registered "jelly".
    format = choices.choice(("jelly-patch", "jelly-rdf", "rdf-patch"))
    Dataset().parse(data=data, format=format, limits=extreme_limits(choices))


def _read_dataset(data: bytes) -> Dataset:
    dataset = Dataset()
    with contextlib.suppress(jr.JellyError):
        jr.apply(data, dataset)
    return dataset


def _diff(data: bytes, choices: random.Random) -> None:
    half = len(data) // 2
    patch = jr.diff(_read_dataset(data), _read_dataset(data[:half]))
    jr.apply(patch, _read_dataset(data))


def _record(data: bytes, choices: random.Random) -> None:
    dataset = _read_dataset(data[: len(data) // 2])
    file = io.BytesIO()
    with jr.record(dataset, file):
        jr.apply(data, dataset, limits=extreme_limits(choices))


def _append(data: bytes, choices: random.Random) -> None:
    with _folder() as folder:
        log = jr.PatchLog.create(folder / "log")
        log.append(data)
        replica = jr.Replica(folder / "replica")
        replica.update(log)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def _write(data: bytes, choices: random.Random) -> None:
    """Write the batches that were read in any format, with other calls of the writer in between."""
    format: jr.ChangeFormat = choices.choice(("jelly-patch", "rdf-patch", "rdf-patch-thrift"))
    writer = jr.PatchWriter(io.BytesIO(), format=format)
    calls: list[Callable[[], object]] = [
        writer.begin,
        writer.commit,
        writer.abort,
        writer.end_patch,
        writer.close,
        lambda: writer.options,
    ]
    for batch in jr.read_batches(data, limits=extreme_limits(choices)):
        with contextlib.suppress(jr.EncodeError, ValueError):
            write: Callable[[], object] = partial(writer.write_all, batch)
            choices.choice([*calls, write])()
        with contextlib.suppress(jr.EncodeError, ValueError):
            writer.write_all(iter(batch))
    with contextlib.suppress(jr.EncodeError):
        writer.close()


def _read_in_any_order(data: bytes, choices: random.Random) -> None:
    """Call a reader's methods in any order: before, during and after its use."""
    _call_any(_open_reader(data, choices), choices, 30)


def _open_reader(data: bytes, choices: random.Random) -> Any:
    read = choices.choice(
        (jr.read_operations, jr.read_batches, jr.read_statements, jr.read_patches, jr.read_frames)
    )
    limits = extreme_limits(choices)
    reader: Any = read(_source(data, choices), limits=limits)
    return reader


def _call_any(reader: Any, choices: random.Random, times: int) -> None:
    calls: list[Callable[[], object]] = [
        lambda: next(reader),
        lambda: next(reader),
        lambda: getattr(reader, "options", None),
        lambda: _place_error(reader),
        reader.close,
    ]
    for _ in range(times):
        with contextlib.suppress(jr.JellyError, StopIteration, *_MISUSE):
            choices.choices(calls, (10, 10, 2, 2, 1))[0]()


def _place_error(reader: Any) -> None:
    place_error = getattr(reader, "place_error", None)
    if place_error is not None:
        error = jr.DecodeError("an error")
        place_error(error)
        assert error.frame is None or error.frame < 1 << 32, error


def _read_in_threads(data: bytes, choices: random.Random) -> None:
    """Let two threads use one reader."""
    reader = _open_reader(data, choices)
    seeds = choices.random(), choices.random()
    findings: list[BaseException] = []

    def work(seed: float) -> None:
        try:
            _call_any(reader, random.Random(seed), 15)
        except BaseException as error:
            findings.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if findings:
        raise findings[0]


def _decode_in_any_order(data: bytes, choices: random.Random) -> None:
    """Call a decoder's methods in any order, with parts of the input as frames."""
    make = choices.choice((jr.PatchDecoder, jr.StatementDecoder))
    decoder = make(extreme_limits(choices))
    calls: list[Callable[[], object]] = [
        lambda: len(list(decoder.decode_frame(data))),
        lambda: decoder.decode_frame(data[choices.randint(0, len(data)) :]),
        decoder.finish,
        lambda: decoder.options,
    ]
    for _ in range(8):
        with contextlib.suppress(jr.JellyError, *_MISUSE):
            choices.choices(calls, (5, 5, 1, 2))[0]()


ENTRIES: dict[str, Callable[[bytes, random.Random], None]] = {
    "apply": _apply,
    "parse": _parse,
    "diff": _diff,
    "record": _record,
    "append": _append,
    "write": _write,
    "read": _read_in_any_order,
    "threads": _read_in_threads,
    "decode": _decode_in_any_order,
}
