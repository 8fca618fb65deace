"""Fixtures for docstring examples: those of ``jelly_rdflib.spark`` have a session as ``spark``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SPARK = Path(__file__).parent / "jelly_rdflib" / "spark"


@pytest.fixture(autouse=True)
def _folder_for_examples(request: pytest.FixtureRequest) -> None:
    """Run each example in its own temporary folder, since it may write files."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


@pytest.fixture(autouse=True)
def _spark_for_examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if isinstance(request.node, pytest.DoctestItem) and request.node.path.is_relative_to(SPARK):
        from tests.spark.session import open_session

        doctest_namespace["spark"] = open_session()
