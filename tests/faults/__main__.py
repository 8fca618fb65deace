"""Faults counted: ``python -m tests.faults [WORD]`` prints a table of Markdown.

With a word, only of the faults that have it in their description.

It takes some minutes. The tests put the same faults in at some of the places.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from tests.faults.campaign import Tally, at_each_call, at_each_place, at_each_request, twice
from tests.faults.targets import TARGETS

__all__ = ["main"]

# What an interrupt can't stop half way: see docs/reliability.md.
WHOLE = [
    *("memory", "memory, a Graph", "Oxigraph", "Oxigraph, a Graph"),
    *("with transactions of its own", "of a third party"),
]
# The fast way calls no method of the store.
FAST = ["memory", "memory, as a ConjunctiveGraph", "memory, a Graph"]
CALLED = [name for name in TARGETS if name not in (*FAST, "SPARQL endpoint")]


def in_child(module: str, *arguments: str) -> Tally:
    """Run one of the modules that need a process of their own."""
    command = [sys.executable, "-m", f"tests.faults.{module}", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    injected, told = map(int, done.stdout.split()[-2:])
    return Tally(injected, told)


def main() -> None:
    """Inject all, and print how many there were."""
    kinds: list[tuple[str, list[Callable[[], Tally]]]] = [
        (
            "`RuntimeError`, `MemoryError` and `KeyboardInterrupt` from each call of each of the"
            " store's methods, before and after it is done",
            [partial(at_each_call, TARGETS[name]) for name in CALLED],
        ),
        (
            "two of them: one while another is undone",
            [partial(twice, TARGETS[name]) for name in CALLED if "on disk" not in name],
        ),
        (
            "a SPARQL endpoint that answers 503, before and after it does what is asked",
            [partial(at_each_request, TARGETS["SPARQL endpoint"])],
        ),
        (
            "`KeyboardInterrupt` where Python looks for signals, at one place of 61",
            [partial(at_each_place, TARGETS[name], stride=61) for name in WHOLE],
        ),
        (
            "`KeyboardInterrupt` by a timer's signal",
            [partial(in_child, "signals", name, "400", "1") for name in ("memory", "Oxigraph")],
        ),
        (
            "no memory for one allocation",
            [
                *(
                    partial(in_child, "no_memory", work, "memory", "1")
                    for work in ("read Jelly-Patch", "read text", "write Jelly-Patch", "apply")
                ),
                partial(in_child, "no_memory", "apply", "of a third party", "7"),
            ],
        ),
    ]
    print("| fault | injected | state of the last commit | told by a `RollbackError` |")
    print("| --- | ---: | ---: | ---: |")
    everything = Tally()
    word = "".join(sys.argv[1:])
    for kind, campaigns in kinds:
        if word not in kind:
            continue
        start = time.perf_counter()
        tally = Tally()
        for campaign in campaigns:
            tally += campaign()
        everything += tally
        print(row(kind, tally), flush=True)
        print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    print(row("all", everything))


def row(kind: str, tally: Tally) -> str:
    return f"| {kind} | {tally.injected:,} | {tally.injected - tally.told:,} | {tally.told:,} |"


if __name__ == "__main__":
    main()
