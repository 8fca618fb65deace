"""Tests that `read_patches` keeps one patch in memory at a time, and closes its input."""

import os
from pathlib import Path

import pytest

import jelly_rdflib as jr
from tests.oracle import build as b

PATCH = [b.begin(), b.commit(), b.punctuation()]
START = [b.options(stream_type=3)]
THREE = b.stream(START + PATCH, PATCH, PATCH)
# The lowest limit that accepts a frame, and the highest limit that refuses it.
ENOUGH, TOO_LITTLE = (jr.Limits(max_held_operations=most) for most in (128, 127))


def test_the_limit_is_for_each_patch() -> None:
    assert [len(patch) for patch in jr.read_patches(THREE, limits=ENOUGH)] == [2, 2, 2]
    with pytest.raises(jr.LimitError, match="more than 127 operations"):
        list(jr.read_patches(THREE, limits=TOO_LITTLE))


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="there is no list of open files")
def test_the_file_of_a_patch_that_is_too_large_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(THREE)
    before = os.listdir("/proc/self/fd")
    patches = jr.read_patches(path, limits=TOO_LITTLE)
    with pytest.raises(jr.LimitError):
        next(patches)
    assert os.listdir("/proc/self/fd") == before
    assert list(patches) == []


def test_nothing_comes_after_it_is_closed() -> None:
    patches = jr.read_patches(b.stream(START + PATCH + PATCH))
    next(patches)
    patches.close()
    assert list(patches) == []


def test_it_tells_the_options() -> None:
    patches = jr.read_patches(THREE)
    assert patches.options is None
    next(patches)
    assert patches.options is not None
    assert patches.options.stream_type is jr.PatchStreamType.PUNCTUATED
