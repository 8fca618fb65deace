"""The history of the Brick ontology as a patch log: written, replayed, checked out and verified.

Each release becomes a patch that turns the previous release into it. The patches are appended to a
log, which is a folder. Blank nodes are compared by the statements about them, since they have no
labels in the releases. The log is then replayed into an empty dataset. After each patch the dataset
is compared with the release: every quad, with canonical blank-node labels, and every prefix. A
snapshot is taken, each version is checked out and compared, and the log is verified.

Usage: ``python demo/brick_history.py ONTOLOGIES LOG [--plot FILE]``, where ONTOLOGIES is a folder
with a folder for each release, and LOG the folder to write. ``make demo`` provides both folders.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import io
import itertools
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pyoxigraph as ox
from rdflib import Dataset, URIRef
from rdflib.namespace import NamespaceManager
from rdflib.term import Node
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import jelly_rdflib as jr
from jelly_rdflib.core.zstd import zstd

VERSIONS = ("1.1", "1.2", "1.3", "1.4", "1.5")

State: TypeAlias = tuple[set[str], set[tuple[str, str]]]
"""The quads as text, with canonical blank-node labels, and the prefixes."""
Report: TypeAlias = Callable[[str], None]
"""A function that is called with the next step, for the progress bar."""


class MismatchError(Exception):
    """The data that were read or replayed are not what they should be."""


class Sizes(NamedTuple):
    """The bytes of a patch in one format."""

    plain: int
    gzip: int
    zstd: int

    @classmethod
    def of(cls, data: bytes) -> Sizes:
        """Return the sizes of data: plain, and compressed as gzip and zstd do by default."""
        return cls(len(data), len(gzip.compress(data, 6)), len(zstd.compress(data, 3)))


@dataclass
class Release:
    """A release's name, its complete state, and the size and replay times of its patch."""

    version: str
    state: State
    operations: int
    jelly: Sizes
    text: Sizes
    seconds: float = 0.0
    """The time to replay the patch into a `JellyStore`."""
    memory_seconds: float = 0.0
    """The time to replay the patch into rdflib's own store."""


def patch_id(version: str) -> URIRef:
    """Return the id of a release's patch, which is the same in every run."""
    return URIRef(uuid.uuid5(uuid.NAMESPACE_URL, release_iri(version)).urn)


def release_iri(version: str) -> str:
    """Return the IRI where a release is published: the base of its relative IRIs."""
    return f"https://brickschema.org/schema/{version}/Brick"


def empty_dataset(store: str = "Jelly") -> Dataset:
    """Make a dataset without the prefixes that rdflib binds by itself: no release has them."""
    dataset = Dataset(store=store)
    dataset.namespace_manager = NamespaceManager(dataset, bind_namespaces="none")
    return dataset


def read_release(ontologies: Path, version: str) -> tuple[Dataset, State]:
    """Read a release; read it again with pyoxigraph alone, and return that state."""
    path = ontologies / version / "Brick.ttl"
    dataset = empty_dataset()
    for batch in jr.read_batches(path, base=release_iri(version)):
        jr.apply(batch, dataset)
    parser = ox.parse(path=path, format=ox.RdfFormat.TURTLE, base_iri=release_iri(version))
    state = canonical(parser), set(parser.prefixes.items())
    if state_of(dataset) != state:
        raise MismatchError(f"{version}: rdflib has not kept all quads as they were")
    return dataset, state


def canonical(quads: Iterable[ox.Quad | ox.Triple]) -> set[str]:
    """Return quads with RDFC-1.0 labels, so that isomorphic datasets have equal results."""
    dataset = ox.Dataset(quads)  # type: ignore[arg-type]
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return set(map(str, dataset))


def state_of(dataset: Dataset) -> State:
    """Return the quads of a dataset, with canonical blank-node labels, and its prefixes."""
    lines = io.BytesIO()
    with jr.StatementWriter(lines, format="n-quads") as writer:
        writer.write_all(dataset.quads())
    quads = ox.parse(lines.getvalue(), ox.RdfFormat.N_QUADS)
    return canonical(quads), {(prefix, str(iri)) for prefix, iri in dataset.namespaces()}


def text_row(operation: jr.Operation) -> str:
    """Return an operation as a row of RDF Patch text, with which ``.jellyp`` is compared."""
    op, *fields = operation
    tokens = [
        field.n3() if isinstance(field, Node) else f'"{field}"'
        for field in fields
        if field is not None
    ]
    return " ".join([op.name, *tokens, ".\n"])


def write_log(ontologies: Path, log: jr.PatchLog, report: Report) -> list[Release]:
    """Append a patch for each release; it changes the previous release, or an empty dataset."""
    releases: list[Release] = []
    # The log's newest version. Nodes that stay keep the labels of their first release.
    dataset = empty_dataset()
    for version in VERSIONS:
        report(f"reading {version}")
        new, state = read_release(ontologies, version)

        report(f"appending {version}")
        patch = jr.diff(dataset, new, canonical=True)
        headers = {"id": patch_id(version), "title": f"Brick {version}"}
        entry = log.append(patch, header=headers)
        patch.apply(dataset)
        text = "".join(map(text_row, entry.operations())).encode()
        releases.append(
            Release(
                version=version,
                state=state,
                operations=len(patch),
                jelly=Sizes.of(entry.path.read_bytes()),
                text=Sizes.of(text),
            )
        )
    return releases


def replay_log(log: jr.PatchLog, releases: list[Release], report: Report) -> None:
    """Apply the log patch by patch to an empty dataset, and compare it with each release."""
    # Otherwise the garbage collector would traverse the releases, which are kept for the
    # comparison, again and again, and that time would count as replay time.
    gc.freeze()
    dataset, in_memory = empty_dataset(), empty_dataset("default")
    for entry, release in zip(log.patches(), releases, strict=True):
        report(f"replaying {release.version}")
        release.seconds = replay_one(log, entry.version, dataset)
        check_state(dataset, release)
        release.memory_seconds = replay_one(log, entry.version, in_memory)


def replay_one(log: jr.PatchLog, version: int, dataset: Dataset) -> float:
    """Apply one patch of the log, and return the seconds it took."""
    start = time.perf_counter()
    log.replay(dataset, since=version - 1, upto=version)
    return time.perf_counter() - start


def check_out(log: jr.PatchLog, releases: list[Release], report: Report) -> None:
    """Go back to each release, from a snapshot where that is nearer, and verify the log."""
    log.snapshot(len(releases) // 2 + 1)
    for version, release in enumerate(releases, 1):
        report(f"going back to {release.version}")
        check_state(log.checkout(version), release)
    report("verifying")
    for problem in log.verify(deep=True):
        raise MismatchError(str(problem))


def check_state(dataset: Dataset, release: Release) -> None:
    """Compare a dataset with a release."""
    quads, prefixes = state_of(dataset)
    if quads != release.state[0]:
        count = len(quads ^ release.state[0])
        raise MismatchError(f"{release.version}: {count} quads are missing or too many")
    if prefixes != release.state[1]:
        differing = sorted(prefixes ^ release.state[1])
        raise MismatchError(f"{release.version}: prefixes differ: {differing}")


def table_of(releases: list[Release]) -> Table:
    """Return a table of the sizes and times of each release's patch; a kB has 1000 bytes."""
    table = Table(title="The patches of Brick's releases", show_footer=True)
    table.add_column("release", "all", no_wrap=True)

    def add(name: str, numbers: list[float], form: str) -> list[str]:
        table.add_column(name, form.format(sum(numbers)), justify="right", no_wrap=True)
        return [form.format(number) for number in numbers]

    columns = [[release.version for release in releases]]
    columns.append(add("operations", [release.operations for release in releases], "{:,}"))
    columns.append(add("kB as\n.jellyp", [each.jelly.plain / 1e3 for each in releases], "{:,.0f}"))
    columns.append(add("kB as\ntext", [each.text.plain / 1e3 for each in releases], "{:,.0f}"))
    columns.append(add("seconds,\nJellyStore", [each.seconds for each in releases], "{:.2f}"))
    columns.append(add("seconds,\nrdflib's", [each.memory_seconds for each in releases], "{:.2f}"))
    for row in zip(*columns, strict=True):
        table.add_row(*row)
    return table


def sizes_of(releases: list[Release]) -> dict[str, Sizes]:
    """Return the sizes of all patches together in each format, plain and compressed."""
    return {
        ".jellyp": Sizes(*map(sum, zip(*(each.jelly for each in releases), strict=True))),
        "RDF Patch text": Sizes(*map(sum, zip(*(each.text for each in releases), strict=True))),
    }


def table_of_sizes(releases: list[Release]) -> Table:
    """Return a table of the plain and compressed sizes of all patches together."""
    table = Table("all, in kB", *Sizes._fields, title="Plain and compressed")
    for column in table.columns[1:]:
        column.justify = "right"
    for format, sizes in sizes_of(releases).items():
        table.add_row(format, *(f"{size / 1e3:,.0f}" for size in sizes))
    return table


def draw(releases: list[Release], path: Path) -> None:
    """Draw the sizes of all patches together, by format, and the seconds of their replay."""
    # Imported only here, since the tables don't need it and it may not be installed.
    from matplotlib.figure import Figure

    sizes = {
        f"{format.rpartition(' ')[2]}\n{kind}": size / 1e6
        for format, all_sizes in sizes_of(releases).items()
        for kind, size in all_sizes._asdict().items()
    }
    times = {
        "JellyStore": sum(each.seconds for each in releases),
        "rdflib's store": sum(each.memory_seconds for each in releases),
    }
    # Narrow, so that the text is legible on a phone.
    figure = Figure(figsize=(4.8, 5.6), layout="constrained")
    upper, lower = figure.subplots(2, height_ratios=[3, 2])
    for axes, bars, title, form in (
        (upper, sizes, "MB, all patches", "%.1f"),
        (lower, times, "seconds to replay", "%.2f"),
    ):
        colours = ["#c2185b" if "elly" in name else "#90a4ae" for name in bars]
        axes.bar_label(axes.bar(list(bars), list(bars.values()), color=colours), fmt=form)
        axes.set_title(title)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def main() -> int:
    """Run the demo; the exit code is 1 if a version differs from its release."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("ontologies", type=Path, help="folder with a folder for each release")
    parser.add_argument("log", type=Path, help="the folder to write; an existing one is replaced")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw a chart: .png, .svg, .pdf; needs matplotlib"
    )
    arguments = parser.parse_args()
    if arguments.plot and find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib: pip install matplotlib")
    for version in VERSIONS:
        if not (arguments.ontologies / version).is_dir():
            parser.error(f"there is no release {version} in {arguments.ontologies}")

    errors = Console(stderr=True)
    columns = (TextColumn("{task.description:20}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=4 * len(VERSIONS) + 1)
        done = itertools.count()

        def report(what: str) -> None:
            bar.update(task, description=what, completed=next(done))

        try:
            shutil.rmtree(arguments.log, ignore_errors=True)
            log = jr.PatchLog.create(arguments.log)
            releases = write_log(arguments.ontologies, log, report)
            replay_log(log, releases, report)
            check_out(log, releases, report)
        except (MismatchError, jr.JellyError, OSError) as error:
            errors.print(f"[bold red]Failed:[/] {escape(str(error))}")
            return 1

    output = Console()
    if not output.is_terminal:
        # As wide as the tables need, so that no line is cut in a file.
        output.width = 100
    output.print(table_of(releases))
    output.print(table_of_sizes(releases))
    if arguments.plot:
        draw(releases, arguments.plot)
    output.print(
        f"Replayed {arguments.log} into an empty dataset: after each patch its quads and prefixes"
        " were those of the release, except for the labels of blank nodes. So were those of each"
        " version that was checked out. Seconds are the time to read the patch and apply it, to"
        " this package's store and to rdflib's own."
        " `make demo-spark` replays the log on Apache Spark.",
        highlight=False,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
