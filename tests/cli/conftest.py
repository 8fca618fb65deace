"""Inputs for the tests of several commands."""

from pathlib import Path

import pytest

from tests.cli.support import encode


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a file of two patches, the second of which is an aborted transaction."""
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode())
    return path
