"""Compare the times of a log with those of another checkout of this package, already built.

``python -m benchmarks.against FOLDER [--rounds N]``

The history of schema.org is appended, replayed and checked out with the code here and the code in
the folder in turn, each in a separate process with its own ``.venv``. Seconds are processor time:
see the README. Logs may differ in format, so each checkout makes its own log.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from . import data
from .data import ROOT
from .log_works import make_history

PATCHES = "{}.jellyp"

# The other checkout may have other benchmarks or none, so it is passed all the code to run.
CODE = """
import json, sys, time
from pathlib import Path
from rdflib import Dataset
import jelly_rdflib as jr

folder, patches = Path(sys.argv[1]), sorted(Path(sys.argv[2]).iterdir())
patches = [list(jr.read_operations(each)) for each in patches]
seconds = {}

def timed(name, work):
    start = time.process_time()
    result = work()
    seconds[name] = time.process_time() - start
    return result

log = jr.PatchLog.create(folder)
timed("append", lambda: [log.append(each) for each in patches])
for version in range(4, log.version + 1, 4):
    log.snapshot(version)
timed("replay", lambda: log.replay(Dataset()))
timed("checkout, each version", lambda: [log.checkout(each.version) for each in log.patches()])
timed("checkout, the newest", lambda: log.checkout())
timed("verify", log.verify)
print(json.dumps(seconds))
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("folder", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    here: list[dict[str, float]] = []
    there: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as name:
        patches = Path(name)
        write_patches(patches)
        for _ in range(arguments.rounds):
            here.append(run(ROOT, patches))
            there.append(run(arguments.folder.resolve(), patches))
    table = Table(title=f"Seconds of the processor, here and in {arguments.folder}")
    for column in ("", "here", "there", "here / there", "least-most"):
        table.add_column(column, justify="left" if column == "" else "right")
    for key in here[0]:
        ratios = [ours[key] / theirs[key] for ours, theirs in zip(here, there, strict=True)]
        table.add_row(
            key,
            *(f"{median(each[key] for each in side):.3f}" for side in (here, there)),
            f"{median(ratios):.2f}",
            f"{min(ratios):.2f}-{max(ratios):.2f}",
        )
    Console().print(table)
    return 0


def write_patches(folder: Path) -> None:
    import jelly_rdflib as jr

    for number, patch in enumerate(make_history(tuple(data.load(data.ALL).quads)).patches):
        with jr.PatchWriter(folder / PATCHES.format(f"{number:03}")) as writer:
            writer.write_all(patch)


def run(checkout: Path, patches: Path) -> dict[str, float]:
    """Time all steps once, with a checkout's code."""
    python = checkout / ".venv" / "bin" / "python"
    with tempfile.TemporaryDirectory() as name:
        command = [str(python), "-c", CODE, f"{name}/log", str(patches)]
        done = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, check=True)
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
