"""``jellyp subscribe``: receives patches from a broker, a server or a log."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.live_options import LIVE_URL, following_options, open_live
from jelly_rdflib.cli.log import LOG
from jelly_rdflib.cli.options import (
    OUTPUT,
    chosen_limits,
    is_address,
    overwrite_option,
    to_option,
)
from jelly_rdflib.cli.outputs import error_of_existing, open_output, output_format, patch_format
from jelly_rdflib.cli.printable import STANDARD_OUTPUT, name_errors, say
from jelly_rdflib.cli.progress import show_progress

if TYPE_CHECKING:
    from jelly_rdflib.live import Source
    from jelly_rdflib.patch.patch import Patch

_ID = 0x4A505053  # "JPPS"
_SCHEMA = "CREATE TABLE place (url TEXT NOT NULL, position TEXT, digest TEXT)"
_ADVICE = "nothing is lost: remove it and the data that it belongs to, and start again"


@click.command("subscribe")
@click.argument("url", metavar="URL", type=LIVE_URL)
@click.option("-o", "--output", metavar="FILE", type=OUTPUT, help="Write the patches to a file.")
@click.option(
    "--apply",
    "target",
    metavar="DATASET",
    help="Apply the patches to a data file, or to a dataset on Fuseki: http://…/ds/patch.",
)
@click.option("--log", metavar="LOG", type=LOG, help="Append the patches to a patch log.")
@click.option(
    "--position",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Keep the position in the source in this file. [default: DATASET.position]",
)
@following_options
@to_option("FILE", default=" [default for standard output: rdf-patch]")
@overwrite_option
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
    strict: bool,
    to: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Receive patches from a broker, a server or a log.

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
    from jelly_rdflib.log.following import follow, follow_into

    if sum(each is not None for each in (output, target, log)) > 1:
        raise click.UsageError("-o, --apply and --log exclude one another")
    if position is not None and target is None:
        raise click.UsageError("--position is for --apply")
    if strict and (target is None or is_address(target)):
        raise click.UsageError("--strict is for --apply to a file")
    if output is not None and os.path.exists(output) and not overwrite:
        raise error_of_existing(output)
    settings = {**secret_settings, **settings}
    # Show no bar if patches are printed: the two would be mixed.
    is_printed = as_json or (output in (None, "-") and target is None and log is None)
    with (
        open_live(connect, url, settings, timeout=timeout, limits=chosen_limits()) as source,
        show_progress("receiving", None, is_bytes=False, is_shown=not is_printed) as advance,
    ):
        tell_of: Any = _print_json(source) if as_json else lambda _: advance(1)
        if log is not None:
            from jelly_rdflib.live.log import append_from
            from jelly_rdflib.log import PatchLog

            # Read the patch again only to print it: a progress bar just counts.
            progress = (lambda entry: tell_of(entry.read())) if as_json else tell_of
            append_from(source, PatchLog(log, limits=chosen_limits()), progress=progress)
            return
        is_file = target is not None and not is_address(target)
        if is_file and position is None:
            position = f"{target}.position"
        if target is not None:
            copy = _Copy(source, position, target if is_file else None)

            def taken(patch: Patch) -> None:
                copy.position = source.position
                tell_of(patch)

            into: Any = copy.dataset if is_file else target
            follow_into(into, source, taken, copy.store, store_every=store_every, strict=strict)
            return
        with _writing(output, to, is_shown=not as_json) as (write, sync):

            def take(patch: Patch) -> None:
                write(patch)
                tell_of(patch)

            follow(source, take, sync, store_every=store_every)


def _print_json(source: Source) -> Callable[[Patch], None]:
    """Return a function that prints a line for each patch."""
    number = numbers(1)

    def tell_of(patch: Patch) -> None:
        headers = {key: str(value) for key, value in patch.header.items()}
        fields = {"patch": next(number), "operations": len(patch), "header": headers}
        say(json.dumps({**fields, "position": source.position}, ensure_ascii=False))

    return tell_of


@contextmanager
def _writing(
    output: str | None, to: str | None, *, is_shown: bool
) -> Iterator[tuple[Callable[[Patch], object], Callable[[], object]]]:
    """Yield a function that writes a patch to an output, and one that syncs the output to disk."""
    if output is None and not is_shown:
        yield lambda patch: None, lambda: None
        return
    from jelly_rdflib.log.staging import sync_folder
    from jelly_rdflib.streams.destination import compressed
    from jelly_rdflib.streams.writing import PatchWriter

    path = output or "-"
    format: Any = patch_format(path, to).name
    with ExitStack() as stack:
        stack.enter_context(name_errors(output or STANDARD_OUTPUT))
        raw: Any = sys.stdout.buffer
        if path != "-":
            raw = stack.enter_context(open(path, "wb"))
        file = raw if path == "-" else stack.enter_context(compressed(raw, path))
        writer = stack.enter_context(PatchWriter(file, format=format))

        def write(patch: Patch) -> None:
            writer.write_all(patch)
            writer.end_patch()
            writer.encoder.flush()
            if path == "-":
                raw.flush()

        def sync() -> None:
            file.flush()
            raw.flush()
            if path != "-" and os.path.isfile(path):
                os.fsync(raw.fileno())
                # Sync the folder, too: the file is new, and a crash must not lose its name.
                sync_folder(Path(os.path.realpath(path)).parent)

        yield write, sync


class _Place(NamedTuple):
    """A position in a source, and the digest of the file with its data, if there is a file."""

    url: str
    position: str | None
    digest: str | None


class _Copy:
    """A stored position in a source, and a file with the data at this position, if there is one.

    Until the file is replaced, the database keeps the rows of both the old and the new data. If
    the process is killed in between, the file's digest shows which row is valid.

    Args:
        source: The source, which continues from the position.
        path: The path of the database; None means that nothing is stored.
        target: The file.

    Attributes:
        position: The position of the data in memory, to be stored.
        dataset: The data in memory, if there is a file.
    """

    def __init__(self, source: Source, path: str | None, target: str | None) -> None:
        from jelly_rdflib.log.database import DEFAULT_TIMEOUT, Database

        self.position: str | None = None
        self._target = target
        # The rows as they were last read or written; rows that differ come from another process,
        # and are never replaced.
        self._rows: list[_Place] = []
        self._database = None
        if path is not None:
            place, kind = Path(os.path.abspath(path)), "position in a source"
            self._database = Database(place, kind, _ID, DEFAULT_TIMEOUT, {}, _SCHEMA, _ADVICE)
            if self._database.exists():
                with self._database.reading() as connection:
                    self._rows = _read(connection)
        digest = None if target is None or not os.path.exists(target) else _hash(target)
        if not self._rows:
            self._kept = _Place(source.url, None, digest)
        else:
            self._kept = self._rows[-1 if self._rows[-1].digest == digest else 0]
            if digest is None and self._kept.digest is not None:
                raise click.UsageError(
                    f"{target} is gone, but its position is in {path}: remove that to start again"
                )
            if self._kept.url != source.url:
                raise click.UsageError(
                    f"{path} has a position in {self._kept.url}, not in {source.url}"
                )
            if self._kept.position is not None:
                open_live(source.resume, self._kept.position)
        if target is not None:
            self._load(target, is_there=digest is not None)

    def _load(self, target: str, *, is_there: bool) -> None:
        from jelly_rdflib.cli.datasets import load
        from jelly_rdflib.graph.graphs import empty_dataset

        self._format = output_format(target, None)
        self.dataset = empty_dataset()
        if is_there:
            with open_argument(target, None) as input_:
                self.dataset = load(input_)

    def store(self) -> None:
        """Store the data and the position; raise a LogConflict if another process has done so."""
        from jelly_rdflib.cli.datasets import save
        from jelly_rdflib.log.staging import sync_folder

        if self._database is None:
            return
        self._database.create({})
        new = _Place(self._kept.url, self.position, None)
        with ExitStack() as last:
            if self._target is not None:
                with open_output(self._target) as temporary:
                    save(self.dataset, temporary, self._format)
                    new = new._replace(digest=_hash(temporary, is_new=True))
                    with self._changing(self._kept, new):
                        pass
                    # Commit this once the file has been replaced; no other process can intervene.
                    last.enter_context(self._changing(new))
                sync_folder(Path(os.path.realpath(self._target)).parent)
            else:
                last.enter_context(self._changing(new))
        self._kept = new

    @contextmanager
    def _changing(self, *rows: _Place) -> Iterator[None]:
        """Replace the rows at the end of a block, if nobody else has changed them."""
        from jelly_rdflib.errors import LogConflict

        assert self._database is not None
        with self._database.writing() as connection:
            if _read(connection) != self._rows:
                raise LogConflict(
                    f"{self._database.path}: another process has stored data and a position since:"
                    " only one can follow a source"
                )
            connection.execute("DELETE FROM place")
            connection.executemany("INSERT INTO place VALUES (?, ?, ?)", rows)
            yield
        self._rows = list(rows)


def _read(connection: Any) -> list[_Place]:
    rows = connection.execute(f"SELECT {', '.join(_Place._fields)} FROM place ORDER BY rowid")
    return [_Place(*row) for row in rows]


def _hash(path: str, *, is_new: bool = False) -> str:
    """Return the digest of a file; a new file is synced, too."""
    from jelly_rdflib.log.staging import hash_file

    with open(path, "r+b" if is_new else "rb") as file:
        digest = hash_file(file)[1]
        if is_new:
            os.fsync(file.fileno())
    return digest
