"""Tests sending changes to a real Apache Jena Fuseki."""

import base64
import random
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.live.fuseki import apply_to_fuseki
from tests.cli.support import COMMAND, ENVIRONMENT, run
from tests.examples import DOCS
from tests.live.fuseki.support import Fuseki
from tests.live.http.test_hostile import answering

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")


def add(number: int, g: URIRef | None = None) -> Any:
    return (Op.A, S, P, Literal(number), g)


def delete(number: int, g: URIRef | None = None) -> Any:
    return (Op.D, S, P, Literal(number), g)


def held(fuseki: Fuseki) -> list[int]:
    return sorted(int(row[2]) for row in fuseki.quads())


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the bodies that were sent."""
    bodies: list[bytes] = []
    stream = httpx2.Client.stream

    def take(self: Any, *request: Any, content: Iterator[bytes], **options: Any) -> Any:
        pieces = list(content)
        bodies.append(b"".join(pieces))
        return stream(self, *request, content=iter(pieces), **options)

    monkeypatch.setattr(httpx2.Client, "stream", take)
    return bodies


# --- transactions ---------------------------------------------------------------------------------


def test_each_transaction_is_a_request(fuseki: Fuseki, requests: list[bytes]) -> None:
    patch = [
        (Op.H, "id", URIRef("urn:uuid:1")),
        add(0),
        (Op.TX,),
        (Op.PA, "ex", URIRef("http://example.org/"), None),
        add(1),
        add(2, G),
        (Op.TC,),
        (Op.TX,),
        add(3),
        (Op.TA,),
        delete(0),
        (Op.END,),
        add(4),
    ]
    result = jr.apply(patch, fuseki.url)
    assert held(fuseki) == [1, 2, 4]
    assert {row[3] for row in fuseki.quads()} == {None, G}
    assert vars(result) == {"patches": 2, "operations": 12, "committed": 4, "aborted": 1}
    assert len(requests) == 4
    assert requests[1].splitlines()[1] == b'PA "ex" "http://example.org/" .'
    assert all(body.startswith(b"TX .\n") and body.endswith(b"TC .\n") for body in requests)


def test_files_and_logs_are_applied(fuseki: Fuseki, tmp_path: Path) -> None:
    jr.Patch([add(1), add(2)]).save(tmp_path / "a.jellyp")
    jr.apply(tmp_path / "a.jellyp", fuseki.url)
    jr.Patch([delete(1)]).save(tmp_path / "b.rdfp", format="rdf-patch")
    jr.apply((tmp_path / "b.rdfp").read_bytes(), fuseki.url)
    assert held(fuseki) == [2]


def test_a_long_transaction_is_one_request(fuseki: Fuseki, requests: list[bytes]) -> None:
    jr.apply([(Op.TX,), *map(add, range(20000)), (Op.TC,)], fuseki.url)
    assert held(fuseki) == list(range(20000))
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ((Op.A, S, P, jr.TripleTerm(S, P, S), None), jr.ApplyError),
        ((Op.A, Literal("s"), P, S, None), jr.ApplyError),
        ((Op.TX,), jr.ApplyError),
        ("nothing", jr.ApplyError),
        ((Op.A, S, P, None, None), jr.ApplyError),
    ],
)
def test_an_error_in_a_transaction_leaves_nothing_of_it(
    fuseki: Fuseki, bad: Any, error: type[Exception]
) -> None:
    patch = [(Op.TX,), add(1), (Op.TC,), (Op.TX,), add(2), bad, (Op.TC,)]
    with pytest.raises(error):
        jr.apply(patch, fuseki.url)
    assert held(fuseki) == [1]


def test_a_transaction_without_an_end_is_not_applied(fuseki: Fuseki) -> None:
    with pytest.raises(jr.ApplyError, match="the input ends inside a transaction"):
        jr.apply([(Op.TX,), add(1)], fuseki.url)
    with pytest.raises(jr.DecodeError):
        jr.apply(b"TX .\nA <urn:s> <urn:p> oh no .\nTC .\n", fuseki.url, format="rdf-patch")
    cut = jr.Patch([(Op.TX,), *map(add, range(2000)), (Op.TC,)]).serialize()[:-9]
    with pytest.raises(jr.DecodeError):
        jr.apply(cut, fuseki.url)
    assert held(fuseki) == []


# --- terms ----------------------------------------------------------------------------------------


def test_a_blank_node_keeps_its_label(fuseki: Fuseki) -> None:
    one, other = BNode("one"), BNode("other")
    jr.apply([(Op.A, one, P, Literal(1), None), (Op.A, other, P, Literal(2), None)], fuseki.url)
    jr.apply([(Op.D, one, P, Literal(1), None), (Op.A, other, P, one, None)], fuseki.url)
    jr.apply([(Op.D, BNode("none"), P, Literal(2), None)], fuseki.url)
    found = fuseki.quads()
    assert {row[2] for row in found if isinstance(row[2], Literal)} == {Literal(2)}
    assert len(found) == 2


@pytest.mark.parametrize(
    "term",
    [
        URIRef('urn:sp ace<>"{}|^`\\'),
        URIRef(""),
        URIRef("relative"),
        Literal('"""\n\r\t\\ \0 \x7f é 𝄞 '),
        Literal("x", lang="x-strange-99"),
        Literal("none", datatype=URIRef("http://www.w3.org/2001/XMLSchema#integer")),
        Literal("x", datatype=URIRef("urn:d")),
    ],
)
def test_a_strange_term_is_not_dropped_in_silence(fuseki: Fuseki, term: Any) -> None:
    # Fuseki 5.6 responds with 200 to a patch that it can't parse, and applies nothing.
    jr.apply([(Op.TX,), (Op.A, S, P, term, None), add(1), (Op.TC,)], fuseki.url)
    assert len(fuseki.quads()) == 2


# --- servers that refuse --------------------------------------------------------------------------


def test_a_password(fuseki: Fuseki, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded = fuseki.url.replace("patch", "guarded")
    for user in (None, "writer"):
        with pytest.raises(PermissionError, match="401") as caught:
            apply_to_fuseki([add(1)], guarded, user=user, password="not-this-secret")
        assert "secret" not in str(caught.value)
    apply_to_fuseki([add(1)], guarded, user="writer", password="writer-secret")
    monkeypatch.setenv("JELLYP_FUSEKI_USER", "writer")
    monkeypatch.setenv("JELLYP_FUSEKI_PASSWORD", "writer-secret")
    jr.apply([add(2)], guarded)
    assert held(fuseki) == [1, 2]


def head_of_request(password: str | None = None) -> bytes:
    """Apply a patch to a server that accepts it; return the head of the request."""
    heads: list[bytes] = []

    def answer(head: bytes) -> Iterator[bytes]:
        heads.append(head)
        yield b"HTTP/1.1 204 No Content\r\n\r\n"

    with answering(answer) as url:
        apply_to_fuseki([add(1)], f"{url}/ds/patch", password=password)
    return heads[0]


def test_a_token_is_sent_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JELLYP_FUSEKI_TOKEN", "a-token")
    assert b"authorization: bearer a-token" in head_of_request().lower()


@pytest.mark.parametrize(("name", "status"), [("none", 404), ("query", 415), ("update", 415)])
def test_what_is_no_endpoint_for_patches(fuseki: Fuseki, name: str, status: int) -> None:
    with pytest.raises(jr.ApplyError, match=f"the server answers {status}") as caught:
        jr.apply([add(1)], f"{fuseki.dataset_url}/{name}")
    assert "<" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "kind", "status", "error", "words"),
    [
        (b"<html>hello", "text/html", "200 OK", jr.ApplyError, "not an endpoint for patches$"),
        (b"Bad: x\n at java", "text/plain", "400 Bad Request", jr.ApplyError, "Request: Bad: x$"),
        (b"x" * 5000, "text/plain", "500 Oh", jr.ApplyError, f"500 Oh: {'x' * 200}$"),
        (b"", "text/html", "503 Later", ConnectionError, "503 Later$"),
        (b"", "text/html", "301 Moved", jr.ApplyError, "301 Moved$"),
    ],
)
def test_answers(body: bytes, kind: str, status: str, error: Any, words: str) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    answer = f"{head}Connection: close\r\n\r\n".encode() + body
    with answering(lambda _: iter([answer])) as url, pytest.raises(error, match=words):
        jr.apply([add(1)], f"{url}/ds/patch")


def test_a_server_that_breaks_off_leaves_it_unknown() -> None:
    unknown = "it is unknown whether a transaction was applied"
    with answering(lambda _: iter([])) as url, pytest.raises(ConnectionError, match=unknown):
        jr.apply([add(1)], f"{url}/ds/patch")


def test_an_explicit_password_takes_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JELLYP_FUSEKI_USER", "writer")
    monkeypatch.setenv("JELLYP_FUSEKI_PASSWORD", "of-the-environment")
    monkeypatch.setenv("JELLYP_FUSEKI_TOKEN", "of-the-environment")
    assert base64.b64encode(b"writer:given") in head_of_request(password="given")


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(ValueError, match="like http://") as caught:
        jr.apply([add(1)], "http://me:secret@host/ds")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://host/ds", "history", ""])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(TypeError, match="which starts with http://"):
        jr.apply([add(1)], url)


def test_a_server_has_no_changes_that_are_not_atomic() -> None:
    with pytest.raises(ValueError, match="atomic"):
        jr.apply([add(1)], "http://127.0.0.1:1/x", atomic=False)  # type: ignore[call-overload]


# --- faults ---------------------------------------------------------------------------------------


def test_a_server_that_is_killed_while_it_applies(tmp_path: Path) -> None:
    seeded = random.Random(7)
    rows = 5000
    with Fuseki(tmp_path) as fuseki:
        jr.apply([add(-1)], fuseki.url)
        for turn in range(3):
            killer = threading.Timer(seeded.uniform(0.05, 0.4), fuseki.kill)
            killer.start()
            patch = [add(turn * rows + number) for number in range(rows)]
            with suppress(ConnectionError):
                while True:
                    jr.apply([(Op.TX,), *patch, (Op.TC,)], fuseki.url)
            killer.join()
            fuseki.start()
            assert len(held(fuseki)) in (1 + turn * rows, 1 + (turn + 1) * rows)
            # Applying the patch again has no effect.
            jr.apply([(Op.TX,), *patch, (Op.TC,)], fuseki.url)
        assert held(fuseki) == list(range(-1, 3 * rows))


@pytest.mark.slow
def test_a_dataset_follows_a_log_while_both_are_killed(fuseki: Fuseki, tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    command = [*COMMAND, "subscribe", str(log.path), "--apply", fuseki.url, "--store-every", "0.05"]
    command += ["--position", str(tmp_path / "position")]
    seeded = random.Random(1)
    is_done = threading.Event()

    def append() -> None:
        own = jr.PatchLog(log.path)
        for number in range(300):
            rows = [delete(number - 1)] if number % 3 else []
            own.append([(Op.TX,), *rows, add(number), (Op.TC,)])
            time.sleep(0.02)
        is_done.set()

    appender = threading.Thread(target=append)
    appender.start()
    for turn in range(20):
        process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        time.sleep(seeded.uniform(0.3, 1.2))
        if turn % 5 == 4:
            fuseki.kill()
            fuseki.start()
        process.kill()
        process.wait()
    appender.join()
    subprocess.run([*command, "--timeout", "2"], env=ENVIRONMENT, check=True, timeout=120)
    expected = sorted(int(o) for o in jr.PatchLog(log.path).checkout().objects())
    assert held(fuseki) == expected
    assert expected


# --- from the command line ------------------------------------------------------------------------


def test_apply_to_an_address(fuseki: Fuseki, tmp_path: Path) -> None:
    jr.Patch([add(1), add(2)]).save(tmp_path / "one.jellyp")
    jr.Patch([delete(1)]).save(tmp_path / "two.jellyp")
    ended = run("apply", fuseki.url, tmp_path / "one.jellyp", tmp_path / "two.jellyp")
    assert (ended.code, ended.out, ended.err) == (0, b"", "")
    assert held(fuseki) == [2]
    ended = run("apply", fuseki.url, "-", "--from", "rdf-patch", stdin=b"A <urn:x> oh no .")
    assert ended.code == 1
    assert held(fuseki) == [2]


@pytest.mark.parametrize("option", [("-o", "x.nq"), ("--to", "nq"), ("--base-format", "nq")])
def test_apply_to_an_address_has_no_output(tmp_path: Path, option: tuple[str, str]) -> None:
    jr.Patch([add(1)]).save(tmp_path / "one.jellyp")
    ended = run("apply", "http://127.0.0.1:1/ds/patch", tmp_path / "one.jellyp", *option)
    assert ended.code == 2
    assert option[0] in ended.err


def test_apply_to_a_server_that_is_not_there(tmp_path: Path) -> None:
    jr.Patch([add(1)]).save(tmp_path / "one.jellyp")
    ended = run("apply", "http://127.0.0.1:1/ds/patch", tmp_path / "one.jellyp")
    assert ended.code == 1
    assert ended.err.startswith("jellyp: http://127.0.0.1:1/ds/patch: ")
    assert ended.err.count("\n") == 1


def test_the_example_of_the_page(fuseki: Fuseki, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DOCS / "live" / "fuseki.md").read_text("utf-8")
    (code,) = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(code.replace("http://localhost:3030/ds/patch", fuseki.url), {})
    assert capsys.readouterr().out == "1 transaction\n"
    assert len(fuseki.quads()) == 1
