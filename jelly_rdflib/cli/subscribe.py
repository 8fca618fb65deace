"""``jellyp subscribe``: receives patches from a broker, a server or a log."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.live_options import following_options, open_live
from jelly_rdflib.cli.options import (
    OUTPUT,
    chosen_limits,
    is_address,
    to_option,
)
from jelly_rdflib.cli.outputs import error_of_existing, open_output, output_format, patch_format
from jelly_rdflib.cli.printable import STANDARD_OUTPUT, name_errors, say
from jelly_rdflib.cli.progress import show_progress

if TYPE_CHECKING:
    from jelly_rdflib.live import Source
    from jelly_rdflib.patch.patch import Patch

# What is done with a patch, and what is done from time to time.
_Steps = tuple[Callable[["Patch"], object], Callable[[], object]]


@click.command("subscribe")
@click.argument("url", metavar="URL")
@click.option("-o", "--output", metavar="FILE", type=OUTPUT, help="Write the patches to a file.")
@click.option(
    "--apply",
    "target",
    metavar="DATASET",
    help="Apply them to a file of a dataset, or to a dataset of Fuseki: http://…/ds/patch.",
)
@click.option("--log", metavar="LOG", help="Append them to a patch log.")
@click.option(
    "--position",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Keep the position in the source in this file. [default: DATASET.position]",
)
@following_options("the DATASET and the position")
@to_option("FILE", default=" [default for standard output: rdf-patch]")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there.")
def command(
    url: str,
    output: str | None,
    target: str | None,
    log: str | None,
    position: str | None,
    store_every: float,
    timeout: float | None,
    settings: dict[str, str],
    secret_settings: dict[str, str],
    to: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Receive patches from a broker, a server or a log, as they come, until Ctrl+C.

    Without -o, --apply or --log the patches are printed as RDF Patch. With --apply or --log each
    patch counts once, however often the command is interrupted and started again. For URL see
    jellyp publish --help.

    \b
    Examples:
      jellyp subscribe kafka://localhost:9092/changes
      jellyp subscribe kafka://localhost:9092/changes --log history
      jellyp subscribe http://localhost:8080 --apply http://localhost:3030/ds/patch --position at
      jellyp subscribe mqtt://localhost/changes --setting session=copy --apply copy.jelly
    """
    from jelly_rdflib.live import connect
    from jelly_rdflib.log.following import follow

    if sum(each is not None for each in (output, target, log)) > 1:
        raise click.UsageError("-o, --apply and --log exclude one another")
    if output is not None and os.path.exists(output) and not overwrite:
        raise error_of_existing(output)
    options = {"timeout": timeout, "limits": chosen_limits(), **secret_settings, **settings}
    # A bar would stand among the patches that are printed.
    is_printed = as_json or (output in (None, "-") and target is None and log is None)
    with (
        open_live(connect, url, **options) as source,
        show_progress("receiving", None, is_bytes=False, is_shown=not is_printed) as advance,
    ):
        tell_of: Any = _print_json(source) if as_json else lambda _: advance(1)
        if log is not None:
            from jelly_rdflib.live.log import append_from
            from jelly_rdflib.log import PatchLog

            # A bar only counts: it does not need the patch itself.
            progress = (lambda entry: tell_of(entry.read())) if as_json else tell_of
            append_from(source, PatchLog(log, limits=chosen_limits()), progress=progress)
            return
        if target is not None and position is None and not is_address(target):
            position = f"{target}.position"
        place = None if position is None else _PositionFile(Path(position), source)
        is_file = target is not None and not is_address(target)
        if is_file and place is not None and place.was_there and not os.path.exists(str(target)):
            raise click.UsageError(
                f"{target} is gone, and {position} says how far it was: remove that to begin anew"
            )
        with _steps(target, output, to, is_shown=not as_json) as (take, store):

            def take_and_tell(patch: Patch) -> None:
                take(patch)
                if place is not None:
                    place.take()
                tell_of(patch)

            def store_all() -> None:
                store()
                if place is not None:
                    place.store()

            follow(source, take_and_tell, store_all, store_every=store_every)


def _print_json(source: Source) -> Callable[[Patch], None]:
    """Return a function that prints a line for each patch."""
    number = numbers(1)

    def tell_of(patch: Patch) -> None:
        headers = {key: str(value) for key, value in patch.header.items()}
        fields = {"patch": next(number), "operations": len(patch), "header": headers}
        say(json.dumps({**fields, "position": source.position}, ensure_ascii=False))

    return tell_of


@contextmanager
def _steps(
    target: str | None, output: str | None, to: str | None, *, is_shown: bool
) -> Iterator[_Steps]:
    """Yield what to do with each patch, and what to do from time to time."""
    if target is not None:
        yield _apply_steps(target)
        return
    if output is None and not is_shown:
        yield (lambda patch: None), (lambda: None)
        return
    from jelly_rdflib.streams.writing import PatchWriter

    path = output or "-"
    format: Any = patch_format(path, to).name
    destination: Any = sys.stdout.buffer if path == "-" else path
    with name_errors(output or STANDARD_OUTPUT), PatchWriter(destination, format=format) as writer:

        def write(patch: Patch) -> None:
            writer.write_all(patch)
            writer.end_patch()
            writer.encoder.flush()
            if path == "-":
                destination.flush()

        yield write, (lambda: None)


def _apply_steps(target: str) -> _Steps:
    from jelly_rdflib.graph.apply import apply
    from jelly_rdflib.patch.committed import committed

    if is_address(target):
        endpoint: Any = target
        return (lambda patch: apply(committed(patch), endpoint)), (lambda: None)
    from jelly_rdflib.cli.datasets import load, save
    from jelly_rdflib.graph.graphs import empty_dataset

    format = output_format(target, None)
    dataset: Any = empty_dataset()
    if os.path.exists(target):
        with open_argument(target, None) as input_:
            dataset = load(input_)

    def store() -> None:
        with open_output(target) as destination:
            save(dataset, destination, format)

    return (lambda patch: apply(committed(patch), dataset)), store


class _PositionFile:
    """A file with the position in a source.

    It is written after the data. If the program is killed between the two, the last patches are
    applied once more, in their order, which ends in the same data.
    """

    def __init__(self, path: Path, source: Source) -> None:
        self._path = path
        self._source = source
        self._position: str | None = None
        self.was_there = path.exists()
        if self.was_there:
            try:
                found = json.loads(path.read_text("utf-8"))
                url, position = found["url"], found["position"]
            except (ValueError, KeyError, TypeError):
                raise click.UsageError(f"{path} has no position in a source") from None
            if url != source.url:
                raise click.UsageError(f"{path} has a position in {url}, not in {source.url}")
            open_live(source.resume, position)

    def take(self) -> None:
        """Take note of the position after a patch."""
        self._position = self._source.position

    def store(self) -> None:
        """Write the file, wholly or not at all."""
        text = json.dumps({"url": self._source.url, "position": self._position})
        with open_output(str(self._path)) as destination:
            Path(destination).write_text(f"{text}\n", "utf-8")
