"""Containers of graphs with lists in them, at which pyoxigraph ends the process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import jelly_rdflib as jr

GRAPHS = {"@id": "urn:t", "@container": "@graph"}
ENDS = [
    {"@context": {"t": GRAPHS}, "t": {"@set": []}},
    {"t": {"@list": ["a"]}, "@context": {"t": GRAPHS}},
    {"@context": {"t": {**GRAPHS, "@container": ["@graph", "@index"]}}, "t": {"@set": ["a"]}},
    {"@context": {"t": GRAPHS, "l": "@set"}, "t": {"l": []}},
    {"@context": [None, {"t": GRAPHS, "l": {"@id": "@list"}}], "t": {"l": []}},
    # Keywords that are put together.
    {"@context": {"t": GRAPHS, "@vocab": "@"}, "t": {"set": []}},
    {"@context": {"t": GRAPHS, "p": "@"}, "t": {"p:set": []}},
    {"@context": {"s": {"@id": "urn:s", "@context": {"t": GRAPHS}}}, "s": {"t": {"@set": []}}},
]

CODE = """
import sys
import jelly_rdflib as jr
try:
    list(jr.read_statements(sys.argv[1].encode(), format="json-ld", strict=len(sys.argv) == 2))
except jr.DecodeError as error:
    assert type(error) is jr.DecodeError
    assert "container of graphs" in str(error), error
    print("refused at byte", error.offset)
"""


def escaped(text: str) -> str:
    return text.replace('"@', '"\\u0040')


@pytest.mark.parametrize("data", [*map(json.dumps, ENDS), *map(escaped, map(json.dumps, ENDS))])
@pytest.mark.parametrize("arguments", [(), ("lenient",)], ids=["strict", "lenient"])
def test_they_are_refused(data: str, arguments: tuple[str, ...]) -> None:
    """In a process of its own: if this fails, it ends."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, data, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"refused at byte {len(data) - 1}\n"


@pytest.mark.parametrize(
    ("data", "count"),
    [
        ({"@context": {"t": GRAPHS}, "@id": "urn:a", "t": {"@id": "urn:b", "urn:p": "x"}}, 2),
        (
            {
                "@context": {"t": {"@id": "urn:t", "@container": "@set"}},
                "@id": "urn:a",
                "t": {"@set": ["x", "y"]},
                "urn:p": {"@list": ["z"]},
            },
            5,
        ),
        ({"@id": "urn:g", "@graph": [{"@id": "urn:a", "urn:p": {"@set": ["x"]}}]}, 1),
    ],
)
def test_either_alone_is_read(data: Any, count: int) -> None:
    statements = list(jr.read_statements(json.dumps(data).encode(), format="json-ld"))
    assert len(statements) == count
    # One object that is refused says nothing of the next.
    both = json.dumps([ENDS[0] | {"t": "a"}, {"@id": "urn:a", "urn:p": {"@set": ["x"]}}])
    assert len(list(jr.read_statements(both.encode(), format="json-ld"))) == 2
