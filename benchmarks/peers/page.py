"""Generate the page ``docs/benchmarks.md``."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from .results import Result, Results
from .task import APPLY, READ, WRITE, Task

__all__ = ["make_page"]

FORMATS = {
    "jellyp": "Jelly-Patch",
    "rdfp": "RDF Patch text",
    "rdfpb": "RDF Patch Thrift",
    "jelly": "Jelly-RDF",
    "nq": "N-Quads",
}
TITLES = {READ: "Reading", WRITE: "Writing", APPLY: "Applying"}

HEAD = """# Benchmarks

This page compares the speed of this package with that of others, in one run on one machine.
`make bench-peers` makes the measurements and writes this page with its pictures; no figure is
entered by hand. `make bench` measures much more of the package itself, against targets.

- Each figure is the median of {rounds} rounds, in which all programs take turns after a warm-up;
  a program that takes more than {slow:.0f} seconds a round has {slow_rounds} rounds. Times are
  wall-clock times. All read from memory, and write to memory or to a sink that counts.
- **M/s** is millions of added and deleted statements a second. The starts and ends of transactions
  are read and written too, but not counted.
- The last column says how many times as fast this package is on the same format: with batches, and
  with rdflib terms; where changes are applied, with its store.
- All Jelly has the same options: lookups of {names:,} names, {prefixes} prefixes and {datatypes}
  datatypes, {rows} rows to a frame, PUNCTUATED for patches.
- *To batches* means to the form from which this package makes Arrow, Spark's rows and text: columns
  of numbers, and for each frame a table of its terms as UTF-8. Jelly-JVM and Jena make Jena's terms
  and pass each statement to a sink.
- Jelly-JVM's module for patches is not on Maven Central. On Jelly-Patch, *Jelly-JVM* is its own
  code for terms, lookups and quads, from the published modules; the code around it for rows and
  frames is that of `tests/interop/jvm`. On Jelly-RDF all code is Jelly-JVM's own.
- N-Quads and Jelly-RDF can't express deletions: added and deleted statements are written in the
  same way.
- rdflib's `patch` is timed without a store: it makes the terms of each row and discards them.
- *Applying* means decoding a patch and making its changes in an initially empty store, transaction
  by transaction. This package does so for all rdflib stores, with `jr.apply`. For Jena,
  `RDFChangesApply` applies what Jelly-JVM decodes to the in-memory datasets that
  `DatasetGraphFactory` makes: the dataset of `createTxnMem()` can abort a transaction, the dataset
  of `create()` can't. The number of remaining quads is checked each time.

"""


def make_page(results: Results) -> str:
    """Return the page as Markdown."""
    parts = [HEAD.format(**results.facts)]
    for number, result in enumerate(results.results):
        parts.append(f"## {result.name[0].upper()}{result.name[1:]}\n\n")
        parts.append(f"{result.about} {result.count:,} statements.\n\n")
        parts.append(f"![Millions of statements a second]({plot_name(number)})\n\n")
        parts += (f"{TITLES[kind]}:\n\n{_speeds(result, kind)}\n" for kind in result.kinds)
        if result.sizes:
            parts.append(f"Sizes of the output:\n\n{_sizes(result)}\n")
    parts.append("## Machine and versions\n\n")
    parts.append(f"{results.machine}, on {results.date}.\n\n")
    parts.append(
        _table(("", "version"), ((name, number) for name, number in results.versions.items()))
    )
    return "".join(parts)


def plot_name(number: int) -> str:
    """Return the file name of a picture, which is next to the page."""
    return f"benchmarks-{number + 1}.svg"


def _speeds(result: Result, kind: str) -> str:
    return _table(
        ("", "format", "", "M/s", "range", "times as fast"),
        (
            (
                f"**{task.who}**" if task.is_ours else task.who,
                FORMATS[task.format],
                task.how,
                f"{result.rate(task):.2f}",
                f"{_rate(result, max(task.seconds))} to {_rate(result, min(task.seconds))}",
                _of_ours(result, task),
            )
            for task in result.ranking(kind)
        ),
        right=(3, 4, 5),
    )


def _rate(result: Result, seconds: float) -> str:
    return f"{result.count / seconds / 1e6:.2f}"


def _of_ours(result: Result, task: Task) -> str:
    """Return how many times as fast as the peer this package is on the same format."""
    if task.is_ours:
        return ""
    ours = [
        each
        for each in result.tasks
        if each.is_ours and (each.kind, each.format) == (task.kind, task.format)
    ]
    ratios = [
        f"{median(task.seconds) / median(each.seconds):.1f}\u00d7 {each.how.rpartition(' ')[2]}"
        for each in ours
    ]
    return ", ".join(ratios)


def _sizes(result: Result) -> str:
    return _table(
        ("", "format", "bytes", "with gzip"),
        (
            (size.who, FORMATS[size.format], f"{size.plain:,}", f"{size.gzipped:,}")
            for size in result.sizes
        ),
        right=(2, 3),
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]], right: tuple[int, ...] = ()) -> str:
    head = list(head)
    rule = ["---:" if column in right else "---" for column in range(len(head))]
    lines = (f"| {' | '.join(row)} |\n" for row in (head, rule, *rows))
    return "".join(lines)
