"""Tests the deployment methods of docs/spark/deploy.md by running the page's commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import jelly_rdflib as jr
from release.trial import NOT_COPIED, run
from tests.examples import DOCS
from tests.java_server import free_port, listens, wait_for
from tests.spark.live.cluster import Cluster
from tests.spark.pipeline.test_jobs import ADDS, CHANGES, write_patch
from tests.spark.session import check_spark
from tests.support import ROOT

pytestmark = pytest.mark.slow

PAGE = (DOCS / "spark" / "deploy.md").read_text(encoding="utf-8")
OWN = "{}.{}".format(*sys.version_info)
VERSIONS = list(dict.fromkeys([OWN, "3.12", "3.13"]))


def blocks(section: str, kind: str) -> list[str]:
    """Return the blocks of a section of the page; "" is the part before the first section."""
    before, _, after = PAGE.partition(f"\n## {section}\n")
    part = (after if section else before).partition("\n## ")[0]
    return re.findall(rf"^```{kind}\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)


def find_python(version: str) -> str:
    """Return a Python of this version outside any environment; skip the test if it is missing."""
    if version == OWN:
        return str(sys._base_executable)  # type: ignore[attr-defined]
    by_pyenv = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    for found in (shutil.which(f"python{version}"), *by_pyenv):
        # pyenv may have a launcher for a Python that is not installed.
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return str(found)
    pytest.skip(f"there is no python{version}")


class Site:
    """A folder from which jobs are sent to the cluster, with a Python and a wheel."""

    def __init__(self, folder: Path, version: str, cluster: Cluster, tree: Path) -> None:
        self.folder, self.cluster = folder, cluster
        self.python = find_python(version)
        run(self.python, "-m", "venv", folder / "tools")
        command = (folder / "tools/bin/pip", "wheel", "--no-deps", "-w", folder / "wheels", tree)
        run(*command, environment={**cluster.environment, "JELLY_RDFLIB_CFLAGS": "-O0"})
        (wheel,) = (folder / "wheels").iterdir()
        self.words = {
            "python -m venv": f"{self.python} -m venv",
            ".[arrow]": f"jelly-rdflib[arrow] @ {wheel.as_uri()}",
            "HOST:7077": f"127.0.0.1:{cluster.port}",
        }
        folders = [os.path.dirname(self.python), *cluster.environment["PATH"].split(os.pathsep)]
        path = os.pathsep.join([str(folder / "tools" / "bin"), *folders])
        # By default PEX uses a single registry.
        self.environment = {**cluster.environment, "PATH": path, "PEX_USE_PIP_CONFIG": "true"}
        (folder / "job.py").write_text(blocks("", "py")[0], encoding="utf-8")
        (folder / "log").mkdir()
        write_patch(folder / "log" / "1.jellyp", "urn:1", None, ADDS)
        write_patch(folder / "log" / "2.jellyp", "urn:2", "urn:1", CHANGES)

    def fill(self, script: str, **words: str) -> str:
        """Return a script of the page with this machine's paths and addresses filled in."""
        for name, text in {**self.words, **words}.items():
            assert name in script or name not in words
            script = script.replace(name, text)
        return script

    def run(self, script: str, **words: str) -> str:
        """Run a script of the page; return its output."""
        ended = self.try_to(self.fill(script, **words))
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    def try_to(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a shell script that stops at the first error."""
        return subprocess.run(
            ["bash", "-euc", script],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )

    def check(self, quads: str, before: dict[str, int]) -> None:
        """Check a job's output, and that both workers have started executors since ``before``."""
        found = {
            str(statement[2])
            for path in (self.folder / quads).glob("*.jelly")
            for statement in jr.read_statements(path)
        }
        assert found == {"0", "2", "3"}
        after = self.cluster.executors()
        assert all(after[name] > count for name, count in before.items())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    check_spark()
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources, from which wheels are built."""
    folder = tmp_path_factory.mktemp("tree") / "tree"
    return Path(shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED)))


@pytest.fixture(scope="module")
def sites(
    tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, tree: Path
) -> Callable[[str], Site]:
    """Return a function that makes the site for a Python, with an archive of its environment."""
    made: dict[str, Site] = {}

    def site(version: str) -> Site:
        if version not in made:
            new = Site(tmp_path_factory.mktemp("site"), version, cluster, tree)
            new.run(archive_commands()[0])
            made[version] = new
        return made[version]

    return site


def archive_commands() -> tuple[str, str]:
    """Return the commands that make the archive, and the commands that submit a job with it."""
    (commands,) = blocks("An archive of an environment", "sh")
    making, start, job = commands.partition("PYSPARK_PYTHON=")
    return making, start + job


@pytest.mark.parametrize("version", VERSIONS)
def test_an_archive(sites: Callable[[str], Site], version: str) -> None:
    site = sites(version)
    before = site.cluster.executors()
    # The paths are for the driver, since each executor has its own folder.
    site.run(archive_commands()[1], **{"LOG QUADS": "log by-archive"})
    site.check("by-archive", before)


def test_an_environment_on_all_machines(sites: Callable[[str], Site]) -> None:
    site = sites(OWN)
    before = site.cluster.executors()
    (command,) = blocks("The same environment on all machines", "sh")
    site.run(command, **{"/opt/jelly": str(site.folder / "pack"), "LOG QUADS": "log by-path"})
    site.check("by-path", before)


def test_pex(sites: Callable[[str], Site]) -> None:
    site = sites(OWN)
    before = site.cluster.executors()
    (commands,) = blocks("A PEX file", "sh")
    site.run(commands, **{"LOG QUADS": "log by-pex"})
    site.check("by-pex", before)


def test_connect(sites: Callable[[str], Site]) -> None:
    pytest.importorskip("grpc_status", reason="pip install 'jelly-rdflib[connect]'")
    site = sites(OWN)
    before = site.cluster.executors()
    (command,) = blocks("Spark Connect", "sh")
    port = free_port()
    log = site.folder / "server.log"
    # The shell process becomes the server, which is ended below.
    words = {"port=15002": f"port={port}", "spark-submit": "exec spark-submit"}
    with log.open("wb") as file:
        server = subprocess.Popen(
            ["bash", "-euc", site.fill(command, **words)],
            cwd=site.folder,
            env=site.environment,
            stdout=file,
            stderr=file,
        )
    try:
        wait_for(server, lambda: listens(port), log, "the server")
        client = blocks("Spark Connect", "py")[0].replace("HOST:15002", f"127.0.0.1:{port}")
        job = blocks("", "py")[0].replace("spark = SparkSession.builder.getOrCreate()\n", client)
        ended = subprocess.run(
            [sys.executable, "-c", job, str(site.folder / "log"), str(site.folder / "by-connect")],
            cwd=site.folder,
            env={**site.cluster.environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        assert ended.returncode == 0, ended.stdout + log.read_text("utf-8", "replace")[-3000:]
    finally:
        server.terminate()
        server.wait()
    site.check("by-connect", before)


LATE = """
import sys
from pyspark.sql import SparkSession
from jelly_rdflib.spark import register

spark = SparkSession.builder.getOrCreate()
spark.sparkContext.addPyFile(sys.argv[1])
register(spark)
"""


def test_a_zip_of_the_package(sites: Callable[[str], Site], tree: Path) -> None:
    """A zip file shadows the installed package, on the driver or only on the workers."""
    site = sites(OWN)
    made = shutil.make_archive(str(site.folder / "package"), "zip", tree, "jelly_rdflib")
    (site.folder / "late.py").write_text(LATE, encoding="utf-8")
    submit = f"spark-submit --master spark://127.0.0.1:{site.cluster.port}"
    python = {"PYSPARK_PYTHON": str(site.folder / "pack" / "bin" / "python")}
    for command, start in (
        (f"{submit} --py-files {shlex.quote(made)} job.py log by-zip", "ImportError: "),
        (f"{submit} late.py {shlex.quote(made)}", "RuntimeError: Spark's workers: "),
    ):
        ended = site.try_to(command, **python)
        assert ended.returncode == 1
        words = f"{start}jelly_rdflib can't be imported from .*package.zip: .* --py-files"
        assert re.search(words, ended.stdout), ended.stdout[-3000:]
    assert not (site.folder / "by-zip").exists()
