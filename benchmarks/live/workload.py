"""The patches to send, and the same patches as bytes for bare clients."""

from __future__ import annotations

import gzip
import random
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import jelly_rdflib as jr
from jelly_rdflib.live.frames import LiveEncoder

from ..data import CACHE
from ..spark_replay.patches import make_patch

__all__ = ["OPTIONS", "bodies", "frames", "operations", "patches", "sizes"]

PATCHES, OPERATIONS = 2_000, 512
# Each patch is one frame.
OPTIONS = jr.PatchOptions(frame_rows=1 << 20)
# This is part of the names of cached files: change it when the code below makes different files.
EDITION = 2


def patches(count: int = PATCHES) -> list[jr.Patch]:
    """Return decoded patches, each of slightly more than 512 operations in one frame.

    After the last patch, the patches start again with the first one.
    """
    return list(islice(cycle(_patches()), count))


@cache
def _patches() -> list[jr.Patch]:
    path = CACHE / f"live-{EDITION}-{PATCHES}-{OPERATIONS}.jellyp"
    if not path.exists():
        _make(path)
    return list(jr.read_patches(path))


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    chance, state = random.Random(1), []  # type: ignore[var-annotated]
    with jr.PatchWriter(path, OPTIONS) as writer:
        for number in range(PATCHES):
            rows = list(make_patch(number, OPERATIONS, state, chance))
            # Headers are omitted, since a log gives each patch its own UUID.
            writer.write_all(row for row in rows if row[0] != jr.Op.H)


def operations(count: int = PATCHES) -> int:
    """Return the total number of operations of the first patches."""
    return sum(map(len, patches(count)))


def frames(restart_every: int, count: int = PATCHES) -> list[bytes]:
    """Return the first patches as the bare frames that a sink sends."""
    encoder = LiveEncoder(OPTIONS, restart_every=restart_every)
    return [frame for patch in patches(count) for frame in encoder.encode(patch)]


def bodies(count: int) -> list[bytes]:
    """Return the first patches as separate files, as a log server accepts them."""
    return [patch.serialize(format="jelly-patch") for patch in patches(count)]


def sizes() -> dict[str, int]:
    """Return the bytes of all patches for each way to send them; gzip applies per message."""
    texts = [patch.serialize(format="rdf-patch") for patch in patches()]
    ways = {
        "Jelly-Patch, a stream of 1,000 frames": frames(1000),
        "Jelly-Patch, each message a stream": frames(1),
        "RDF Patch text": texts,
    }
    sizes = {name: sum(map(len, messages)) for name, messages in ways.items()}
    packed = {
        f"{name}, gzip": sum(len(gzip.compress(message)) for message in messages)
        for name, messages in ways.items()
    }
    return {**sizes, **packed}
