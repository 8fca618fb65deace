"""Tests that ``jellyp spark`` writes the same results as the package without Spark."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rdflib import BNode, Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.cli.spark import command, session
from tests.algebra.strategies import same_graphs
from tests.cli.support import COMMAND, ENVIRONMENT
from tests.spark.connectors.jars import connector_jars
from tests.spark.session import check_spark, needs_connectors, open_session
from tests.spark.tables import quads_of

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
ONE, TWO = URIRef("uuid:1"), URIRef("uuid:2")
FIRST: list[Any] = [
    (Op.H, "id", ONE),
    (Op.TX,),
    (Op.PA, "ex", URIRef("urn:ex#"), None),
    (Op.A, S, P, Literal("one\n", lang="en"), None),
    (Op.A, S, P, Literal("two"), G),
    (Op.TC,),
]
SECOND: list[Any] = [
    (Op.H, "id", TWO),
    (Op.H, "prev", ONE),
    (Op.TX,),
    (Op.D, S, P, Literal("two"), G),
    (Op.A, BNode("b"), P, BNode("c"), G),
    (Op.TC,),
    (Op.TX,),
    (Op.D, S, P, Literal("one\n", lang="en"), None),
    (Op.TA,),
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a folder with two patches whose file names sort in the reverse order."""
    folder = tmp_path / "log"
    folder.mkdir()
    for name, operations in (("b", FIRST), ("a", SECOND)):
        with jr.PatchWriter(folder / f"{name}.jellyp") as writer:
            writer.write_all(operations)
    return folder


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make commands use the tests' session, which is faster than starting new sessions."""
    spark = open_session()
    from jelly_rdflib.spark import register

    register(spark)
    monkeypatch.setattr(session, "_start", lambda *arguments: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)


def invoke(*arguments: Any, code: int = 0) -> Result:
    result = CliRunner().invoke(command, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def dataset_at(version: int) -> Dataset:
    dataset = Dataset()
    jr.apply([*FIRST, *SECOND][: len(FIRST) if version == 1 else None], dataset)
    return dataset


def lines(dataset: Dataset) -> set[str]:
    """Return a dataset as N-Quads."""
    return {" ".join([*filter(None, quad), "."]) for quad in quads_of(dataset)}


def start(*arguments: Any) -> subprocess.CompletedProcess[str]:
    """Run ``jellyp spark`` as a process; starting Spark may be slow on a busy machine."""
    return subprocess.run(
        [*COMMAND, "spark", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=600,
    )


def test_started_as_a_process(log: Path) -> None:
    check_spark()
    ended = start("replay", log, "--upto", "uuid:1")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert set(ended.stdout.splitlines()) == lines(dataset_at(1))


def test_damaged_file_is_named_in_a_line(log: Path) -> None:
    check_spark()
    (log / "b.jellyp").write_bytes(b"no patch")
    ended = start("replay", log / "b.jellyp")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "b.jellyp" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    # PySpark would log Java's stack trace.
    ended = start("replay", log / "a.jellyp", "--order-by", "seq", "--upto", "monday")
    assert ended.stderr.startswith("jellyp: [CAST_INVALID_INPUT]")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("when", ["as Java starts", "in a batch"])
def test_ended_by_a_signal(log: Path, tmp_path: Path, when: str) -> None:
    check_spark()
    needs_connectors()
    table, spark_log = tmp_path / "table", tmp_path / "spark.log"
    arguments = [log, table, "--checkpoint", tmp_path / "checkpoint", "--spark-log", spark_log]
    arguments += ["--conf", f"spark.jars={','.join(connector_jars())}"]
    with subprocess.Popen(
        [*COMMAND, "spark", "ingest", "--follow", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as process:
        try:
            started = spark_log if when == "as Java starts" else tmp_path / "checkpoint" / "offsets"
            wait_until(lambda: started.exists())
            process.terminate()
            assert process.communicate(timeout=300) == (b"", b"")
            assert process.returncode == 128 + signal.SIGTERM
            wait_until(lambda: not is_group_alive(process.pid))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 240
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_group_alive(group: int) -> bool:
    """Return whether a command, or a JVM or Python process that it started, is still running."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.usefixtures("shared")
def test_replay(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.nq"
    invoke("replay", log, "--order-by", "file", "--upto", log / "a.jellyp", "-o", out)
    # This folder contains only the second patch.
    refused = invoke("replay", log, "--order-by", "file", "--upto", 1, code=1)
    assert "no patch is in a file '1'" in refused.stderr
    (file,) = [path for path in out.iterdir() if path.stat().st_size and path.suffix == ".txt"]
    assert file.read_text() == "_:b <urn:p> _:c <urn:g> .\n"
    then = tmp_path / "then.jelly"
    invoke("replay", log / "b.jellyp", "-o", then)
    shown = invoke("replay", log / "a.jellyp", "--base", then).stdout_bytes.decode()
    assert set(shown.splitlines()) == lines(dataset_at(2))


@pytest.mark.usefixtures("shared")
def test_compact_makes_one_file(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.jellyp"
    for overwrite in ([], ["--overwrite"]):
        invoke("compact", log, "-o", out, *overwrite)
        (file,) = out.glob("*.jellyp")
        found = list(jr.read_operations(file))
        expected = list(jr.compact([*FIRST, (Op.END,), *SECOND]))
        assert same_graphs(each for each in found if each[0] != Op.END) == same_graphs(expected)
        invoke("compact", log, "-o", out, code=2)
    refused = invoke("compact", log, "-o", tmp_path / "x", "--after", "urn:7", code=1)
    assert "must come after <urn:7>" in refused.stderr


@pytest.mark.usefixtures("shared")
def test_ingest(log: Path, tmp_path: Path) -> None:
    needs_connectors()
    table = tmp_path / "table"
    arguments = ["ingest", log, table, "--checkpoint", tmp_path / "checkpoint"]
    assert invoke(*arguments).output == "patches: 2\n"
    assert invoke(*arguments).output == "patches: 2\n"
    third = [(Op.H, "prev", TWO), (Op.A, G, G, G, G)]
    with jr.PatchWriter(log / "c.jellyp") as writer:
        writer.write_all(third)
    assert invoke(*arguments).output == "patches: 3\n"
    dataset = dataset_at(2)
    jr.apply(third, dataset)
    shown = invoke("replay", log, "--upto", 0, "--base", table).stdout_bytes.decode()
    assert set(shown.splitlines()) == lines(dataset)


@pytest.mark.usefixtures("shared")
def test_streams_that_were_joined(log: Path, tmp_path: Path) -> None:
    joined = tmp_path / "joined.jellyp"
    joined.write_bytes(b"".join((log / f"{name}.jellyp").read_bytes() for name in "ba"))
    refused = invoke("replay", joined, code=1)
    assert "(jellyp: --repeated-options) to restart" in refused.output
    shown = invoke("replay", joined, "--repeated-options", "restart").stdout_bytes.decode()
    assert set(shown.splitlines()) == lines(dataset_at(2))


@pytest.mark.usefixtures("shared")
def test_input_at_fault_exits_with_1(log: Path) -> None:
    (log / "b.jellyp").unlink()
    result = invoke("replay", log, code=1)
    assert "patch 1 of" in result.output
    assert "a.jellyp comes after <uuid:1>" in result.output
    result = invoke("replay", log / "missing", code=1)
    assert f"Error: {log / 'missing'}: there is no such file or folder\n" in result.output
