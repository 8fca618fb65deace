"""The floor of decoding: a C walk over trusted bytes that makes batches without any checks."""

from __future__ import annotations

import ctypes
import functools
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import jelly_rdflib as jr

from .. import shapes
from ..data import CACHE, Inputs
from ..works import Work

__all__ = ["walk", "walk_of"]

_SOURCE = Path(__file__).with_name("walk.c")
_SLACK = 16


@functools.cache
def _library() -> ctypes.CDLL:
    """Compile the walk without special flags, like the package's modules."""
    CACHE.mkdir(parents=True, exist_ok=True)
    library = CACHE / "walk.so"
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    subprocess.run(
        [*compiler, "-O3", "-shared", "-fPIC", "-o", str(library), str(_SOURCE)], check=True
    )
    loaded = ctypes.CDLL(str(library))
    loaded.walk.restype = ctypes.c_uint64
    loaded.walk.argtypes = [ctypes.c_char_p, ctypes.c_size_t, *[ctypes.c_uint32] * 3]
    return loaded


def walk_of(name: str = "") -> Callable[[Inputs], Work]:
    """Return a function that makes the task of walking over a shape of `shapes`, or schema.org."""
    return lambda inputs: walk(shapes.stream_of(name, inputs) if name else inputs.jelly_patch)


def walk(data: bytes) -> Work:
    """Return the task of walking over a stream; it must find as many statements as the reader."""
    batches = jr.read_batches(data)
    expected = sum(op in (jr.Op.A, jr.Op.D) for batch in batches for op in batch.ops)
    options = batches.options
    sizes = (
        options.max_name_table_size,
        options.max_prefix_table_size,
        options.max_datatype_table_size,
    )
    padded = data + bytes(_SLACK)
    run = _library().walk
    return Work(
        "C walk without checks",
        lambda _: run(padded, len(data), *sizes),
        check=lambda found: bool(found == expected),
    )
