"""Tests logs replaced while they are followed, and incomplete lists, for each transport."""

import shutil
import sqlite3
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from rdflib import Dataset, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from jelly_rdflib.errors import LogConflict, LogError
from jelly_rdflib.live.http import answers, server
from jelly_rdflib.live.http.events import Feed
from jelly_rdflib.log.tables import entry_fields
from tests.live.fault_table import OF_LOGS, Fault, Peer, closer
from tests.live.grpc import support as grpc
from tests.live.http import support as http
from tests.live.patches import patch_of
from tests.log.support import patch_id


@contextmanager
def _folder(path: Path) -> Iterator[str]:
    yield str(path)


TRANSPORTS: dict[str, Any] = {"folder": _folder, "http": http.served, "grpc": grpc.served}
BACKUP, NEWEST = 3, 5


def _log_of(path: Path, values: list[int]) -> jr.PatchLog:
    log = jr.PatchLog(path, create=True)
    for value in values:
        rows = list(patch_of(value))
        # Only this patch is sent twice.
        log.append([(Op.H, "id", patch_id(5)), *rows] if value == 5 else rows)
    return log


def _older(backup: Path) -> None:
    """Keep the log as it is in the backup."""


def _forked(backup: Path) -> None:
    _log_of(backup, [14, 15, 16])


def _forked_to_the_same_version(backup: Path) -> None:
    _log_of(backup, [14, 15])


def _with_a_patch_sent_again(backup: Path) -> None:
    """Append the patch of version 5 as version 4, too."""
    _log_of(backup, [5, 6])


def _other(backup: Path) -> None:
    shutil.rmtree(backup)
    _log_of(backup, [1, 2, 3, 4, 15, 6])


def _empty(backup: Path) -> None:
    shutil.rmtree(backup)
    _log_of(backup, [])


EXCHANGES = [
    _older,
    _forked,
    _forked_to_the_same_version,
    _with_a_patch_sent_again,
    _other,
    _empty,
]


class Exchange:
    """A log of five versions, and a backup of version 3."""

    def __init__(self, folder: Path) -> None:
        self.log, self._backup = folder / "log", folder / "backup"
        _log_of(self.log, [1, 2, 3])
        shutil.copytree(self.log, self._backup)
        _log_of(self.log, [4, 5])

    def restore(self, change: Callable[[Path], None]) -> None:
        """Replace the log with the changed backup."""
        change(self._backup)
        self.log.rename(self.log.with_name("before"))
        self._backup.rename(self.log)


def follow_all(log: Path, transport: str, replica: jr.Replica) -> None:
    """Follow a log up to its newest version."""
    with TRANSPORTS[transport](log) as address, live.connect(address, timeout=30) as source:
        replica.follow(source, progress=closer(source, NEWEST))


@pytest.fixture
def exchange(tmp_path: Path) -> Exchange:
    return Exchange(tmp_path)


@pytest.mark.parametrize("change", EXCHANGES)
@pytest.mark.parametrize("transport", TRANSPORTS)
class TestALogThatIsExchanged:
    def test_a_running_follower_ends(
        self, exchange: Exchange, transport: str, change: Callable[[Path], None], tmp_path: Path
    ) -> None:
        replica = jr.Replica(tmp_path / "replica")
        has_all, errors = threading.Event(), []

        def follow(source: live.Source) -> None:
            def tell(_: jr.Patch) -> None:
                if replica.version == NEWEST or len(replica.dataset) == NEWEST:
                    has_all.set()

            try:
                replica.follow(source, save_every=0, progress=tell)
            except LogError as error:
                errors.append(error)

        with TRANSPORTS[transport](exchange.log) as address, live.connect(address) as source:
            thread = threading.Thread(target=follow, args=[source])
            thread.start()
            assert has_all.wait(20)
            exchange.restore(change)
            thread.join(20)
            is_over = not thread.is_alive()
            source.close()
            thread.join(20)
        assert is_over
        assert len(errors) == 1
        assert len(jr.Replica(tmp_path / "replica").dataset) == NEWEST

    def test_a_follower_does_not_go_on(
        self, exchange: Exchange, transport: str, change: Callable[[Path], None], tmp_path: Path
    ) -> None:
        replica = jr.Replica(tmp_path / "replica")
        follow_all(exchange.log, transport, replica)
        assert replica.version == NEWEST
        exchange.restore(change)
        with pytest.raises(LogError):
            follow_all(exchange.log, transport, replica)
        assert len(jr.Replica(tmp_path / "replica").dataset) == NEWEST

    @pytest.mark.parametrize("start", ["latest", str(NEWEST), str(patch_id(NEWEST))])
    def test_a_follower_from_the_newest_on_ends(
        self, exchange: Exchange, transport: str, change: Callable[[Path], None], start: str
    ) -> None:
        with (
            TRANSPORTS[transport](exchange.log) as address,
            live.connect(address, start=start) as source,
        ):
            exchange.restore(change)
            _log_of(exchange.log, [17, 18, 19])
            with pytest.raises(LogError):
                source.receive(20)


@pytest.mark.parametrize("change", EXCHANGES)
@pytest.mark.parametrize("transport", ["folder", "http"])
def test_a_view_is_refused(
    exchange: Exchange, transport: str, change: Callable[[Path], None]
) -> None:
    with TRANSPORTS[transport](exchange.log) as address:
        log = jr.PatchLog(address)
        exchange.restore(change)
        for work in (log.patches, lambda: log.replay(Dataset()), log.checkout):
            with pytest.raises(LogError):
                work()
        with pytest.raises((LogConflict, LogError)):
            log.append(patch_of(7))


def _update(log: Path, replica: jr.Replica) -> None:
    replica.update(jr.PatchLog(log))


def _follow(log: Path, replica: jr.Replica) -> None:
    follow_all(log, "folder", replica)


@pytest.mark.parametrize("change", EXCHANGES)
@pytest.mark.parametrize("ways", [(_update, _follow), (_follow, _update)])
def test_a_replica_does_not_go_on_in_another_way(
    exchange: Exchange, ways: Any, change: Callable[[Path], None], tmp_path: Path
) -> None:
    replica = jr.Replica(tmp_path / "replica")
    ways[0](exchange.log, replica)
    exchange.restore(change)
    with pytest.raises(LogError):
        ways[1](exchange.log, jr.Replica(replica.path))
    assert len(jr.Replica(replica.path).dataset) == NEWEST


@pytest.mark.parametrize("change", EXCHANGES)
def test_a_position_is_none_in_another_log(
    exchange: Exchange, change: Callable[[Path], None]
) -> None:
    target, position = Dataset(), URIRef("urn:position")
    jr.PatchLog(exchange.log).replay(target, position=position)
    exchange.restore(change)
    with pytest.raises(LogError):
        jr.PatchLog(exchange.log).replay(target, position=position)
    assert len(target) == NEWEST + 1


@pytest.mark.parametrize("change", EXCHANGES)
@pytest.mark.parametrize("transport", ["folder", "http"])
def test_a_checkout_is_not_of_two_logs(
    exchange: Exchange,
    transport: str,
    change: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jr.PatchLog(exchange.log).snapshot(4)
    load = jr.PatchLog._load_snapshot

    def load_and_exchange(*arguments: Any) -> bool:
        is_loaded = load(*arguments)
        exchange.restore(change)
        return is_loaded

    with TRANSPORTS[transport](exchange.log) as address:
        log = jr.PatchLog(address)
        monkeypatch.setattr(jr.PatchLog, "_load_snapshot", load_and_exchange)
        with pytest.raises(LogError):
            log.checkout(NEWEST)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_log_that_is_damaged_ends_a_running_follower(exchange: Exchange, transport: str) -> None:
    with (
        TRANSPORTS[transport](exchange.log) as address,
        live.connect(address, start="latest") as source,
    ):
        assert source.receive(0.1) is None
        with closing(sqlite3.connect(exchange.log / "log.db")) as database:
            # The list lacks version 6.
            database.execute(
                f"INSERT INTO segments SELECT 7, 7, '{patch_id(7)}', id, file, size, digest, time"
                " FROM segments WHERE version = 5"
            )
            database.commit()
        with pytest.raises(LogError):
            source.receive(20)


def test_a_server_refuses_another_log_than_before(exchange: Exchange) -> None:
    with http.served(exchange.log) as address:
        exchange.restore(_other)
        for place in ("/patches", "/", "/patches", "/events"):
            assert httpx2.get(f"{address}{place}").status_code == 500


def test_another_log_without_patches_is_not_the_same(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.path.rename(tmp_path / "before")
    other = jr.PatchLog.create(tmp_path / "log")
    with pytest.raises(LogError, match="was replaced by another log"):
        log.append(patch_of(1))
    assert other.refresh() is None


@contextmanager
def _followed(log: Path, transport: str, tellers: int) -> Iterator[live.Source]:
    """Follow the log in the block; check that `tellers` followers report one outage and its end."""
    with (
        warnings.catch_warnings(record=True) as told,
        TRANSPORTS[transport](log) as address,
        live.connect(address, start="latest") as source,
    ):
        warnings.simplefilter("always")
        yield source
        assert not source.is_connected
        jr.PatchLog(log).append(patch_of(6))
        assert source.receive(20) is not None
        assert source.is_connected
    texts = [str(each.message) for each in told if each.category is jr.ConnectionWarning]
    assert sum(" is lost, at " in text for text in texts) == tellers
    assert sum(" is there again, at " in text for text in texts) == tellers


def _wait_for(is_so: Callable[[], object], source: live.Source) -> None:
    for _ in range(200):
        if is_so():
            return
        assert source.receive(0.1) is None
    raise AssertionError(f"{source.url} does not tell it")


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_a_server_tells_that_its_log_is_gone_and_so_its_followers(
    exchange: Exchange, transport: str
) -> None:
    away = exchange.log.with_name("away")
    with _followed(exchange.log, transport, 2) as source:
        for value in (7, 8):
            # The server waits for the second follower.
            _log_of(exchange.log, [value])
            assert source.receive(20) is not None
        exchange.log.rename(away)
        _wait_for(lambda: not source.is_connected, source)
        away.rename(exchange.log)


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_another_log_is_not_the_one_that_is_there_again(exchange: Exchange, transport: str) -> None:
    with (
        warnings.catch_warnings(record=True) as told,
        TRANSPORTS[transport](exchange.log) as address,
        live.connect(address, start="latest") as source,
    ):
        warnings.simplefilter("always")
        _log_of(exchange.log, [6])
        assert source.receive(20) is not None
        exchange.log.rename(exchange.log.with_name("away"))
        _wait_for(lambda: told, source)
        other = jr.PatchLog.create(exchange.log.with_name("other"))
        other.path.rename(exchange.log)
        with pytest.raises(LogError):
            source.receive(20)
    assert not [each for each in told if " is there again, at " in str(each.message)]


@pytest.mark.parametrize("error", [None, RuntimeError("cut")])
@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_answers_without_anything_are_one_outage(
    exchange: Exchange,
    transport: str,
    error: Exception | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    async def pages(feed: Feed, *_: object) -> AsyncIterator[Any]:
        calls.append(feed)
        if error is not None:
            raise error
        for nothing in ():
            yield nothing

    # The first connection counts as well.
    with monkeypatch.context() as patched:
        patched.setattr(Feed, "pages", pages)
        with _followed(exchange.log, transport, 1) as source:
            _wait_for(lambda: len(calls) > 3, source)
            patched.undo()


@pytest.mark.parametrize("kept", [0, 4])
def test_a_short_answer_is_not_the_whole(
    exchange: Exchange, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = answers.JSONResponse

    def shorten(content: Any, *arguments: Any, **options: Any) -> Any:
        if "patches" in content:
            content = {"patches": content["patches"][:kept], "next": None}
        return answer(content, *arguments, **options)

    with http.served(exchange.log) as address:
        log = jr.PatchLog(address)
        monkeypatch.setattr(answers, "JSONResponse", shorten)
        for work in (log.patches, lambda: log.replay(Dataset()), log.checkout):
            with pytest.raises(LogError):
                work()


def test_another_patch_than_the_one_that_is_asked_for_is_refused(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = jr.PatchLog(exchange.log).patches()
    with http.served(exchange.log) as address:
        log = jr.PatchLog(address)
        monkeypatch.setattr(server, "entry_fields", lambda entry: entry_fields(entries[1]))
        for version in (3, str(entries[2].id)):
            with pytest.raises(LogError):
                log.entry(version)


class LogPeer(Peer):
    """A peer that is a log, in a folder or on a server."""

    def __init__(self, url: str, log: jr.PatchLog) -> None:
        self.url, self._log = url, log

    def delete(self) -> None:
        self._log.refresh()
        self._log.squash()


@pytest.mark.parametrize("server", [None, "http_server", "grpc_server"])
@pytest.mark.parametrize("fault", OF_LOGS)
def test_fault(
    fault: Fault,
    server: str | None,
    log: jr.PatchLog,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    url = f"{request.getfixturevalue(server)}/{log.path.name}" if server else str(log.path)
    fault(LogPeer(url, log), tmp_path)
