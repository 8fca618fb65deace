"""Helpers for several test modules: reading and writing in plain form, and checking errors."""

import gc
import io
import tracemalloc
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import OperationSink
from tests.forked import run_code
from tests.oracle import decoder
from tests.oracle.terms import Plain, operation, plain_operation
from tests.sanitized import MEMORY_FACTOR

ROOT = Path(__file__).resolve().parents[1]


class EncoderWriter(OperationSink):
    """Writes operations and batches with an encoder that has a ``finish``."""

    encoder: Any

    def __init__(self, encoder: Any) -> None:
        super().__init__(NODE_TYPES, encoder)

    def finish(self) -> None:
        self.encoder.finish()


def write(operations: list[Plain], options: jr.PatchOptions | None = None) -> bytes:
    """Return the stream that the package's writer writes for plain operations."""
    file = io.BytesIO()
    with jr.PatchWriter(file, options) as writer:
        for plain_op in operations:
            writer.write(operation(plain_op))
    return file.getvalue()


def encode(operations: Iterable[jr.Operation], **options: Any) -> bytes:
    """Return the Jelly-Patch that the package's writer writes for operations with rdflib terms."""
    file = io.BytesIO()
    with jr.PatchWriter(file, jr.PatchOptions(**options)) as writer:
        writer.write_all(operations)
    return file.getvalue()


def options_of(fields: dict[str, Any], **more: Any) -> jr.PatchOptions:
    """Return the package's options for the fields of an options row."""
    return jr.PatchOptions(**{**fields, **more})


def assert_position(error: jr.DecodeError, size: int, row: bool | None = None) -> None:
    """Check that an error has a position, and names a row if `row` is True, or none if False."""
    assert isinstance(error.offset, int)
    assert 0 <= error.offset <= size
    assert isinstance(error.frame, int)
    assert error.frame >= 1
    if error.row is not None:
        assert isinstance(error.row, int)
        assert error.row >= 1
    if row is not None:
        assert (error.row is not None) == row, error


def operations(source: Any, **arguments: Any) -> Iterator[Plain]:
    """Iterate over the operations of a source in plain form, with their lexical forms."""
    arguments = {"normalize": False, "format": "jelly-patch", **arguments}
    return map(plain_operation, jr.read_operations(source, **arguments))


def read(source: Any, **arguments: Any) -> list[Plain]:
    """Return the plain operations that the package reads, with their lexical forms unchanged."""
    return list(operations(source, **arguments))


def refuse(
    source: bytes,
    kind: type[jr.DecodeError] = jr.DecodeError,
    *,
    row: bool | None = None,
    after: list[Plain] | None = None,
    reader: Callable[..., Iterator[Any]] = operations,
    **arguments: Any,
) -> jr.DecodeError:
    """Check that the package refuses an input with exactly this kind of error; return the error.

    Args:
        source: The input.
        kind: The error's class.
        row: Whether the error must name a row, or None if that does not matter.
        after: The items that must be read before the error, or None if they don't matter.
        reader: A function that yields the items that the package reads, in plain form.
        arguments: The arguments of the reader.
    """
    before: list[Any] = []
    with pytest.raises(jr.DecodeError) as caught:
        before.extend(reader(source, **arguments))
    assert type(caught.value) is kind, caught.value
    assert_position(caught.value, len(source), row)
    if after is not None:
        assert before == after
    return caught.value


def assert_same_outcome(
    data: bytes,
    *,
    read: Callable[..., Any] = read,
    reference: Callable[..., Any] = decoder.read,
    **arguments: Any,
) -> bool:
    """Check that the package reads the same as the reference, and refuses the same inputs.

    Returns:
        Whether the input was refused.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            expected: Any = reference(data, **arguments)
        except decoder.RuleError as error:
            expected = error
        except decoder.Doubt:
            expected = None
        try:
            got = read(data, **arguments)
        except jr.DecodeError as refusal:
            assert_position(refusal, len(data))
            if isinstance(expected, list):
                if not isinstance(refusal, jr.LimitError):
                    raise AssertionError(f"{data!r}\nmust be read, but was refused") from refusal
                assert_same_without_limits(lambda: read(data, limits=LOOSE, **arguments), expected)
            return True
    if isinstance(expected, Exception):
        raise AssertionError(f"{data!r}\nmust be refused: {expected}\nbut was read as {got}")
    assert expected is None or got == expected, data
    return False


# These limits hardly limit anything. But the limits of lookups remain, because a few bytes can ask
# for gigabytes.
LOOSE = jr.Limits(
    max_frame_size=(1 << 31) - 1,
    max_frame_rows=(1 << 31) - 1,
    max_frame_terms=(1 << 31) - 1,
    max_nesting_depth=1000,
    max_string_size=(1 << 31) - 1,
    max_text_size=(1 << 31) - 1,
    max_expansion=1 << 24,
)


def assert_same_without_limits(read_loosely: Callable[[], Any], expected: Any) -> None:
    """Check that without limits the package reads an input as the reference does."""
    try:
        got = read_loosely()
    except jr.LimitError as refusal:
        if "lookup of" not in refusal.message and "max_nesting_depth" not in refusal.message:
            raise
    else:
        assert got == expected


def assert_nothing_is_kept(work: Callable[[], None]) -> None:
    """Check that `work` frees all memory that it allocates."""
    for _ in range(3):
        work()
    gc.collect()
    tracemalloc.start()
    try:
        # The first rounds fill caches of the interpreter and pytest.
        sizes = [_size_after(work, 8)]
        # A table of another library may grow once, but a leak grows each time.
        sizes += [_size_after(work, 16) for _ in range(3)]
    finally:
        tracemalloc.stop()
    assert min(after - before for before, after in pairwise(sizes)) < 16 * 64, sizes


def _size_after(work: Callable[[], None], times: int) -> int:
    for _ in range(times):
        work()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def run(code: str, *arguments: str, timeout: float = 120, is_fresh: bool = False) -> str:
    """Run Python code in its own process, and return its output.

    In the code, ``peak()`` returns the peak memory of the process so far, in bytes. Under the
    sanitizers it returns half of it, because they double the memory. With ``is_fresh`` the process
    has not imported anything before.
    """
    prelude = (
        # ru_maxrss starts with the parent's memory; the peak in /proc is the process's own.
        "import pathlib, re, resource, sys\n"
        # Modules that are imported on demand must not count as memory that the code needs.
        "from jelly_rdflib import *\n"
        "def peak():\n"
        "    if sys.platform == 'linux':\n"
        "        status = pathlib.Path('/proc/self/status').read_text()\n"
        "        size = int(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1]) * 1024\n"
        f"        return size // {MEMORY_FACTOR}\n"
        "    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    return usage * (1 if sys.platform == 'darwin' else 1024)\n"
    )
    done = run_code(prelude + code, *arguments, timeout=timeout, is_fresh=is_fresh)
    out, err = done.out.decode("utf-8"), done.err.decode("utf-8")
    assert done.code == 0, f"exit code {done.code}\n{out}\n{err}"
    return out
