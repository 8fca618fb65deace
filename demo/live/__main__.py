"""An application whose changes go everywhere: ``make demo-live``.

Each of these has its own process: a patch-log server; the application of ``app.py``, which records
its changes there; two replicas; Apache Jena Fuseki; and a program that applies the log to Fuseki.
One replica is killed and restarted. Then Spark replays the same log. At the end all must have the
same statements.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx2
from rdflib import Dataset
from rich.console import Console
from rich.progress import track

import jelly_rdflib as jr
from tests.live.fuseki.support import Fuseki

JELLYP = [sys.executable, "-m", "jelly_rdflib"]
CONSOLE = Console()


class Program:
    """A program that runs until the end of a block."""

    def __init__(self, *command: str, **variables: str) -> None:
        self._command = command
        self._variables = variables
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            env={**os.environ, **self._variables},
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """Return the next line that the program prints."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{' '.join(self._command)} has ended")
        return line

    def kill_and_restart(self) -> None:
        """Kill the program, as a power failure would, and restart it."""
        self._process.kill()
        self._process.wait()
        self._start()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Terminate the program, as Ctrl+C does."""
        if self._process.returncode is None:
            self._process.terminate()
            self._process.communicate()


def follow_to(program: Program, version: int) -> None:
    """Wait until a replica reports that it has a version."""
    while not program.line().startswith(f"version {version}:"):
        pass


def statements(quads: Iterable[tuple[Any, ...]]) -> set[str]:
    """Return the statements of quads in N-Triples' syntax."""
    return {f"{s.n3()} {p.n3()} {o.n3()}" for s, p, o, _ in quads}


def statements_on_spark(log: Path) -> set[str]:
    """Replay a log on Spark."""
    out = log.with_name("spark")
    subprocess.run(
        [*JELLYP, "--quiet", "spark", "replay", str(log), "-o", str(out), "--to", "jelly"],
        check=True,
    )
    data = Dataset()
    for path in out.glob("*.jelly"):
        data.parse(path, format="jelly-rdf")
    return statements(data.quads())


def change(shop: str, count: int, replica: Program) -> None:
    """Have the application set a product ``count`` times; kill a replica in the middle."""
    with httpx2.Client(base_url=shop) as client:
        for number in track(range(count), "Changing", console=CONSOLE, transient=True):
            if number == count // 2:
                replica.kill_and_restart()
            product = {"name": f"Lamp {number}", "price": 1 + number % 7}
            client.put(f"/products/{number % 50}", json=product).raise_for_status()


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(prog="python -m demo.live", description=__doc__)
    parser.add_argument("--changes", type=int, default=200, help="how many times a product is set")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        history = folder / "history"
        jr.PatchLog.create(history)
        server = stack.enter_context(Program(*JELLYP, "log", "serve", str(history), "--port", "0"))
        log = server.line().split()[-1]
        CONSOLE.print(f"The patch log is at {log}")
        uvicorn = [sys.executable, "-m", "uvicorn", "demo.live.app:app", "--port", "8091"]
        uvicorn += ["--log-level", "warning"]
        stack.enter_context(Program(*uvicorn, LOG=log))
        shop = "http://127.0.0.1:8091"
        wait_for(shop)
        CONSOLE.print(f"The application is at {shop}")
        fuseki = stack.enter_context(Fuseki(folder))
        CONSOLE.print(f"Fuseki accepts patches at {fuseki.url}")
        first, second = (
            stack.enter_context(Program(*JELLYP, "replica", "-f", log, str(folder / each)))
            for each in ("one", "two")
        )
        subscribe = ["subscribe", log, "--json", "--apply", fuseki.url]
        third = stack.enter_context(Program(*JELLYP, *subscribe))
        CONSOLE.print("Two replicas and Fuseki follow the log")
        change(shop, arguments.changes, second)
        newest = jr.PatchLog(history)
        for replica in (first, second):
            follow_to(replica, newest.version)
            replica.end()
        while json.loads(third.line())["position"] != str(newest.entry().id):
            pass
        expected = statements(newest.checkout().quads())
        CONSOLE.print(f"{arguments.changes} changes made version {newest.version}")
        compare(
            "The first replica", statements(jr.Replica(folder / "one").dataset.quads()), expected
        )
        compare(
            "The second replica", statements(jr.Replica(folder / "two").dataset.quads()), expected
        )
        compare("Fuseki", statements(fuseki.quads()), expected)
        CONSOLE.print("Spark replays the log: half a minute.")
        compare("Spark", statements_on_spark(history), expected)


def compare(who: str, found: set[str], expected: set[str]) -> None:
    """Report that a copy has the expected statements, or exit with an error."""
    if found != expected:
        sys.exit(f"{who} has {len(found)} statements, but should have {len(expected)}")
    CONSOLE.print(f"{who} has the same {len(found):,} statements")


def wait_for(address: str) -> None:
    """Wait until the application responds."""
    for _ in range(300):
        with suppress(httpx2.HTTPError):
            httpx2.get(f"{address}/statements").raise_for_status()
            return
        time.sleep(0.1)
    sys.exit(f"{address} does not respond")


if __name__ == "__main__":
    main()
