"""Tests a server's health, metrics, signals and messages, for its operator."""

import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx2
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from jelly_rdflib import PatchLog, live
from jelly_rdflib.live.grpc import log_server
from jelly_rdflib.live.grpc.wire import PATCH_SERVICE
from jelly_rdflib.live.http.access import Right, Tokens
from jelly_rdflib.live.http.server import LogServer
from tests.cli.support import ROOT
from tests.live.certificate import make_certificate
from tests.live.grpc.support import Server, served
from tests.live.http.support import Program
from tests.live.patches import patch_of
from tests.log.support import change, fill

READ = "r" * 20
BEARER = {"Authorization": f"Bearer {READ}"}
POST = {"If-Match": "*", "Content-Type": "application/rdf-patch"}


@pytest.fixture
def log(tmp_path: Path) -> PatchLog:
    return fill(PatchLog.create(tmp_path / "log"), 3)


def samples(text: str) -> dict[str, float]:
    """Return the values of metrics by name and labels."""
    return {
        f"{each.name}{each.labels or ''}": each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


# --- health and metrics ---------------------------------------------------------------------------


def test_health_takes_no_token_and_tells_no_path(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = LogServer(log.path, tokens=Tokens({READ: Right.READ}))
    http = TestClient(server.app, base_url="http://probe.example")
    # Each request checks again.
    monkeypatch.setattr(time, "monotonic", iter(range(0, 10_000, 2)).__next__)

    def found() -> list[tuple[int, str]]:
        answers = [http.get(path) for path in ("/health", "/ready")]
        return [(each.status_code, each.json().get("detail", "")) for each in answers]

    well = [(200, ""), (200, "")]
    assert found() == well
    aside = log.path.rename(log.path.with_name("aside"))
    assert found() == [(200, ""), (503, "1 of 1 logs can't be read")]
    labels = "{'log': 'log'}"
    numbers = samples(http.get("/metrics", headers=BEARER).text)
    assert (numbers["jellyp_readable" + labels], numbers["jellyp_version" + labels]) == (0, 3)
    aside.rename(log.path)
    assert found() == well
    server.followers.is_ending = lambda: True
    assert found() == [(200, ""), (503, "the server is shutting down")]


def test_many_probes_are_one_look(log: PatchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    server = LogServer(log.path)
    looks: list[None] = []
    feed = server.logs.find(None).feed
    check = feed.check_log
    monkeypatch.setattr(feed, "check_log", lambda: (looks.append(None), check()))
    http = TestClient(server.app, base_url="http://localhost")
    monkeypatch.setattr(time, "monotonic", lambda: 7.0)
    assert {http.get("/ready").status_code for _ in range(5)} == {200}
    assert len(looks) == 1


def test_metrics_of_http_have_routes_and_no_words_of_clients(log: PatchLog) -> None:
    http = TestClient(LogServer(log.path).app, base_url="http://localhost")
    for path in ("/patches/1", "/patches/2", "/patches/9", "/secret"):
        http.get(path)
    http.request("SECRET", "/patches/1")
    body = b"TX .\nTC .\n"
    for match in ("*", '"empty"'):
        http.post("/patches", content=body, headers={**POST, "If-Match": match})
    answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert "secret" not in answer.text.lower()
    found = samples(answer.text)
    seconds = "jellyp_request_seconds_count{{'method': '{}', 'route': '{}', 'status': '{}'}}"
    expected = {
        **{f"jellyp_{name}_total{{'log': 'log'}}": 1 for name in ("appends", "conflicts")},
        "jellyp_version{'log': 'log'}": 4,
        "jellyp_received_bytes_total": 2 * len(body),
        seconds.format("GET", "/patches/{version}", 200): 2,
        seconds.format("GET", "/patches/{version}", 404): 1,
        seconds.format("GET", "", 404): 1,
        seconds.format("other", "/patches/{version}", 405): 1,
        seconds.format("POST", "/patches", 412): 1,
    }
    assert {key: found.get(key) for key in expected} == expected
    assert found["jellyp_sent_bytes_total"] > 900


def test_metrics_count_followers_and_appends_of_both_transports(
    log: PatchLog, server: Server
) -> None:
    log.append(change(4))

    def numbers() -> list[float]:
        found = samples(httpx2.get(f"{server.address}/metrics").text)
        names = ("appends", "failures")
        kinds = ["jellyp_followers", *(f"jellyp_{each}_total" for each in names)]
        return [found[f"{each}{{'log': 'log'}}"] for each in kinds]

    before = numbers()
    with live.connect(server.address) as one, live.connect(server.url) as other:
        for source in (one, other):
            assert source.receive(30) is not None
        for url in (server.address, server.url):
            with live.open_sink(url) as sink:
                sink.send(patch_of(url == server.url))
        assert numbers() == [before[0] + 2, before[1] + 2, 0]
        # The follower can't continue.
        log.refresh()
        shutil.rmtree(log.path / "segments")
    wait(lambda: numbers()[0] == 0)


def wait(is_so: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_health_service_of_grpc(log: PatchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = health_pb2.HealthCheckResponse
    monkeypatch.setattr(log_server, "_INTERVAL", 0.1)
    # A client that checks the health has no token.
    with (
        served(log.path, tokens=Tokens({READ: Right.READ})) as url,
        grpc.insecure_channel(url.partition("://")[2]) as channel,
    ):
        stub = health_pb2_grpc.HealthStub(channel)

        def ask(name: str) -> Any:
            return stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=20).status

        watched = stub.Watch(health_pb2.HealthCheckRequest(service=PATCH_SERVICE), timeout=30)
        states: Iterator[Any] = (each.status for each in watched)
        while next(states) != kinds.SERVING:
            pass
        assert [ask(name) for name in ("", PATCH_SERVICE)] == [kinds.SERVING] * 2
        with pytest.raises(grpc.RpcError, match="NOT_FOUND"):
            ask("unknown")
        aside = log.path.rename(log.path.with_name("aside"))
        assert next(states) == kinds.NOT_SERVING
        assert ask("") == kinds.NOT_SERVING
        aside.rename(log.path)
        assert next(states) == kinds.SERVING


# --- the process ----------------------------------------------------------------------------------


def connect(address: str, *, tls: bool = False, reset: bool = False) -> socket.socket:
    """Connect without checking the certificate; with ``reset``, closing resets the connection."""
    found = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), 20)
    if reset:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return ssl._create_unverified_context().wrap_socket(found) if tls else found


def request(line: str, *headers: str) -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


UPLOAD = request("POST /patches", *map(": ".join, POST.items()), "Content-Length: 10")


@pytest.mark.parametrize(
    "tls", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "tls"]
)
def test_clients_that_go_away_leave_no_trace(log: PatchLog, tmp_path: Path, tls: bool) -> None:
    log.append(each for number in range(20_000) for each in change(number))
    made = make_certificate(tmp_path)
    files = ["--certificate", str(made.certificate), "--key", str(made.key)] if tls else []
    with Program(log.path, "--grpc-port", "0", *files) as program:
        url = program.process.stdout.readline().split()[-1]
        for reset in (False, True):
            for head in (
                UPLOAD + b"TX .",
                request("GET /patches/4"),
                request("GET /patches", "Accept: application/rdf-patch"),
                request("GET /events?since=3"),
                b"GET / HT",
            ):
                with connect(program.address, tls=tls, reset=reset) as client:
                    client.sendall(head)
                    if head.startswith(b"GET /p") or b"events" in head:
                        assert client.recv(20).startswith(b"HTTP/1.1 200")
            for address in (program.address, url) if tls else ():
                with connect(address, reset=reset) as client:
                    client.sendall(b"\x16\x03\x01\x02\x00\x01\x00")
        if not tls:
            with grpc.insecure_channel(url.partition("://")[2]) as channel:
                follower = channel.unary_stream(f"/{PATCH_SERVICE}/SubscribePatches")(b"")
                assert follower.initial_metadata()
        with httpx2.Client(verify=False) as http:
            # The server has received the whole request.
            address = program.address.replace("http:", "https:") if tls else program.address
            assert http.get(f"{address}/ready").json() == {"status": "ready"}
        assert program.end(signal.SIGTERM) == (0, "")


def test_what_is_in_work_at_sigterm_is_done(log: PatchLog) -> None:
    with Program(log.path, "--access-log") as program, connect(program.address) as client:
        httpx2.get(f"{program.address}/patches/1?token=secret", headers=BEARER)
        # The access log contains neither the query nor the token.
        line = program.process.stdout.readline()
        assert re.fullmatch(
            r'\d{4}-\d\d-\d\d [\d:,]+ 127\.0\.0\.1:\d+ - "GET /patches/1 HTTP/1\.1" 200\n', line
        )
        client.sendall(UPLOAD + b"TX .\n")
        wait(lambda: "bytes_total 5.0" in httpx2.get(f"{program.address}/metrics").text)
        program.process.send_signal(signal.SIGTERM)
        wait(lambda: not is_reached(program.address))
        client.sendall(b"TC .\n")
        assert client.recv(20).startswith(b"HTTP/1.1 201")
        assert program.end(signal.SIGTERM) == (0, "")
    log.refresh()
    assert log.version == 4


def is_reached(address: str) -> bool:
    try:
        connect(address).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
def test_what_takes_too_long_after_sigterm_is_told_to_come_again(log: PatchLog) -> None:
    with Program(log.path) as program, connect(program.address) as client:
        client.sendall(UPLOAD + b"TX .\n")
        wait(lambda: "bytes_total 5.0" in httpx2.get(f"{program.address}/metrics").text)
        code, err = program.end(signal.SIGTERM)
        assert (code, "Traceback" in err) == (0, False)
        assert client.recv(20).startswith(b"HTTP/1.1 503")


@pytest.mark.slow
def test_sighup_renews_tokens_and_certificates(log: PatchLog, tmp_path: Path) -> None:
    tokens, other = tmp_path / "tokens", tmp_path / "other"
    other.mkdir()
    first, second = make_certificate(tmp_path), make_certificate(other)
    new = second.certificate.read_text()
    tokens.write_text(f"read {READ}\n")
    files = ["--certificate", str(first.certificate), "--key", str(first.key)]
    with Program(log.path, "--tokens", str(tokens), "--grpc-port", "0", *files) as program:
        url = program.process.stdout.readline().split()[-1]
        address = program.address.replace("http:", "https:")

        def hang_up(stream: Any) -> str:
            program.process.send_signal(signal.SIGHUP)
            return str(stream.readline())

        def certificates() -> list[str]:
            ports = (int(each.rpartition(":")[2]) for each in (address, url))
            return [ssl.get_server_certificate(("127.0.0.1", port)) for port in ports]

        def codes() -> list[int]:
            heads = [{"Authorization": f"Bearer {each * 20}"} for each in "rn"]
            return [http.get(address, headers=each).status_code for each in heads]

        with httpx2.Client(verify=False) as http:
            old = certificates()
            assert codes() == [200, 401]
            tokens.write_text("read short\n")
            first.key.write_text(second.key.read_text())
            assert re.match("jellyp: nothing is changed: .*key", hang_up(program.process.stderr))
            first.certificate.write_text(new)
            assert "token" in hang_up(program.process.stderr)
            assert (codes(), certificates()) == ([200, 401], old)
            tokens.write_text("read " + "n" * 20)
            assert "read again" in hang_up(program.process.stdout)
            # The client still has the same connection.
            assert (codes(), certificates()) == ([401, 200], [new] * 2)
        assert program.end(signal.SIGTERM) == (0, "")


# --- backups --------------------------------------------------------------------------------------


def test_the_backup_of_the_page_is_whole_while_others_append(log: PatchLog, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "live" / "operating.md").read_text("utf-8")
    found = re.search(r"^\$ cat > back_up.py .*\n((?:>.*\n)+)> END$", page, re.MULTILINE)
    assert found is not None
    script = "\n".join(line[2:] for line in found.group(1).splitlines())
    ended = threading.Event()

    def append() -> None:
        while not ended.is_set():
            log.append(change(log.version + 1))

    writer = threading.Thread(target=append)
    writer.start()
    try:
        for number in range(2):
            target = tmp_path / f"backup-{number}"
            command = [sys.executable, "-c", script, str(log.path), str(target)]
            subprocess.run(command, check=True)
            assert PatchLog(target).verify(deep=True) == []
    finally:
        ended.set()
        writer.join()
    assert PatchLog(target).version > 3
