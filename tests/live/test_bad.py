"""Tests the folder of messages that were skipped in a topic."""

import os
from pathlib import Path

import pytest

import jelly_rdflib as jr
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.bad import BadMessages

PLACES = [("a-b", "c", 1), ("a", "b-c", 1), ("a,b", "c", 1), ("a", "b,c", 1), ("a" * 300, "c", 1)]


def test_no_message_takes_the_place_of_another(tmp_path: Path) -> None:
    bad = BadMessages(Address("mqtt://host/t", {"bad": "skip", "bad_to": str(tmp_path / "bad")}))
    for where in [*PLACES, *PLACES]:
        for error, data in [("no patch", b"one"), ("no patch", b"two"), ("second patch", b"two")]:
            with pytest.warns(jr.TopicWarning, match="left out"):
                bad.leave_out(jr.DecodeError(error), "place", where, data)
    found = sorted(path.read_bytes() for path in (tmp_path / "bad").glob("*.bin"))
    assert found == [b"one"] * len(PLACES) + [b"two"] * 2 * len(PLACES)
    reasons = [path.read_text() for path in (tmp_path / "bad").glob("*.txt")]
    assert sum("second patch" in reason for reason in reasons) == len(PLACES)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="which file is synced is not told")
def test_files_are_on_the_disk_and_so_are_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.readlink(f"/proc/self/fd/{fd}")))
    folder = tmp_path / "a" / "bad"
    bad = BadMessages(Address("mqtt://host/t", {"bad": "skip", "bad_to": str(folder)}))
    assert synced == [str(tmp_path), str(folder.parent)]
    with pytest.warns(jr.TopicWarning, match="left out"):
        bad.leave_out(jr.LogError("refused"), "place", ["t"], b"data")
    assert synced[2:] == [*sorted(map(str, folder.iterdir()), reverse=True), str(folder)]
