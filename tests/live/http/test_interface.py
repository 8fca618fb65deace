"""Tests the server with Schemathesis, with valid and invalid requests from /openapi.json.

It looks for codes, media types and schemas missing from the description, server errors, invalid
requests that are accepted, and requests without a token that are let through.
"""

from pathlib import Path
from typing import Any

import pytest

from jelly_rdflib import PatchLog
from jelly_rdflib.live.http.access import Right, Tokens
from jelly_rdflib.live.http.answers import CHANGES
from jelly_rdflib.live.http.events import Followers
from jelly_rdflib.live.http.server import LogServer
from tests.log.support import fill

schemathesis = pytest.importorskip("schemathesis")
events = pytest.importorskip("schemathesis.engine.events")

TOKEN = "m" * 20


@schemathesis.serializer(*CHANGES)
def write(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def faults_in(server: LogServer, **generation: Any) -> list[str]:
    """Return what schemathesis finds with examples, edge cases and random requests."""
    # Without this, an event stream never ends.
    server.followers.is_ending = lambda: True
    # The server always counts as ready.
    server.metrics._followers = Followers(1)
    settings: Any = {
        "generation": {"deterministic": True, "no-shrink": True, **generation},
        # Random bytes are not a patch, and a log has few versions.
        "checks": {"positive_data_acceptance": {"enabled": False}},
        "headers": {"Authorization": f"Bearer {TOKEN}"},
        "workers": 1,
        "seed": 1,
    }
    config = schemathesis.Config.from_dict(settings)
    schema = schemathesis.openapi.from_asgi("/openapi.json", server.app, config=config)
    found, count = [], 0
    for event in schemathesis.engine.from_schema(schema).execute():
        if isinstance(event, (events.NonFatalError, events.FatalError)):
            found.append(str(event))
        if isinstance(event, (events.ScenarioFinished, events.FuzzScenarioFinished)):
            for id, checks in event.recorder.checks.items():
                count += len(checks)
                failed = [each.failure_info.failure for each in checks if each.failure_info]
                asked = event.recorder.cases[id].value
                found += [f"{asked.method} {asked.path}: {each.title}: {each}" for each in failed]
    assert count > 500
    return found


@pytest.mark.parametrize(
    ("which", "has_tokens"), [("one", True), ("", False)], ids=["one log, tokens", "several, open"]
)
@pytest.mark.parametrize("examples", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_the_interface_is_as_it_is_described(
    tmp_path: Path, which: str, has_tokens: bool, examples: int
) -> None:
    for name in ("one", "two"):
        fill(PatchLog.create(tmp_path / "logs" / name), 3).snapshot(2)
    tokens = Tokens({TOKEN: Right.MANAGE}) if has_tokens else None
    server = LogServer(tmp_path / "logs" / which, tokens=tokens, is_open=True, max_body=100_000)
    assert faults_in(server, **{"max-examples": examples}) == []
    assert PatchLog(tmp_path / "logs" / "one").verify() == []
