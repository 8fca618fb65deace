"""A patch log with a segment that a stranger made: told by `verify`, refused by all else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
import zstandard

import jelly_rdflib as jr
from jelly_rdflib import PatchLog

from ..log.support import fill
from ..log.test_damage import segment, with_digest
from .attacks import ADD, ATTACKS, MIB, bomb, delimited, patch_head, row
from .support import read_hostile

SEGMENTS: dict[str, Callable[[], Iterable[bytes]]] = {
    "a bomb": partial(bomb, 200 * MIB, "zstd"),
    "small rows": lambda: [
        delimited(patch_head()),
        delimited(row(ADD) * (jr.Limits().max_frame_rows + 1)),
    ],
    "prefixes": lambda: ATTACKS["prefixes in one transaction"].up_to(MIB),
    "headers": lambda: ATTACKS["headers"].up_to(2 * MIB),
}


@pytest.mark.parametrize("name", SEGMENTS)
def test_a_hostile_segment(name: str, tmp_path: Path) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 3)
    path = segment(log, 3)
    data = b"".join(SEGMENTS[name]())
    path.write_bytes(data if name == "a bomb" else zstandard.compress(data))
    with_digest(path)
    reports = read_hostile(["verify", "checkout"], "jelly-patch", log.path)
    assert reports["verify"].result == 1, reports
    assert reports["checkout"].error in ("LogError", "LimitError"), reports
