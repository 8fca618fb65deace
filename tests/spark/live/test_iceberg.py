"""Tests that the page on Iceberg works, with PyIceberg from the package registry."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jelly_rdflib.spark.session import prepare_environment
from tests.examples import DOCS
from tests.spark.session import check_spark
from tests.support import ROOT


def test_the_page(tmp_path: Path) -> None:
    check_spark()
    prepare_environment()
    page = (DOCS / "spark" / "iceberg.md").read_text(encoding="utf-8")
    # PyIceberg has its own folder, since it needs a different SQLAlchemy than rdflib's stores.
    folder = tmp_path / "packages"
    (package,) = re.findall(r"pip install .* '(pyiceberg.*)'", page)
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), package]
    installed = subprocess.run(install, capture_output=True, text=True)
    if installed.returncode != 0:
        pytest.skip(f"PyIceberg is not to be had: {installed.stderr[-500:]}")
    code = "".join(re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout
