"""Breaks a module in every small way that cosmic-ray knows, and shows which faults no test sees.

    make mutants MODULE=jelly_rdflib/graph/canonical/pairing.py

A fault that no test sees is a missing test, or a change without an effect. The module is changed in
a copy of the project, so that the working tree stays as it is. Annotations are left alone: at run
time they have no effect. All runs of tests on Spark share one JVM.
"""

from __future__ import annotations

import argparse
import ast
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support import ROOT

COPIED = ("jelly_rdflib", "tests", "docs", "pyproject.toml", "README.md", "conftest.py")


def default_tests(module: Path) -> list[str]:
    """Return the module's own tests, then the others of the folder that mirrors its own.

    If there is no such folder, it is the nearest above. The module's own tests see most faults.
    """
    folder = Path("tests", module.relative_to("jelly_rdflib").parent)
    own = folder / f"test_{module.stem}.py"
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    found = sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("test_*.py"))
    return list(map(str, [*sorted(found, key=lambda path: path != own), module]))


def start_java() -> dict[str, str]:
    """Start the JVM that all runs share, and return the variables that tell PySpark of it.

    Without it each run would start one, which takes long until it has compiled Spark's code.
    """
    from tests.spark.session import open_session

    gateway: Any = open_session().sparkContext._gateway
    parameters = gateway.gateway_parameters
    return {
        "PYSPARK_GATEWAY_PORT": str(parameters.port),
        "PYSPARK_GATEWAY_SECRET": parameters.auth_token,
    }


def skip_annotations(module: Path, session: Path) -> None:
    """Have a session of cosmic-ray skip what changes an annotation."""
    from cosmic_ray.work_db import use_db
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    skipped = WorkResult(worker_outcome=WorkerOutcome.SKIPPED)
    nodes = list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
    found = [getattr(node, name, None) for node in nodes for name in ("annotation", "returns")]
    places = [((a.lineno, a.col_offset), (a.end_lineno, a.end_col_offset)) for a in found if a]
    with use_db(str(session)) as database:
        for item in database.pending_work_items:
            if any(start <= item.mutations[0].start_pos < end for start, end in places):
                database.set_result(item.job_id, skipped)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("module", type=Path, help="a Python file, relative to the project")
    parser.add_argument("tests", nargs="*", help="what pytest runs; by default the module's folder")
    arguments = parser.parse_args()
    tests = arguments.tests or default_tests(arguments.module)
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        # Children of the tests must find the copy, too; each run has the same examples.
        os.environ.update(PYTHONPATH=scratch, HYPOTHESIS_PROFILE="quick")
        os.chdir(copy)
        environment = dict(os.environ)
        if arguments.module.is_relative_to("jelly_rdflib/spark"):
            environment |= start_java()
        options = ["-x", "-q", "-p", "no:cacheprovider"]
        pytest = [sys.executable, "-m", "pytest", *options, *tests]
        started = time.monotonic()
        subprocess.run(pytest, env=environment, check=True)
        timeout = 10 + 4 * (time.monotonic() - started)
        (copy / "mutants.toml").write_text(
            "[cosmic-ray]\n"
            f'module-path = "{arguments.module}"\n'
            f"timeout = {timeout:.0f}\n"
            "excluded-modules = []\n"
            f"test-command = '{shlex.join(pytest)}'\n"
            "[cosmic-ray.distributor]\n"
            'name = "local"\n',
            encoding="utf-8",
        )

        def call(*command: str) -> str:
            program = Path(sys.executable).with_name(command[0])
            return subprocess.run(
                [program, *command[1:]],
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout

        call("cosmic-ray", "init", "mutants.toml", "mutants.sqlite")
        skip_annotations(arguments.module, copy / "mutants.sqlite")
        call("cosmic-ray", "exec", "mutants.toml", "mutants.sqlite")
        print(call("cr-report", "--surviving-only", "--show-diff", "mutants.sqlite"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
