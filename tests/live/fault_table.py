"""Faults for several transports; after each, no patch may be lost or applied twice."""

import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from rdflib import Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from jelly_rdflib.errors import LogConflict, LogError
from jelly_rdflib.live.frames import LiveEncoder
from jelly_rdflib.live.log import append_from
from jelly_rdflib.log.history import options_for
from tests.live.patches import with_id
from tests.log.support import patch_id

_OPTIONS = jr.PatchOptions(rdf_star=True, generalized_statements=True)


class Peer:
    """A log, or a topic of some transport, in which a test causes faults.

    Attributes:
        url: The address of the log or topic.
        settings: The settings of a source that continues at the stored position.
        silence: The seconds after which a follower assumes that a topic has no more patches.
        exchange: Replaces the topic with an empty one; None for a log.
        delete: Deletes all patches of a topic, or squashes a log.
        send_bad: Sends a message that is not a patch, and returns a pattern for its position as
            shown in errors; not for a log.
    """

    url: str
    settings: dict[str, Any] = {}  # noqa: RUF012
    silence: float | None = None
    exchange: Callable[[], None]
    delete: Callable[[], None]
    send_bad: Callable[[bytes], str]

    def send(self, *patches: jr.Patch) -> None:
        with live.open_sink(self.url, options=_OPTIONS) as sink:
            for patch in patches:
                sink.send(patch)

    def connect(self, **settings: Any) -> live.Source:
        return live.connect(self.url, timeout=self.silence or 30, **self.settings, **settings)


def closer(source: live.Source, count: int) -> Callable[[object], None]:
    """Return a function that closes a source when it is called for the `count`-th time."""
    left = [None] * count

    def call(_: object) -> None:
        left.pop()
        if not left:
            source.close()

    return call


def follow(peer: Peer, replica: jr.Replica, count: int = 0, **settings: Any) -> None:
    """Follow a log for `count` patches, or a topic until no more patches come."""
    with peer.connect(**settings) as source:
        progress = closer(source, count) if count and not peer.silence else None
        replica.follow(source, save_every=0, progress=progress)


def copy(peer: Peer, log: jr.PatchLog, count: int = 0, **settings: Any) -> None:
    """Copy patches to a log; stop at the same point as `follow`."""
    with peer.connect(**settings) as source:
        progress = closer(source, count) if count and not peer.silence else None
        append_from(source, log, progress=progress)


def stored(replica: jr.Replica) -> list[int]:
    """Return the numbers of the patches that a replica has stored in its folder."""
    return sorted(int(quad[2]) for quad in jr.Replica(replica.path).dataset.quads())


def made_anew_under_a_follower(peer: Peer, folder: Path) -> None:
    replica, errors = jr.Replica(folder / "replica"), []
    has_all = threading.Event()

    def run(source: live.Source) -> None:
        def tell(_: jr.Patch) -> None:
            if len(replica.dataset) == 3:
                has_all.set()

        try:
            replica.follow(source, save_every=0, progress=tell)
        except (OSError, LogError) as error:
            errors.append(error)

    with live.connect(peer.url, **peer.settings) as source:
        peer.send(*map(with_id, range(3)))
        thread = threading.Thread(target=run, args=[source])
        thread.start()
        assert has_all.wait(20)
        peer.exchange()
        peer.send(*map(with_id, range(10, 14)))
        thread.join(40)
        is_over = not thread.is_alive()
    thread.join(20)
    assert is_over
    assert len(errors) == 1
    assert stored(replica) == [0, 1, 2]


def made_anew_between_two_runs(peer: Peer, folder: Path) -> None:
    replica = jr.Replica(folder / "replica")
    peer.send(*map(with_id, range(3)))
    follow(peer, replica)
    peer.exchange()
    peer.send(*map(with_id, range(10, 14)))
    for _ in range(2):
        with pytest.raises((OSError, LogError, ValueError)):
            follow(peer, jr.Replica(replica.path))
    assert stored(replica) == [0, 1, 2]


def deleted_under_a_follower(peer: Peer, folder: Path) -> None:
    replica = jr.Replica(folder / "replica")
    peer.send(*map(with_id, range(3)))
    follow(peer, replica, 3)
    peer.send(*map(with_id, range(3, 40)))
    peer.delete()
    peer.send(with_id(40))
    with pytest.raises((OSError, LogError)):
        follow(peer, replica)
    # The stored patches are contiguous.
    found = stored(replica)
    assert found == list(range(len(found)))
    assert 3 <= len(found) < 40


def a_new_copy_of_what_has_deleted(peer: Peer, folder: Path) -> None:
    peer.send(*map(with_id, range(3)))
    peer.delete()
    peer.send(*map(with_id, range(3, 6)))
    for _ in range(2):
        with pytest.raises(ConnectionError, match="deleted=skip"):
            follow(peer, jr.Replica(folder / "replica"))
    assert stored(jr.Replica(folder / "replica")) == []
    follow(peer, jr.Replica(folder / "other"), deleted="skip")
    assert stored(jr.Replica(folder / "other")) == [3, 4, 5]


def _frame(**options: Any) -> bytes:
    return bytes(LiveEncoder(jr.PatchOptions(**options)).encode(with_id(99))[0])


JUNK = {
    "garbage": b"\xff\xfe garbage",
    "a cut frame": _frame()[:-3],
    "no options": _frame()[30:],
    "empty options": b"\x0a\x02\x0a\x00",
    # The message is a frame without a length prefix.
    "statements": Graph()
    .add((URIRef("urn:s"),) * 3)
    .serialize(format="jelly", encoding="utf-8")[1:],
    "huge lookups": _frame(max_name_table_size=1 << 20),
}


def a_bad_message_is_an_error(peer: Peer, folder: Path) -> None:
    replica = jr.Replica(folder / "replica")
    peer.send(with_id(0))
    place = peer.send_bad(JUNK["garbage"])
    peer.send(with_id(1))
    for _ in range(2):
        with pytest.raises(jr.DecodeError, match=place):
            follow(peer, replica)
    assert stored(replica) == [0]
    with pytest.raises(ValueError, match="bad=skip"):
        live.connect(peer.url, bad_to=str(folder / "bad"))


def bad_messages_are_left_out(peer: Peer, folder: Path) -> None:
    replica, places = jr.Replica(folder / "replica"), []
    for number, junk in enumerate(JUNK.values()):
        peer.send(with_id(number))
        places.append(peer.send_bad(junk))

    def told() -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            follow(peer, replica, bad="skip", bad_to=str(folder / "bad"))
        return [str(each.message) for each in caught if each.category is jr.TopicWarning]

    for place, text in zip(places, told(), strict=True):
        assert re.search(place, text)
    assert stored(replica) == list(range(len(JUNK)))
    kept = {path.stem: path.read_bytes() for path in (folder / "bad").glob("*.bin")}
    assert sorted(kept.values()) == sorted(JUNK.values())
    assert {path.stem for path in (folder / "bad").glob("*.txt")} == {*kept}
    # The last patch may be received again until another patch follows it.
    peer.send(with_id(len(JUNK)))
    assert len(told()) <= 1
    assert told() == []
    assert stored(replica) == list(range(len(JUNK) + 1))
    assert len(list((folder / "bad").iterdir())) == 2 * len(JUNK)


def a_patch_that_comes_twice(peer: Peer, folder: Path) -> None:
    log = jr.PatchLog.create(folder / "copy")
    for number in range(3):
        # Two sinks send the patch, which a log accepts only once.
        peer.send(with_id(number))
        peer.send(with_id(number))
    copy(peer, log, 3)
    assert [entry.id for entry in log.patches()] == [patch_id(number) for number in range(3)]


def all_that_a_log_can_take(peer: Peer, folder: Path) -> None:
    log, term = jr.PatchLog.create(folder / "copy"), jr.TripleTerm(*[URIRef("urn:a")] * 3)
    row = Op.A, URIRef("urn:s"), URIRef("urn:p"), term, None
    rows = [row, (Op.A, Literal("s"), *row[2:]), (Op.A, Literal("s"), *row[1:3], None)]
    peer.send(*(jr.Patch([*with_id(number), row]) for number, row in enumerate(rows)))
    # A log that follows a source adds this header, so a copied patch already has it.
    peer.send(jr.Patch([(Op.H, "Live-Position", Literal("x")), *with_id(3)]))
    copy(peer, log, 4)
    if peer.silence:
        # All patches of the topic are received again.
        copy(peer, log)
    assert [list(entry.read())[-1] for entry in log.patches()] == [*rows, (Op.TC,)]
    options = [options_for([entry]) for entry in log.patches()]
    allowed = [(each.rdf_star, each.generalized_statements) for each in options]
    assert allowed == [(True, False), (True, True), (False, True), (False, False)]


def what_a_log_refuses(peer: Peer, folder: Path) -> None:
    log = jr.PatchLog.create(folder / "copy")
    peer.send(with_id(0))
    refused = {
        '"5" can\'t be the id': [(Op.H, "id", Literal("5"))],
        "<urn:x> can't be the id": [(Op.H, "prev", URIRef("urn:x"))],
        "is to follow <": [(Op.H, "prev", patch_id(77))],
        "more than one header id": [(Op.H, "id", patch_id(7))] * 2,
    }
    for headers in refused.values():
        peer.send(jr.Patch([*headers, (Op.TX,), (Op.TC,)]))
    for _ in range(2):
        with pytest.raises(LogError, match=rf"{peer.url}: .*can't be the id"):
            copy(peer, log)
        assert log.version == 1
    settings = {"bad": "skip", "bad_to": str(folder / "bad")}
    for version in (1, 2, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            copy(peer, log, **settings)
        told = [str(each.message) for each in caught if each.category is jr.TopicWarning]
        for reason, text in zip(refused, told, strict=bool(told)):
            assert re.search(rf"{peer.url}: .*{reason}", text)
        assert log.version == version
        assert len(list((folder / "bad").iterdir())) == 2 * len(refused)
        if version == 1:
            peer.send(with_id(1))
    assert told == []


def a_log_that_has_it_already(peer: Peer, folder: Path) -> None:
    log = jr.PatchLog.create(folder / "copy")
    # Another process with the same source sends the patch; this process does not know.
    other = jr.PatchLog(log.path)
    for number in range(3):
        other.append(with_id(number))
        peer.send(with_id(number))
    peer.send(with_id(3))
    copy(peer, log, 1)
    assert [entry.id for entry in log.patches()] == [patch_id(number) for number in range(4)]


def two_followers_in_one_folder(peer: Peer, folder: Path) -> None:
    one, two = (jr.Replica(folder / "replica") for _ in range(2))
    peer.send(*map(with_id, range(3)))
    follow(peer, one, 3)
    peer.send(with_id(3))
    with live.connect(peer.url, **peer.settings) as source:
        start, kept = source.position, []
        source.acknowledge = lambda: kept.append(source.position)  # type: ignore[method-assign]
        with pytest.raises(LogConflict, match="only one can follow"):
            two.follow(source, save_every=0)
    assert {*kept} <= {start}
    assert two.version == len(two.dataset) == jr.Replica(one.path).version == 3
    follow(peer, two, 1)
    assert stored(two) == [0, 1, 2, 3]


def half_of_a_patch(peer: Peer, folder: Path) -> None:
    replica, term = jr.Replica(folder / "replica"), jr.TripleTerm(*[URIRef("urn:a")] * 3)
    peer.send(with_id(0))
    follow(peer, replica, 1)
    quoted = (Op.A, URIRef("urn:s"), URIRef("urn:p"), term, None)
    peer.send(jr.Patch([*with_id(1), (Op.TX,), quoted, (Op.TC,)]))
    for _ in range(2):
        with pytest.raises(jr.ApplyError):
            follow(peer, replica)
        assert stored(replica) == [0]
        assert (replica.version, len(replica.dataset)) == (1, 1)


Fault: TypeAlias = Callable[[Peer, Path], None]

OF_LOGS: list[Fault] = [
    deleted_under_a_follower,
    a_patch_that_comes_twice,
    a_log_that_has_it_already,
    all_that_a_log_can_take,
    two_followers_in_one_folder,
    half_of_a_patch,
]
OF_TOPICS: list[Fault] = [
    *OF_LOGS,
    made_anew_under_a_follower,
    made_anew_between_two_runs,
    a_new_copy_of_what_has_deleted,
    a_bad_message_is_an_error,
    bad_messages_are_left_out,
    what_a_log_refuses,
]
