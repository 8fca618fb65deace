"""Tests several logs on one server: by name, with rights, and created while it runs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

import jelly_rdflib as jr
from jelly_rdflib import PatchLog, live
from jelly_rdflib.live.http.access import Right, Tokens
from jelly_rdflib.live.http.server import LogServer
from tests.live.grpc.support import served as served_by_grpc
from tests.live.http.support import served
from tests.log.support import change, fill

READ, MANAGE = "r" * 20, "m" * 20
NEW = {"If-None-Match": "*"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two logs, a log with an invalid name, and another folder."""
    for number, name in enumerate(("one", "two", "one.old"), 1):
        fill(PatchLog.create(tmp_path / "logs" / name), number)
    (tmp_path / "logs" / "other").mkdir()
    (tmp_path / "logs" / "other" / "file").touch()
    return tmp_path / "logs"


def client(path: Any, **options: Any) -> TestClient:
    return TestClient(LogServer(path, **options).app, base_url="http://localhost")


def names(http: TestClient, token: str = "") -> list[str]:
    found = http.get("/", headers={"Authorization": f"Bearer {token}"}).json()["logs"]
    return [each["name"] for each in found]


def test_each_log_has_the_same_interface_at_its_name(folder: Path) -> None:
    for path in (folder, [folder / "one", folder / "two"]):
        http = client(path)
        ids = [PatchLog(folder / name).log_id for name in ("one", "two")]
        one, two = (
            {"name": name, "id": id, "version": version}
            for name, id, version in zip(("one", "two"), ids, (1, 2), strict=True)
        )
        assert http.get("/").json() == {"logs": [one, two]}
        assert http.get("/two").json() == http.get("/two/").json()
        assert http.get("/two/patches/2").status_code == 200
        for name in ("three", "other", "one.old", "..", "%2e%2e%2flogs%2fone"):
            assert http.get(f"/{name}/patches").status_code == 404


def test_a_log_that_appears_is_served_and_one_that_is_damaged_is_listed(folder: Path) -> None:
    http = client(folder)
    PatchLog.create(folder / "three")
    assert http.get("/three/").json()["version"] == 0
    (folder / "two" / "log.db").write_bytes(b"damaged")
    found = {each["name"]: each["version"] for each in http.get("/").json()["logs"]}
    assert found == {"one": 1, "three": 0, "two": None}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/new", {}, 201),
        ("/new/?compression=zst", NEW, 201),
        ("/one", {}, 200),
        ("/one", NEW, 412),
        ("/one?compression=zst", {}, 409),
        ("/other", {}, 409),
        ("/new?compression=x", {}, 422),
        ("/new.log", {}, 400),
        ("/docs", {}, 405),
        ("/ready/", {}, 405),
        (f"/{'x' * 65}", {}, 400),
    ],
)
def test_a_log_is_created(folder: Path, path: str, headers: dict[str, str], status: int) -> None:
    http, before = client(folder), sorted(folder.iterdir())
    answer = http.put(path, headers=headers)
    assert answer.status_code == status
    assert (sorted(folder.iterdir()) == before) == (status != 201)
    if status == 201:
        assert answer.headers["location"] == "/new/"
        assert PatchLog(folder / "new").compression == ("zst" if "zst" in path else None)


def test_several_clients_make_one_log(folder: Path) -> None:
    http = client(folder)
    # An earlier server was killed after it had created this folder.
    (folder / "log0").mkdir()
    for number in range(5):
        with ThreadPoolExecutor(6) as pool:
            made = pool.map(lambda _: http.put(f"/log{number}").status_code, range(6))  # noqa: B023
        assert sorted(made) == [200] * 5 + [201]


def test_a_log_that_is_damaged_from_the_start_is_told_once(folder: Path) -> None:
    (folder / "two" / "log.db").write_bytes(b"damaged")
    http = client(folder)
    with pytest.warns(jr.ConnectionWarning, match="two is lost.*damaged") as told:
        answers = [http.get(path).status_code for path in ("/ready", "/", "/")]
    assert (answers, len(told)) == ([503, 200, 200], 1)


def test_where_logs_are_given_one_by_one_none_is_created(folder: Path) -> None:
    answer = client([folder / "one", folder / "two"]).put("/new")
    assert answer.status_code == 403
    assert "can't create logs" in answer.json()["detail"]
    assert client(folder / "one").put("/new").status_code == 404


def test_a_token_is_for_the_logs_that_it_names(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"read {READ} two\nmanage {MANAGE}\n")
    http = client(folder, tokens=Tokens.read(path))
    assert (names(http, READ), names(http, MANAGE)) == (["two"], ["one", "two"])
    headers = {"Authorization": f"Bearer {READ}"}
    # These responses describe all logs.
    assert http.get("/metrics", headers=headers).status_code == 403
    assert http.get("/metrics", headers={"Authorization": f"Bearer {MANAGE}"}).is_success
    for name, status in (("one", 403), ("two", 200), ("no", 403)):
        assert http.get(f"/{name}/patches", headers=headers).status_code == status
    # A server of one log does the same, although requests don't name the log.
    for name, status in (("one", 403), ("two", 200)):
        alone = client(folder / name, tokens=Tokens.read(path))
        for place in ("/", "/metrics"):
            assert alone.get(place, headers=headers).status_code == status
    # This token also allows creating logs.
    http = client(folder, tokens=Tokens({MANAGE: Right.MANAGE}, {MANAGE: ["mine"]}))
    headers = {"Authorization": f"Bearer {MANAGE}"}
    assert [http.put(f"/{each}", headers=headers).status_code for each in ("x", "mine")] == [
        403,
        201,
    ]


@pytest.mark.parametrize(
    ("given", "message"), [(("one", "two/../one"), "another log"), (("one", "one.old"), "can't be")]
)
def test_names_that_can_not_be(folder: Path, given: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LogServer([folder / each for each in given])


def test_clients_and_followers_of_several(folder: Path) -> None:
    with served(folder, max_followers=2) as address:
        with pytest.raises(jr.LogError, match=f"several logs.*: {address}/one, {address}/two"):
            PatchLog(address)
        with pytest.raises(jr.LogError, match="there is no log 'three'"):
            PatchLog(f"{address}/three")
        logs = [PatchLog(f"{address}/{name}") for name in ("one", "two")]
        assert [log.append(change(9)).version for log in logs] == [2, 3]
        # All logs share the server's maximum number of followers: half of two is one.
        with live.connect(f"{address}/one", timeout=5) as source:
            assert source.receive(5) is not None
            assert httpx2.get(f"{address}/two/events").status_code == 503


def test_a_log_by_grpc(folder: Path) -> None:
    tokens = Tokens({READ: Right.READ}, {READ: ["one"]})
    with served_by_grpc(folder, tokens=tokens) as address:
        with live.connect(f"{address}/one", token=READ, timeout=2) as source:
            assert source.receive(5) is not None
        for end, error in (("/two", PermissionError), ("/../logs/one", PermissionError)):
            with pytest.raises(error):
                live.connect(f"{address}{end}", token=READ)
    with served_by_grpc(folder) as address:
        for end, message in (("", "several logs"), ("/three", "no log"), ("/../logs/one", "no")):
            with pytest.raises(jr.MissingVersion, match=message):
                live.connect(f"{address}{end}")
