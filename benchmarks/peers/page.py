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

How fast this package is beside what else there is, in one run on one machine. `make bench-peers`
measures, and writes this page with its pictures; no figure in it is set by hand. `make bench`
measures much more of the package itself, against targets.

- Each figure is the median of {rounds} rounds in which all take turns, after each was warmed up;
  one that takes more than {slow:.0f} seconds a round has {slow_rounds}. The clock's time is taken.
  All read from memory, and write to memory or to a sink that counts.
- **M/s** is millions of added and deleted statements a second. A transaction's marks are read and
  written too, but not counted.
- The last column says how many times as fast this package is on the same format: by batches, and
  by rdflib's terms; where changes are applied, into its store.
- All Jelly has the same options: lookups of {names:,} names, {prefixes} prefixes and {datatypes}
  datatypes, {rows} rows to a frame, PUNCTUATED for patches.
- "To batches" is what this package's Arrow, Spark and text go through: columns of numbers, and for
  each frame a table of its terms as UTF-8. Jelly-JVM and Jena make Jena's terms and hand each
  statement to a sink.
- Jelly-JVM's module for patches is not on Maven Central. What is measured as *Jelly-JVM* on
  Jelly-Patch are its own terms, lookups and quads, from the modules that are there, with rows and
  frames around them made in `tests/interop/jvm`. On Jelly-RDF it is all its own.
- N-Quads and Jelly-RDF can't say that something is deleted: there the statements of adds and
  deletes are written alike.
- rdflib's `patch` is timed without a store: it makes the terms of each row and lets them go.
- "Applying" is to decode a patch and make its changes in a store that is empty before, transaction
  by transaction. This package does it for all stores of rdflib, by `jr.apply`. For Jena
  `RDFChangesApply` does it, with what Jelly-JVM decodes, in the datasets in memory that
  `DatasetGraphFactory` makes: that of `createTxnMem()` can abort a transaction, that of `create()`
  can't. Each time the number of quads that are left is checked.

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
            parts.append(f"Sizes, of what each writes:\n\n{_sizes(result)}\n")
    parts.append("## What it ran on\n\n")
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
        ("", "format", "", "M/s", "least to most", "times as fast"),
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
