"""Tests pyoxigraph as an extra: the error if it is missing, and that it is imported on demand."""

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib.formats import syntaxes
from tests.formats.syntaxes.support import LINES, PARSED
from tests.support import run


@pytest.mark.parametrize("version", [None, "0.4.11"])
@pytest.mark.parametrize("format", PARSED)
def test_without_it_the_extra_is_named(
    format: str, version: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = types.SimpleNamespace(__name__="pyoxigraph", __version__=version)
    monkeypatch.setitem(sys.modules, "pyoxigraph", None if version is None else old)
    syntaxes._check_pyoxigraph.cache_clear()
    path = tmp_path / "data"
    path.write_bytes(b"precious")
    try:
        calls: list[Callable[[], Any]] = [
            lambda: jr.StatementWriter(path, format=format),
            lambda: jr.read_statements(path, format=format),
            lambda: jr.read_batches(path, format=format),
        ]
        for call in calls:
            with pytest.raises(ImportError, match=r"jelly-rdflib\[syntaxes\]"):
                call()
    finally:
        syntaxes._check_pyoxigraph.cache_clear()
    assert path.read_bytes() == b"precious"


def test_it_is_imported_on_demand() -> None:
    code = (
        "import io, jelly_rdflib as jr\n"
        "from rdflib import Literal, URIRef\n"
        "jr.StatementWriter(io.BytesIO()).close()\n"
        "list(jr.read_operations(b'', format='rdf-patch'))\n"
        f"for format in {LINES}:\n"
        "    list(jr.read_statements(b'', format=format))\n"
        "    with jr.StatementWriter(io.BytesIO(), format=format) as writer:\n"
        "        writer.add(URIRef('urn:s'), URIRef('urn:p'), Literal('o'))\n"
        "print('pyoxigraph' in sys.modules)\n"
        "list(jr.read_statements(b'', format='turtle'))\n"
        "print('pyoxigraph' in sys.modules)\n"
    )
    assert run(code, is_fresh=True).split() == ["False", "True"]
