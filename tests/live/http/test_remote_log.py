"""Tests that a log on a server behaves like a log in a folder, over any network."""

import copy
import hashlib
import json
import pickle
import random
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Literal

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, PatchLog, live
from jelly_rdflib.live.http import events, remote_log, wire
from jelly_rdflib.live.http.access import Right, Tokens
from jelly_rdflib.log.tables import entry_fields
from tests.live.http.support import served
from tests.live.http.test_hostile import OK, answering
from tests.log.support import GRAPH, P, S, add, change, fill, patch_id, state


@pytest.fixture
def path(log: PatchLog) -> Path:
    return log.path


@pytest.fixture
def address(log: PatchLog, http_server: str) -> str:
    return f"{http_server}/{log.path.name}"


# --- the same as in a folder ----------------------------------------------------------------------

VERSIONS = st.one_of(st.none(), st.integers(0, 6), st.integers(1, 6).map(patch_id))
CALLS = st.one_of(
    st.tuples(st.just("append")),
    st.tuples(st.just("append after"), VERSIONS),
    st.tuples(st.just("append elsewhere")),
    st.tuples(st.sampled_from(["entry", "checkout", "snapshot", "read"]), VERSIONS),
    st.tuples(st.sampled_from(["patches", "squash", "replay"]), VERSIONS, VERSIONS),
    st.tuples(st.just("latest"), st.integers(0, 8)),
    st.tuples(st.sampled_from(["refresh", "snapshots", "verify", "follow", "table"])),
)


def call(log: PatchLog, folder: Path, name: str, *arguments: Any) -> Any:
    """Return the result of a call in a form that is the same for a folder and a server."""
    match name, arguments:
        case "append", ():
            entry = log.append([(jr.Op.H, "id", patch_id(log.version + 1)), *change(log.version)])
            return entry.version, entry.id, entry.prev, entry.size, entry.digest
        case "append after", (version,):
            prev = patch_id(version) if isinstance(version, int) else version
            number = PatchLog(folder).version + 1
            return log.append([(jr.Op.H, "id", patch_id(number)), add(number)], prev=prev).version
        case "append elsewhere", ():
            return fill(PatchLog(folder), 1).version
        case "entry", (version,):
            entry = log.entry(version)
            return entry.version, entry.first, entry.id, entry.prev, entry.digest
        case "read", (version,):
            return list(log.entry(version).read()), dict(log.entry(version).header)
        case "checkout", (version,):
            return state(log.checkout(version))
        case "snapshot", (version,):
            return (folder / log.snapshot(version)).parent.name
        case "patches", versions:
            return [entry.id for entry in log.patches(*versions)]
        case "replay", (since, upto):
            target = log.checkout(since)
            return log.replay(target, since=since, upto=upto), state(target)
        case "squash", versions:
            entry = log.squash(*versions)
            return entry.first, entry.version, entry.digest
        case "latest", (count,):
            return [entry.version for entry in log.latest(count)]
        case "refresh", ():
            entry = log.refresh()
            return entry and entry.id
        case "snapshots", ():
            return log.snapshots
        case "verify", ():
            return log.verify(deep=True)
        case "follow", ():
            return [entry.id for entry in log.follow(0, timeout=0)], log.version
        case "table", ():
            return log.to_arrow()
    raise AssertionError(name)


def outcome(log: PatchLog, folder: Path, name: str, *arguments: Any) -> Any:
    """Return the result of a call, or its error."""
    try:
        return call(log, folder, name, *arguments)
    except LogConflict as error:
        return str(error), error.expected, error.head, error.version
    except LogError as error:
        return str(error)


@settings(max_examples=12)
@given(calls=st.lists(CALLS, min_size=3, max_size=20), compression=st.sampled_from([None, "zst"]))
def test_every_method_gives_what_it_gives_for_a_folder(
    folder: Path, http_server: str, calls: list[Any], compression: Any
) -> None:
    paths = [folder / uuid4().hex for _ in range(2)]
    for path in paths:
        PatchLog.create(path, compression=compression)
    here, there = PatchLog(paths[0]), PatchLog(f"{http_server}/{paths[1].name}", timeout=5)
    for each in calls:
        assert outcome(there, paths[1], *each) == outcome(here, paths[0], *each)
        assert here.version == there.version


def segment(number: int) -> bytes:
    place = [(jr.Op.H, "id", patch_id(number)), (jr.Op.H, "prev", patch_id(number - 1))]
    options = jr.PatchOptions.small(stream_type="FLAT")
    return jr.Patch([*place[: min(number, 2)], *change(number)]).serialize(options=options)


SEGMENTS = list(map(segment, range(1, 4)))


def test_a_patch_is_encoded_by_one_side_only(
    log: PatchLog, address: str, works: Counter[str]
) -> None:
    remote = PatchLog(address)
    for data in SEGMENTS[:2]:
        patch = next(jr.read_patches(data))
        works.clear()
        remote.append(patch)
        assert works == {"encoded": 1, "decoded": 1}
    works.clear()
    # Each side reads the bytes once.
    assert remote.append(SEGMENTS[2]).digest == hashlib.sha256(SEGMENTS[2]).hexdigest()
    assert works == {"decoded": 2}
    assert (log.refresh(), log.verify(deep=True)) == (log.head, [])
    assert log.version == 3


def test_the_object_is_a_patch_log(address: str) -> None:
    log = PatchLog(address)
    assert isinstance(log, PatchLog)
    assert log.location == address
    assert repr(log) == f"<PatchLog '{address}': version 0>"
    entry = log.append([])
    assert entry.location == f"{address}/patches/1"
    for each in (log, entry):
        with pytest.raises(LogError, match="no folder here"):
            each.path  # noqa: B018
    assert "version 1" in log._repr_html_()


def test_a_log_is_not_made_on_a_server(address: str) -> None:
    for make in (PatchLog.create, lambda path: PatchLog(path, create=True)):
        with pytest.raises(ValueError, match="a log must be made on the server itself"):
            make(address)


def test_a_token_is_not_for_a_folder(path: Path) -> None:
    with pytest.raises(ValueError, match="a token is only for a server"):
        PatchLog(path, token="a" * 20)


def test_a_patch_that_is_larger_than_memory_is_to_be(address: str, path: Path) -> None:
    """A large patch passes through files on both sides, so memory stays bounded."""
    many = [(jr.Op.A, S, P, Literal(f"{n}" + "x" * 4000), GRAPH) for n in range(400)]
    log = PatchLog(address)
    assert log.append(iter(many)).size > 1 << 20
    assert len(log.checkout()) == 400
    assert list(log.entry().read())[1:] == many
    assert PatchLog(path).verify(deep=True) == []


# --- followers ------------------------------------------------------------------------------------


def test_a_follower_ends_after_its_timeout(address: str) -> None:
    log = fill(PatchLog(address), 2)
    assert list(log.follow(timeout=0)) == []
    start = time.monotonic()
    with warnings.catch_warnings():
        # The server is merely silent, so the connection is not lost.
        warnings.simplefilter("error", jr.ConnectionWarning)
        assert [entry.version for entry in log.follow(1, timeout=0.3)] == [2]
    assert time.monotonic() - start >= 0.3


# --- networks -------------------------------------------------------------------------------------


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with served(PatchLog.create(tmp_path / "log").path) as address:
        log = PatchLog(address, timeout=1)
    with pytest.raises(ConnectionError, match=address):
        PatchLog(address)
    # The patch was not sent, so the log did not change.
    with pytest.raises(ConnectionError, match=address):
        log.append([add(1)])


@pytest.mark.parametrize("path", ["nope", "nope/patches"])
def test_an_address_below_that_of_the_only_log(tmp_path: Path, path: str) -> None:
    with served(PatchLog.create(tmp_path / "log").path) as address:
        what = f"^{address}/{path}: there is no patch log at this address; a server of one log has"
        for opener in (PatchLog, live.connect, live.open_sink):
            with pytest.raises(LogError, match=what):
                opener(f"{address}/{path}")


def test_a_token_that_is_missing_or_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JELLYP_TOKEN", raising=False)
    token = "of-the-server-0001"
    path = PatchLog.create(tmp_path / "log").path
    with served(path, tokens=Tokens({token: Right.READ})) as address:
        missing = "needed: set the environment variable JELLYP_TOKEN, or in Python the argument"
        for opener in (PatchLog, live.connect):
            with pytest.raises(PermissionError, match=missing):
                opener(address)
            with pytest.raises(PermissionError, match=r"this token is not accepted$"):
                opener(address, token="of-somebody-else-1")
            with opener(address, token=token):
                pass
        monkeypatch.setenv("JELLYP_TOKEN", "of-somebody-else-1")
        with pytest.raises(PermissionError, match=r"this token is not accepted$"):
            PatchLog(address)
        monkeypatch.setenv("JELLYP_TOKEN", token)
        assert PatchLog(address).version == 0


CLOSE = b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"id": 1, "compression": null, "snapshots": 3, "head": null}',
        b'{"id": 1, "compression": null, "snapshots": [], "head": {}}',
        b'{"id": 1, "compression": null, "snapshots": [], "head": {"version": "x"}}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_server_of_a_log(body: bytes) -> None:
    with (
        answering(lambda _: iter([OK, CLOSE, body])) as address,
        pytest.raises(LogError, match="is not a patch log"),
    ):
        PatchLog(address)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("401 Unauthorized", PermissionError),
        ("403 Forbidden", PermissionError),
        ("404 Not Found", LogError),
        ("500 Internal Server Error", LogError),
        ("503 Service Unavailable", ConnectionError),
    ],
)
def test_answers_that_are_errors(status: str, error: Any) -> None:
    head = f"HTTP/1.1 {status}\r\n".encode()
    with (
        answering(lambda _: iter([head, CLOSE, b"no"])) as address,
        pytest.raises(error),
    ):
        PatchLog(address)


def test_a_patch_that_comes_damaged(address: str, path: Path, monkeypatch: Any) -> None:
    """The digest of a patch detects bytes that changed in transit."""
    log = fill(PatchLog(address), 1)
    entry = log.entry(1)
    monkeypatch.setattr(remote_log.httpx2.Response, "iter_raw", lambda self: iter([b"damaged"]))
    with pytest.raises(LogError, match="patches/1 is damaged"):
        entry.read()


# --- answers that are lost ------------------------------------------------------------------------


class Lossy(remote_log.LogClient):
    """A client whose first POST reaches the server, but whose response is lost."""

    between: Any = None
    is_done = True

    def post(self, path: str, make: Any, **options: Any) -> Any:
        if type(self).between is None:
            return super().post(path, make, **options)
        if type(self).is_done:
            super().post(path, make, **options)
        between, type(self).between = type(self).between, None
        between()
        raise remote_log.Unanswered("the answer was lost")


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(remote_log, "LogClient", Lossy)
    monkeypatch.setattr(Lossy, "between", None)
    monkeypatch.setattr(Lossy, "is_done", True)
    return Lossy


@pytest.mark.parametrize("is_done", [True, False])
def test_a_patch_whose_answer_is_lost_is_there_once(
    address: str, lossy: Any, is_done: bool
) -> None:
    log = PatchLog(address)
    lossy.between, lossy.is_done = lambda: None, is_done
    assert log.append([add(1)]).version == 1
    assert PatchLog(address).version == 1


def test_a_lost_patch_that_another_was_before_is_a_conflict(
    address: str, path: Path, lossy: Any
) -> None:
    log = PatchLog(address)
    lossy.between, lossy.is_done = lambda: fill(PatchLog(path), 1), False
    with pytest.raises(LogConflict):
        log.append([add(1)])


@pytest.mark.parametrize("more", [0, 2])
def test_a_patch_that_was_squashed_before_its_answer_was_missed(
    address: str, path: Path, lossy: Any, more: int
) -> None:
    log = fill(PatchLog(address), 2)

    def squash() -> None:
        fill(PatchLog(path), more).squash(1, 3 + more)

    lossy.between = squash
    assert log.append([add(3)]).version == 3 + more
    assert PatchLog(path).version == 3 + more


def test_a_server_that_fails_may_have_committed(
    address: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a server error, the client checks whether the patch was committed."""
    from jelly_rdflib.log.history import FolderHistory

    append = FolderHistory.append

    def fail(self: Any, *arguments: Any, **options: Any) -> Any:
        append(self, *arguments, **options)
        raise OSError(5, "it is unknown whether this was committed")

    log = PatchLog(address, timeout=0.5)
    monkeypatch.setattr(FolderHistory, "append", fail)
    assert log.append([add(1)]).version == 1
    monkeypatch.undo()
    assert PatchLog(path).version == 1


def test_a_slow_answer_is_waited_for(
    address: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jelly_rdflib.log.history import FolderHistory

    append = FolderHistory.append

    def slow(self: Any, *arguments: Any, **options: Any) -> Any:
        time.sleep(0.7)
        return append(self, *arguments, **options)

    log = PatchLog(address, timeout=0.5)
    monkeypatch.setattr(FolderHistory, "append", slow)
    assert log.append([add(1)]).version == 1


# --- small things ---------------------------------------------------------------------------------


def test_the_view_of_a_follower_never_goes_back(address: str, path: Path) -> None:
    for place in (address, path):
        log = PatchLog(place)
        first = log.version
        fill(PatchLog(path), 3)
        follower = log.follow(first)
        assert (next(follower).version, log.version) == (first + 1, first + 1)
        log.refresh()
        assert (next(follower).version, log.version) == (first + 2, first + 3)


def test_a_log_of_a_folder_is_copied_and_one_on_a_server_is_not(address: str, path: Path) -> None:
    log = PatchLog(path)
    for made in (copy.copy(log), pickle.loads(pickle.dumps(log))):
        assert (made.version, made.path) == (log.version, log.path)
    with pytest.raises(TypeError, match="open it by its address"):
        copy.copy(PatchLog(address))


def test_a_class_of_the_caller_takes_either(address: str, path: Path) -> None:
    class Own(PatchLog):
        pass

    for place in (path, address):
        assert type(Own(place)) is Own
        assert Own(place).append([]).version == Own(place).version


def test_an_address_has_no_password() -> None:
    with pytest.raises(ValueError, match="give a token") as caught:
        PatchLog("http://ann:secret@localhost")
    assert "secret" not in str(caught.value)


def test_more_patches_than_an_answer_has(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = fill(PatchLog(address), 3)
    monkeypatch.setattr(wire, "MOST_ENTRIES", 1)
    assert [entry.version for entry in log.latest(2)] == [2, 3]


def test_a_damaged_patch_does_not_stop_the_news(address: str, path: Path) -> None:
    local = fill(PatchLog(path), 3)
    local.entry(2).path.write_bytes(b"damaged")
    follower = PatchLog(address).follow(0)
    entries = [next(follower) for _ in range(3)]
    assert [entry.version for entry in entries] == [1, 2, 3]
    with pytest.raises(LogError):
        entries[1].read()


BROKEN_NEWS = [
    {"version": None},
    {"digest": "0"},
    {"inline": None},
    {"inline": -1},
    {"inline": 1 << 30},
    {"event": "gone"},
    {"version": float("inf")},
    {"id": "x" * wire.MAX_LINE},
]


@pytest.mark.parametrize("fields", BROKEN_NEWS, ids=lambda fields: str(fields)[:20])
def test_news_that_is_no_patch(
    address: str, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fill(PatchLog(address), 1)
    follower = PatchLog(address).follow(0)
    assert next(follower).version == 1
    monkeypatch.setattr(events, "entry_fields", lambda entry: entry_fields(entry) | fields)
    fill(log, 1)
    with pytest.raises(LogError, match=r"is not a patch log|must follow|starts at"):
        next(follower)


def test_a_body_that_ends_inside_an_event_is_a_lost_connection(
    address: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body that ends inside an event counts as lost, although a proxy ended it properly."""
    first = fill(PatchLog(path), 3).entry(1)
    line = json.dumps({"event": "patch", "inline": first.size, **entry_fields(first)}) + "\n"
    original = httpx2.Response.iter_raw
    ends = [1, len(line) - 1, len(line), len(line) + 1, len(line) + first.size - 1]

    def cut(response: httpx2.Response) -> Iterator[bytes]:
        left = ends.pop() if ends else 1 << 30
        for part in original(response):
            yield part[:left]
            left -= len(part)
            if left <= 0:
                return

    monkeypatch.setattr(httpx2.Response, "iter_raw", cut)
    follower = PatchLog(address).follow(0)
    assert [next(follower).version for _ in range(3)] == [1, 2, 3]
    assert ends == []


def test_server_sent_events_as_another_client_reads_them(address: str, path: Path) -> None:
    fill(PatchLog(path), 3)
    headers = {"Last-Event-ID": "1", "Accept-Encoding": "gzip"}
    with httpx2.stream("GET", f"{address}/events", headers=headers) as answer:
        assert "content-encoding" not in answer.headers
        found = list(islice(httpx2.EventSource(answer), 2))
    for version, event in zip((2, 3), found, strict=True):
        fields = json.dumps(entry_fields(PatchLog(path).entry(version)))
        assert (event.event, event.id, event.data) == ("patch", str(version), fields)


def test_events_with_patches_as_another_client_reads_them(address: str, path: Path) -> None:
    log = fill(PatchLog(path), 2)
    # This text can't be compressed to 64 KiB.
    long = Literal(random.Random(1).randbytes(70_000).hex())
    log.append([(jr.Op.A, S, P, long, GRAPH)], options=jr.PatchOptions(frame_bytes=1000))
    expected = b""
    for version in (1, 2, 3):
        segment = log.entry(version).path.read_bytes()
        inline = segment if len(segment) <= 1 << 16 else b""
        fields = {"event": "patch", "inline": len(inline), **entry_fields(log.entry(version))}
        expected += json.dumps(fields).encode() + b"\n" + inline
    assert b'"inline": 0' in expected
    headers = {"Accept": "application/x-jelly-patch-events", "Accept-Encoding": "gzip"}
    found = b""
    with httpx2.stream("GET", f"{address}/events?since=0", headers=headers) as answer:
        for part in answer.iter_raw():
            found += part
            if len(found) >= len(expected):
                break
    assert found == expected
