"""Tests the responses of a log server, and what it must not reveal."""

import asyncio
import gzip
import os
import re
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, aclosing, closing
from pathlib import Path
from typing import Any

import pytest
import zstandard
from fastapi import HTTPException, Request
from prometheus_client import Counter
from rdflib import Dataset, URIRef
from starlette.testclient import TestClient

import jelly_rdflib as jr
from jelly_rdflib import PatchLog, live
from jelly_rdflib.live.http import appending, wire
from jelly_rdflib.live.http.access import Right, Tokens
from jelly_rdflib.live.http.answers import CHANGES, Bodies
from jelly_rdflib.live.http.server import LogServer
from jelly_rdflib.log.versions import point_of
from tests.live.certificate import make_certificate
from tests.live.http.support import Client, Program
from tests.log import support
from tests.log.support import change, fill

JELLYP, RDFP, RDFPB = (
    "application/x-jelly-rdf-patch",
    "application/rdf-patch",
    "application/rdf-patch+thrift",
)
READ, APPEND, MANAGE = "r" * 20, "a" * 20, "m" * 20


@pytest.fixture
def log(request: pytest.FixtureRequest, tmp_path: Path) -> PatchLog:
    compression = getattr(request, "param", None)
    return fill(PatchLog.create(tmp_path / "log", compression=compression), 3)


# For tests that depend on whether the files of a log are compressed.
both = pytest.mark.parametrize("log", [None, "zst"], ids=["plain", "zstd"], indirect=True)


def patch_id(number: int) -> str:
    """Return the id of a patch as it appears in JSON and headers."""
    return str(support.patch_id(number))


def client(log: PatchLog, **options: Any) -> TestClient:
    return Client(LogServer(log.path, **options).app)


@pytest.fixture
def http(log: PatchLog) -> TestClient:
    return client(log)


def text(number: int, **headers: str) -> bytes:
    named: list[Any] = [(jr.Op.H, key, URIRef(value)) for key, value in headers.items()]
    patch = [*named, *change(number)]
    return jr.Patch(patch).serialize(format="rdf-patch")


# --- reading --------------------------------------------------------------------------------------


def test_the_log(http: TestClient, log: PatchLog) -> None:
    log.snapshot(2)
    answer = http.get("/")
    found = answer.json()
    assert answer.headers["etag"].startswith(f'"{patch_id(3)};')
    assert (found["id"], found["version"]) == (log.log_id, 3)
    assert found["head"]["id"] == patch_id(3)
    assert [each["version"] for each in found["snapshots"]] == [2]


@both
@pytest.mark.parametrize(
    ("media_type", "version"),
    [(JELLYP, "2"), (RDFP, patch_id(2)), (RDFPB, f"urn:{patch_id(2)}")],
)
def test_a_patch_in_each_format(
    http: TestClient, log: PatchLog, media_type: str, version: str
) -> None:
    answer = http.get(f"/patches/{version}", headers={"Accept": media_type})
    assert answer.headers["content-type"].partition(";")[0] == media_type
    (patch,) = jr.read_patches(answer.content, format=media_type)  # type: ignore[arg-type]
    # RDF Patch does not name the default graph.
    assert patch.serialize(format="rdf-patch") == log.entry(2).read().serialize(format="rdf-patch")


@both
@pytest.mark.parametrize("coding", ["zstd", "gzip", "identity"])
def test_a_patch_in_each_coding(http: TestClient, log: PatchLog, coding: str) -> None:
    with http.stream("GET", "/patches/2", headers={"Accept-Encoding": coding}) as answer:
        body = b"".join(answer.iter_raw())
    is_stored = log.compression is not None and coding == "zstd"
    is_zipped = log.compression is not None and coding == "gzip"
    expected = "zstd" if is_stored else "gzip" if is_zipped else None
    assert answer.headers.get("content-encoding") == expected
    if is_zipped:
        body = gzip.decompress(body)
    stored = log.entry(2).path.read_bytes()
    plain = (
        zstandard.ZstdDecompressor().decompressobj().decompress(stored)
        if log.compression
        else stored
    )
    assert body == (stored if is_stored else plain)
    assert "Accept-Encoding" in answer.headers["vary"]


@both
def test_a_range_as_one_stream(http: TestClient, log: PatchLog) -> None:
    headers = {"Accept": JELLYP}
    answer = http.get("/patches", params={"since": 1}, headers=headers)
    expected = [entry.read() for entry in log.patches(1)]
    assert list(jr.read_patches(answer.content)) == expected
    answer = http.get("/patches", params={"most": 1}, headers=headers)
    assert list(jr.read_patches(answer.content)) == [log.entry(1).read()]
    assert answer.headers["link"] == '<?since=1&upto=3&most=1>; rel="next"'


def test_a_list_page_by_page(http: TestClient, log: PatchLog) -> None:
    answer = http.get("/patches", params={"most": 2}).json()
    assert [each["version"] for each in answer["patches"]] == [1, 2]
    assert answer["next"] == 2
    answer = http.get("/patches", params={"most": 2, "since": 2}).json()
    assert ([each["id"] for each in answer["patches"]], answer["next"]) == ([patch_id(3)], None)
    answer = http.get("/patches", params={"last": 2}).json()
    assert [each["version"] for each in answer["patches"]] == [2, 3]


@both
def test_a_snapshot(http: TestClient, log: PatchLog) -> None:
    assert http.get("/snapshots/2").status_code == 404
    log.snapshot(2)
    answer = http.get("/snapshots/2")
    data = Dataset().parse(data=answer.content, format="jelly-rdf")
    assert set(data.quads()) == set(log.checkout(2).quads())


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/patches/4", 404),
        ("/patches/0", 404),
        (f"/patches/{patch_id(9)}", 404),
        ("/patches/99999999999999999999999999", 404),
        ("/patches/x", 400),
        (f"/patches/{'9' * 5000}", 422),
        ("/patches?since=2&upto=x", 400),
        ("/patches?since=9", 404),
        ("/patches?most=0", 422),
        ("/snapshots/x", 422),
        ("/events?since=9", 404),
        ("/nothing", 404),
    ],
)
def test_what_there_is_not(http: TestClient, path: str, status: int) -> None:
    answer = http.get(path)
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_a_format_that_there_is_not(http: TestClient) -> None:
    for path in ("/patches", "/patches/1"):
        assert http.get(path, headers={"Accept": "text/html"}).status_code == 406


# --- appending ------------------------------------------------------------------------------------


@pytest.mark.parametrize("match", ['"{head}"', 'W/"x", "{head}"', "*", None])
def test_a_patch_is_appended(http: TestClient, log: PatchLog, match: str | None) -> None:
    headers = {"Content-Type": f"{RDFP}; charset=utf-8"}
    if match is not None:
        headers["If-Match"] = match.format(head=patch_id(3))
    named = {} if match is not None else {"prev": patch_id(3)}
    answer = http.post("/patches", content=text(4, id=patch_id(4), **named), headers=headers)
    assert answer.status_code == 201
    assert answer.json()["id"] == patch_id(4)
    assert answer.headers["etag"] == f'"{patch_id(4)}"'
    assert answer.headers["location"] == "patches/4"
    log.refresh()
    stored = log.entry(4).read().serialize(format="rdf-patch")
    assert stored.endswith(text(4))


@pytest.mark.parametrize(
    "match",
    [
        f'"{patch_id(2)}"',
        '"empty"',
        f'"{patch_id(8)}"',
        f'W/"{patch_id(3)}"',
        f'"{patch_id(1)}", W/"{patch_id(3)}"',
    ],
)
def test_of_a_conflict_the_newest_patch_is_told(
    http: TestClient, log: PatchLog, match: str
) -> None:
    headers = {"If-Match": match, "Content-Type": RDFP}
    answer = http.post("/patches", content=text(4), headers=headers)
    assert answer.status_code == 412
    assert answer.headers["etag"] == f'"{patch_id(3)}"'
    assert (answer.json()["head"], answer.json()["version"]) == (patch_id(3), 3)
    log.refresh()
    assert log.version == 3


def test_any_patch_may_be_followed_also_one_that_comes_meanwhile(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, late = appending._expected, [4, 5]

    def race(*arguments: Any) -> Any:
        found = expected(*arguments)
        if late:
            log.append(change(late.pop(0)))
        return found

    monkeypatch.setattr(appending, "_expected", race)
    headers = {"If-Match": "*", "Content-Type": RDFP}
    answer = client(log).post("/patches", content=text(6), headers=headers)
    assert (answer.status_code, answer.json()["version"]) == (201, 6)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (text(4), {}, 428),
        (b"", {"If-Match": "*", "Content-Type": JELLYP}, 400),
        (b"no patch", {"If-Match": "*"}, 400),
        (text(4), {"If-Match": "*", "Content-Type": ""}, 415),
        (text(4), {"If-Match": patch_id(3)}, 400),
        (b"\x0a\xff\xff\xff\xff\x0f", {"If-Match": "*"}, 400),
        (text(4), {"If-Match": "*", "Content-Type": "text/html"}, 415),
        (text(4) + b"Z .\n" + text(5), {"If-Match": "*"}, 400),
        (b"TX .", {"If-Match": "*"}, 400),
        (text(4, id=patch_id(2)), {"If-Match": "*"}, 412),
        (b"H id <urn:x> .\n", {"If-Match": "*"}, 400),
        (text(4), {"If-Match": "x"}, 400),
        (text(4), {"If-Match": f'"{patch_id(3)}", "x"'}, 400),
        (text(4, prev=patch_id(2)), {"If-Match": f'"{patch_id(3)}"'}, 400),
        (b"#" + b"x" * 2000, {"If-Match": "*"}, 413),
    ],
)
def test_what_is_not_appended(
    log: PatchLog, body: bytes, headers: dict[str, str], status: int
) -> None:
    http = client(log, max_body=1000)
    headers = {"Content-Type": RDFP if body.isascii() else JELLYP, **headers}
    answer = http.post("/patches", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.json()["detail"]
    log.refresh()
    assert (log.version, log.verify()) == (3, [])


def test_what_asks_for_more_than_the_limits(log: PatchLog) -> None:
    http = client(log, limits=jr.Limits(max_name_table_size=100))
    body = jr.Patch(change(4)).serialize(format="jelly-patch")
    headers = {"If-Match": "*", "Content-Type": JELLYP}
    answer = http.post("/patches", content=body, headers=headers)
    assert answer.status_code == 413
    assert "max_name_table_size" in answer.json()["detail"]


def test_a_body_that_says_how_large_it_is_is_refused_at_once(log: PatchLog) -> None:
    def never() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    headers = {"If-Match": "*", "Content-Type": RDFP, "Content-Length": "99000000000"}
    answer = client(log).post("/patches", content=never(), headers=headers)
    assert answer.status_code == 413


SITES = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://[x"},
    {"Sec-Fetch-Site": "cross-site"},
]


def test_a_page_of_another_site_changes_nothing(http: TestClient, log: PatchLog) -> None:
    for path in ("/squash?first=1&last=3", "/snapshots?version=1", "/patches"):
        for headers in SITES:
            answer = http.post(path, content=text(4), headers={"Content-Type": RDFP, **headers})
            assert answer.status_code == 403
    assert (log.refresh(), log.version, log.snapshots) == (log.head, 3, [])
    assert [http.get("/", headers=headers).status_code for headers in SITES] == [200] * len(SITES)
    own = {"Content-Type": RDFP, "If-Match": "*", "Origin": "http://localhost"}
    assert http.post("/patches", content=text(4), headers=own).is_success


def test_another_host_name_is_refused_without_tokens(log: PatchLog) -> None:
    """Without tokens, the server refuses a foreign host name, to prevent DNS rebinding."""
    headers = {"Host": "evil.example"}
    assert client(log).get("/", headers=headers).status_code == 403
    assert client(log, is_open=True).get("/", headers=headers).status_code == 200
    for host in ("localhost:80", "127.0.0.1", "[::1]:8080"):
        assert client(log).get("/", headers={"Host": host}).status_code == 200


READABLE = ["/", "/patches", "/patches/2", "/snapshots/2", "/docs", "/openapi.json", "/events"]


@both
@pytest.mark.parametrize("coding", ["zstd", "gzip"])
def test_head_answers_as_get_without_the_body(log: PatchLog, coding: str) -> None:
    log.snapshot(2)
    server = LogServer(log.path)
    server.followers.is_ending = lambda: True
    http = Client(server.app)
    headers = {"Accept-Encoding": coding}
    for path in READABLE:
        got, told = http.get(path, headers=headers), http.head(path, headers=headers)
        assert (told.status_code, told.headers, told.content) == (200, got.headers, b"")
    assert http.head("/patches/9").status_code == 404


@both
@pytest.mark.parametrize("accept", [None, JELLYP, RDFP, "application/json"])
@pytest.mark.parametrize("path", READABLE[:4])
def test_what_has_not_changed_is_not_sent_again(
    log: PatchLog, path: str, accept: str | None
) -> None:
    log.snapshot(2)
    http = client(log)
    headers = {} if accept is None or path in ("/", "/snapshots/2") else {"Accept": accept}
    first = http.get(path, headers=headers)
    for match in (first.headers["etag"], f'"x", {first.headers["etag"]}', "*"):
        answer = http.get(path, headers={**headers, "If-None-Match": match})
        assert (answer.status_code, answer.content) == (304, b"")
        for name in ("etag", "cache-control", "vary"):
            assert answer.headers.get(name) == first.headers.get(name)
    assert http.get(path, headers={**headers, "If-None-Match": '"x"'}).status_code == 200
    # A new snapshot also changes the description.
    log.snapshot(1)
    log.squash(2, 3)
    answer = http.get(path, headers={**headers, "If-None-Match": first.headers["etag"]})
    assert answer.status_code == (404 if path.endswith("2") else 200)


def test_a_strong_etag_is_that_of_one_coding_and_names_the_newest_patch(tmp_path: Path) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 10)
    for version in range(1, 11):
        log.snapshot(version)
    http = client(log)
    plain, zipped = (http.get("/", headers={"Accept-Encoding": each}) for each in ("", "gzip"))
    assert zipped.headers["content-encoding"] == "gzip"
    assert plain.headers["etag"] != zipped.headers["etag"]
    headers = {"If-Match": zipped.headers["etag"], "Content-Type": RDFP}
    assert http.post("/patches", content=text(11), headers=headers).status_code == 201
    headers = {"If-Match": plain.headers["etag"], "Content-Type": RDFP}
    assert http.post("/patches", content=text(11), headers=headers).status_code == 412


@pytest.mark.parametrize("has_tokens", [False, True])
def test_only_what_never_changes_is_kept_by_caches(log: PatchLog, has_tokens: bool) -> None:
    log.snapshot(2)
    http = client(log, tokens=Tokens({READ: Right.READ}) if has_tokens else None)
    http.headers["Authorization"] = f"Bearer {READ}"
    kind = "private" if has_tokens else "public"
    found = http.get("/").json()["snapshots"][0]["digest"]
    for path, digest in (("/patches/2", log.entry(2).digest), ("/snapshots/2", found)):
        answer = http.get(path, params={"digest": digest})
        assert answer.headers["cache-control"] == f"{kind}, max-age=31536000, immutable"
        assert ("Authorization" in answer.headers["vary"]) == has_tokens
        assert http.get(path).headers["cache-control"] == f"{kind}, no-cache"
        missing = http.get(path, params={"digest": "0" * 64})
        assert (missing.status_code, missing.headers["cache-control"]) == (404, f"{kind}, no-cache")
    assert http.get("/patches/1").headers.get("accept-ranges") is None
    assert http.get("/patches/1", headers={"Range": "bytes=0-1"}).status_code == 200


@pytest.mark.parametrize(
    ("match", "status"),
    [('"x"', 201), (f'"{patch_id(2)}"', 201), (f'W/"{patch_id(3)};x"', 412), ("*", 412)],
)
def test_a_patch_is_not_appended_after_one_that_is_refused(
    http: TestClient, match: str, status: int
) -> None:
    headers = {"If-Match": "*", "If-None-Match": match, "Content-Type": RDFP}
    assert http.post("/patches", content=text(4), headers=headers).status_code == status


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/patches", "GET, HEAD, POST"),
        ("GET", "/squash", "POST"),
        ("HEAD", "/squash", "POST"),
    ],
)
def test_a_method_that_there_is_not(http: TestClient, method: str, path: str, allowed: str) -> None:
    answer = http.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_of_types_and_codings_that_are_not_taken_the_others_are_told(http: TestClient) -> None:
    answer = http.post("/patches", headers={"Content-Type": "text/html", "If-Match": "*"})
    assert (answer.status_code, answer.headers["accept"]) == (415, ", ".join(CHANGES))
    headers = {"Content-Type": RDFP, "If-Match": "*", "Content-Encoding": "gzip"}
    answer = http.post("/patches", content=gzip.compress(text(4)), headers=headers)
    assert (answer.status_code, answer.headers["accept-encoding"]) == (415, "identity")


def test_the_page_of_the_interface_loads_nothing_from_other_hosts(http: TestClient) -> None:
    page = http.get("/docs").text
    places = re.findall(r"""(?:src|href|url)(?:=|: )["']([^"']+)""", page)
    assert len(places) == 4
    for place in places:
        assert http.get(f"/{place}").status_code == 200
    assert '"validatorUrl": null' in page


def test_of_what_breaks_no_path_and_no_trace_is_told(
    log: PatchLog, caplog: pytest.LogCaptureFixture
) -> None:
    http = client(log)
    log.entry(2).path.write_bytes(b"damaged")
    answer = http.get("/patches/2")
    assert answer.status_code == 500
    assert answer.json() == {"detail": "the server can't do that now: see its standard error"}
    assert "is damaged" in caplog.text
    answer = http.get("/problems")
    assert len(answer.json()["problems"]) == 1
    os.rename(log.path / "log.db", log.path / "gone.db")
    for path in ("/", "/patches", "/problems"):
        answer = http.get(path)
        assert answer.status_code == (500 if path == "/problems" else 503)
        assert str(log.path) not in answer.text
        assert "Traceback" not in answer.text
    assert not re.search(r"/(tmp|dev)/", answer.text)


# --- tokens and rates -----------------------------------------------------------------------------

REQUESTS = [
    ("GET", "/", Right.READ),
    ("GET", "/patches", Right.READ),
    ("GET", "/patches/1", Right.READ),
    ("GET", "/snapshots/1", Right.READ),
    ("GET", "/events?since=9", Right.READ),
    ("POST", "/patches", Right.APPEND),
    ("GET", "/problems", Right.MANAGE),
    ("POST", "/snapshots?version=1", Right.MANAGE),
    ("POST", "/squash?first=1&last=2", Right.MANAGE),
    ("GET", "/metrics", Right.READ),
]
# These paths reveal nothing about a log.
FOR_ALL = {("GET", "/health"), ("GET", "/ready")}


@pytest.mark.parametrize(("method", "path", "right"), REQUESTS)
def test_each_request_takes_its_right(log: PatchLog, method: str, path: str, right: Right) -> None:
    tokens = Tokens({READ: Right.READ, APPEND: Right.APPEND, MANAGE: Right.MANAGE})
    http = client(log, tokens=tokens)
    for token, has in (
        (None, 0),
        ("x" * 20, 0),
        ("\u00e9", 0),
        (READ, 1),
        (APPEND, 2),
        (MANAGE, 3),
    ):
        headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
        answer = http.request(method, path, headers=headers)  # type: ignore[arg-type]
        if not has:
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        else:
            assert (answer.status_code == 403) == (has < right), answer.text


def test_every_path_takes_a_right(log: PatchLog) -> None:
    """The list above includes every path of the application."""
    paths = client(log).get("/openapi.json").json()["paths"]
    found = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert (
        found
        == {
            (method, re.sub(r"/1$", "/{version}", path.partition("?")[0]))
            for method, path, _ in REQUESTS
        }
        | FOR_ALL
    )


def test_a_client_that_asks_too_often(log: PatchLog) -> None:
    http = client(log, rate="3/minute")
    answers = [http.get("/") for _ in range(5)]
    assert [each.status_code for each in answers] == [200, 200, 200, 429, 429]
    assert answers[-1].headers["retry-after"] == "1"


def test_one_host_is_half_of_the_followers(log: PatchLog) -> None:
    server = LogServer(log.path, max_followers=4)
    feed, check_room = server.logs.find(None).feed, server.followers.check_room

    async def follow() -> None:
        followers: list[Any] = []
        for host, other in (("one", "one"), ("one", "two"), ("two", "two"), ("two", "three")):
            check_room(host)
            check_room(other)
            followers.append(feed.follow(point_of(log.entry(2)), host, wire.EVENTS))
            assert b"id: 3" in await anext(followers[-1])
            if len(followers) in (2, 4):
                with pytest.raises(HTTPException, match="too many followers"):
                    check_room(host)
        for each in followers:
            await each.aclose()
        check_room("one")

    asyncio.run(follow())


def test_followers_that_wait_share_one_look_at_the_log(log: PatchLog) -> None:
    feed = LogServer(log.path).logs.find(None).feed

    async def follow() -> None:
        pages = [feed.pages(point_of(log.entry(3)), "one") for _ in range(5)]
        waiting = [asyncio.ensure_future(anext(each)) for each in pages]
        await asyncio.sleep(0.1)
        # Each follower would call this function if they did not share one look at the log.
        feed._after = lambda since: pytest.fail("a follower asks the log")  # type: ignore[method-assign]
        log.append(change(4))
        feed.look()
        assert [[entry.version for entry in await each] for each in waiting] == [[4]] * 5
        for each in pages:
            await each.aclose()

    asyncio.run(follow())


@pytest.mark.parametrize("damage", ["squash", "row"])
def test_what_is_squashed_or_damaged_holds_no_later_patch_back(log: PatchLog, damage: str) -> None:
    feed = LogServer(log.path).logs.find(None).feed

    async def run() -> None:
        async with aclosing(feed.pages(point_of(log.entry(3)), "one")) as pages:
            waiting = asyncio.ensure_future(anext(pages))
            await asyncio.sleep(0.1)
            log.append(change(4))
            assert [entry.version for entry in await waiting] == [4]
        log.append(change(5))
        if damage == "squash":
            log.squash(4, 5)
        else:
            with closing(sqlite3.connect(log.path / "log.db")) as database:
                database.execute("UPDATE segments SET time = 'x' WHERE version = 2")
                database.commit()
        log.append(change(6))
        async with aclosing(feed.pages(point_of(log.entry(6)), "one")) as pages:
            waiting = asyncio.ensure_future(anext(pages))
            await asyncio.sleep(0.1)
            log.append(change(7))
            # The page arrives well before the heartbeat.
            page = await asyncio.wait_for(waiting, 5)
            assert [entry.version for entry in page] == [7]

    asyncio.run(run())


def test_a_new_follower_gets_no_patch_that_was_squashed_before(log: PatchLog) -> None:
    feed = LogServer(log.path).logs.find(None).feed

    async def follow(*changes: int) -> list[tuple[int, int]]:
        async with aclosing(feed.pages(point_of(log.entry(3)), "one")) as pages:
            waiting = asyncio.ensure_future(anext(pages))
            for number in changes:
                await asyncio.sleep(0.1)
                log.append(change(number))
            return [(entry.first, entry.version) for entry in await waiting]

    async def run() -> None:
        assert await follow(4) == [(4, 4)]
        await asyncio.sleep(0.1)
        log.append(change(5))
        log.squash(4, 5)
        assert await follow() == [(4, 5)]

    asyncio.run(run())


def test_bodies_at_once_have_a_limit() -> None:
    bodies = Bodies(1000, Counter("received", "Bytes.", registry=None))

    def request(size: int) -> Request:
        async def receive() -> Any:
            return {"type": "http.request", "body": b"x" * size, "more_body": False}

        return Request({"type": "http", "headers": []}, receive)

    async def hold() -> None:
        async with AsyncExitStack() as held:
            for _ in range(4):
                await held.enter_async_context(bodies.receive(request(900)))
            await held.enter_async_context(bodies.receive(request(400)))
            with pytest.raises(HTTPException) as caught:
                await held.enter_async_context(bodies.receive(request(1)))
            assert caught.value.status_code == 503
        async with bodies.receive(request(900)) as body:
            assert body.read() == b"x" * 900

    asyncio.run(hold())


def test_a_file_of_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# ours\n\nread {READ}\nmanage\t{MANAGE}\n")
    tokens = Tokens.read(path)
    assert [tokens.right(each) for each in (READ, MANAGE, APPEND)] == [
        Right.READ,
        Right.MANAGE,
        None,
    ]
    assert READ not in repr(vars(tokens))
    for content in ("", "read short", "write " + READ, f"read {READ}\nread {READ}"):
        path.write_text(content)
        with pytest.raises(ValueError, match="token"):
            Tokens.read(path)


# --- the program ----------------------------------------------------------------------------------


def test_an_interrupt_ends_the_server_and_its_followers(log: PatchLog) -> None:
    with Program(log.path) as program:
        remote = PatchLog(program.address)
        follower = remote.follow(2)
        assert next(follower).version == 3
        assert program.end(signal.SIGINT) == (128 + signal.SIGINT, "")


def test_a_second_interrupt_prints_no_traceback(log: PatchLog) -> None:
    with Program(log.path) as program:
        remote = PatchLog(program.address)
        assert next(remote.follow(2)).version == 3
        program.process.send_signal(signal.SIGINT)
        # Signals that arrive at the same time count as one, so wait before sending the second one.
        time.sleep(0.05)
        code, err = program.end(signal.SIGINT)
        assert (code in (128 + signal.SIGINT, -signal.SIGINT), err) == (True, "")


def test_tls(log: PatchLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_certificate(tmp_path)
    with Program(log.path, "--certificate", str(made.certificate), "--key", str(made.key)) as found:
        address = found.address.replace("http:", "https:")
        for url, message in ((address, "certificate verify failed"), (found.address, "disconn")):
            with pytest.raises(ConnectionError, match=message):
                PatchLog(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(made.certificate))
        PatchLog(address).append(change(4))
        # Closing a source immediately ends its thread, which reads over TLS.
        with live.connect(address) as source:
            assert [source.receive(30) is not None for _ in range(4)] == [True] * 4
            (reader,) = (each for each in threading.enumerate() if each.name == repr(source))
        reader.join(5)
        assert not reader.is_alive()
