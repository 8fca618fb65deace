"""Runs another project's tests twice: with rdflib's Memory as the default store, and with ours."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from tests.peers.outcomes import Outcome

__all__ = ["run_with_both_stores"]

_ROOT = Path(__file__).parents[2]
# The names of some tests contain the label of a new blank node, or the number of a manifest's entry
# in the order in which a store returns the entries.
_VARYING = re.compile(r"N[0-9a-f]{32}|(?<=rdf_test)[0-9]+")


def run_with_both_stores(checkout: Path, *arguments: str) -> Iterator[Outcome]:
    """Run pytest in a checkout; yield the tests, which differ if they pass only with Memory."""
    memory, ours = (_run(checkout, store, arguments) for store in ("Memory", "JellyStore"))
    for test in sorted({*memory, *ours}):
        came = ours.get(test, "not run")
        is_worse = memory.get(test) in ("passed", "skipped") and came in ("failed", "not run")
        is_worse = is_worse or (test not in memory and came == "failed")
        yield Outcome(test, f"{came}, with Memory {memory.get(test)}" if is_worse else None)


def _run(checkout: Path, store: str, arguments: tuple[str, ...]) -> dict[str, str]:
    """Return the outcome of each test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "outcomes.json")
        environment = {
            **os.environ,
            "PEERS_STORE": store,
            "PEERS_OUTCOMES": str(path),
            # These folders have the checkout's own rdflib, if any, this package and the plugin.
            "PYTHONPATH": os.pathsep.join(map(str, (checkout, _ROOT, _ROOT / "tests" / "peers"))),
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors"]
        command += ["-p", "child_plugin", "-p", "no:cacheprovider", *arguments]
        before = _child_seconds()
        ended = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        if not path.exists():
            raise RuntimeError(f"pytest broke off:\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}")
        outcomes = json.loads(path.read_text(encoding="utf-8"))
        print(f"{store}: {_child_seconds() - before:.1f} s of processor time")
    # Tests with the same name get numbers, failed tests first.
    named: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for name, outcome in sorted(outcomes.items(), key=itemgetter(1)):
        # The names also contain paths of the checkout.
        plain = _VARYING.sub("…", name).replace(str(checkout), "…")
        seen[plain] += 1
        named[plain if seen[plain] == 1 else f"{plain} ({seen[plain]})"] = outcome
    return named


def _child_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
