"""Reads hostile input in a separate process: ``python -m tests.hostile.child``.

The arguments are comma-separated uses, a format, a path ("-" for standard input), limits as JSON,
and optionally the path of a small input to use first as a warm-up. For each use it prints a line of
JSON with the outcome, and the time and memory that the use needed.
"""

import contextlib
import json
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jelly_rdflib as jr
from tests.pieces import Pieces
from tests.sanitized import UNDER_SANITIZERS

# This is far more memory than any use needs, and protects the machine.
MAX_ADDRESS_SPACE = 2 << 30
MAX_SECONDS = 300
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024
# A use is repeated for at least this many seconds.
MIN_SECONDS = 0.2


class Sink:
    """A file that discards its data."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: bytes) -> int:
        self.size += len(data)
        return len(data)


def count(things: Any) -> int:
    return sum(1 for _ in things)


def read_bytes(source: Any, **arguments: Any) -> int:
    """Read an input that is entirely in memory, as with ``data=``."""
    data = source.read() if hasattr(source, "read") else Path(source).read_bytes()
    return count(jr.read_batches(data, **arguments))


def read_in_pieces(source: Any, **arguments: Any) -> int:
    """Read an input in pieces as small as network packets."""
    return count(jr.read_batches(Pieces(Path(source).read_bytes(), 1460), **arguments))


def write(make_writer: Callable[[Sink], Any], source: Any, **arguments: Any) -> int:
    sink = Sink()
    with make_writer(sink) as writer:
        for batch in jr.read_batches(source, **arguments):
            writer.write_all(batch)
    return sink.size


TO_N_QUADS = partial(jr.StatementWriter, format="nq")


def write_again(source: Any, format: str, **arguments: Any) -> int:
    options = jr.PatchOptions(rdf_star=True, generalized_statements=True)
    make_writer = TO_N_QUADS if format == "jelly-rdf" else partial(jr.PatchWriter, options=options)
    return write(make_writer, source, format=format, **arguments)


to_text = partial(write, partial(jr.PatchWriter, format="rdf-patch"))
to_xml = partial(write, partial(jr.StatementWriter, format="rdf-xml"))


def append(source: Any, *, format: str, limits: jr.Limits) -> int:
    """Append a patch to a log; check that a refused patch leaves nothing there."""
    with tempfile.TemporaryDirectory() as folder:
        log = jr.PatchLog.create(Path(folder) / "log", limits=limits)
        try:
            return len(log.append(source, format=format).header)
        except jr.JellyError:
            assert list(log.path.rglob("*.jellyp*")) == []
            raise


def log(source: Any, *, format: str, limits: jr.Limits) -> int:
    """Append each patch to a log; verify, squash and read the log."""
    with tempfile.TemporaryDirectory() as folder:
        patches = jr.PatchLog.create(Path(folder) / "log", limits=limits)
        for patch in jr.read_patches(source, format=format, limits=limits):
            patches.append(patch)
        appended = patches.version
        assert patches.verify(deep=True) == []
        patches.squash()
        # The last transaction may have added something that no other one deletes.
        assert len(patches.checkout()) in (1, 3)
        return appended


def apply(source: Any, **arguments: Any) -> int:
    from rdflib import Dataset

    return jr.apply(source, Dataset(), **arguments).operations


def parse(source: Any, *, format: str, limits: jr.Limits) -> int:
    from rdflib import Dataset

    dataset = Dataset()
    where = {"file": source} if hasattr(source, "read") else {"source": source}
    dataset.parse(format=format, limits=limits, **where)
    return len(dataset)


def diff(source: Any, *, canonical: bool = False, **arguments: Any) -> int:
    """Fill two datasets with two thirds of the statements each, a hundred at a time, and compare.

    The measured time includes both steps.
    """
    from rdflib import Dataset

    old, new = Dataset(), Dataset()
    for number, statement in enumerate(jr.read_statements(source, **arguments)):
        for dataset, other in ((old, 0), (new, 1)):
            if number // 100 % 3 != other:
                dataset.add(statement)
    return len(jr.diff(old, new, canonical=canonical))


def read_patches(source: Any, **arguments: Any) -> int:
    return sum(len(patch) for patch in jr.read_patches(source, **arguments))


def inspect(source: Any, **arguments: Any) -> int:
    report = jr.inspect(source, **arguments)
    if report.error is not None:
        raise report.error
    return sum(report.operations.values())


def validate(source: Any, **arguments: Any) -> int:
    found = 0
    for fault in jr.validate(source, **arguments):
        found += 1
        assert len(str(fault)) < 2000
        if fault.rule == "limit":
            raise jr.LimitError(fault.message)
    return found


def index(source: Any, *, format: str, limits: jr.Limits) -> int:
    """Find the parts of a file, and read each part."""
    from jelly_rdflib.streams.index import find_parts, read_part

    is_statements = format == "jelly-rdf"
    parts = find_parts(source, is_statements=is_statements, spacing=1 << 20, limits=limits)
    return sum(
        count(read_part(source, part, is_statements=is_statements, limits=limits)) for part in parts
    )


def verify(path: Any, *, format: str, limits: jr.Limits) -> int:
    """Return the number of problems in a patch log."""
    return len(jr.PatchLog(path, limits=limits).verify(deep=True))


def checkout(path: Any, *, format: str, limits: jr.Limits) -> int:
    return len(jr.PatchLog(path, limits=limits).checkout())


USES: dict[str, Callable[..., int]] = {
    "append": append,
    "apply": apply,
    "batches": lambda source, **arguments: count(jr.read_batches(source, **arguments)),
    "bytes": read_bytes,
    "checkout": checkout,
    "compact": lambda source, **arguments: count(jr.compact(source, **arguments)),
    "concat": lambda source, **arguments: count(jr.concat(source, **arguments)),
    "diff": diff,
    "diff canonical": partial(diff, canonical=True),
    "index": index,
    "inspect": inspect,
    "isolated": lambda source, **arguments: count(
        jr.read_batches(source, isolated=True, **arguments)
    ),
    "invert": lambda source, **arguments: count(jr.invert(source, **arguments)),
    "log": log,
    "operations": lambda source, **arguments: count(jr.read_operations(source, **arguments)),
    "parse": parse,
    "patches": read_patches,
    "pieces": read_in_pieces,
    "rewrite": write_again,
    "text": to_text,
    "validate": validate,
    "verify": verify,
    "xml": to_xml,
}


def peak() -> int:
    """Return the peak memory of this process so far, in bytes."""
    if sys.platform == "linux":
        # ru_maxrss is initially the parent's value.
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        assert found is not None
        return int(found[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT


def run(
    use: str, format: str, path: str, limits: dict[str, int], *, warm: str | None = None
) -> dict[str, Any]:
    import warnings

    warnings.simplefilter("ignore")
    source: Any = sys.stdin.buffer if path == "-" else path
    if warm is not None:
        # Import lazy modules first, since imports are not part of the measured work.
        with contextlib.suppress(jr.JellyError):
            USES[use](warm, format=format, limits=jr.Limits())
    error: Exception | None = None
    result = 0
    start = time.process_time()
    seconds = 0.0
    rounds = 0
    try:
        # Repeat the use until the resolution of the clock doesn't matter.
        while rounds == 0 or (warm is not None and seconds < MIN_SECONDS):
            result = USES[use](source, format=format, limits=jr.Limits(**limits))
            rounds += 1
            seconds = time.process_time() - start
    except jr.JellyError as caught:
        error = caught
        seconds = time.process_time() - start
    return {
        "error": None if error is None else type(error).__name__,
        "message": "" if error is None else str(error),
        "result": result,
        "seconds": seconds / max(rounds, 1),
        "peak": peak(),
        "children": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * PEAK_UNIT,
    }


if __name__ == "__main__":
    if not UNDER_SANITIZERS:
        # AddressSanitizer's shadow memory needs terabytes of address space.
        resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE, MAX_ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    uses, format, path, limits, *rest = sys.argv[1:]
    for use in uses.split(","):
        report = run(use, format, path, json.loads(limits), warm=rest[0] if rest else None)
        print(json.dumps(report), flush=True)
