"""``jellyp log`` and its commands."""

from __future__ import annotations

import json
import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial, wraps
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.commands import OrderedGroup
from jelly_rdflib.cli.input_errors import InputError, check_start
from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    chosen_limits,
    follow_option,
    from_option,
    is_address,
    is_quiet,
    output_option,
    read_number,
    read_range,
    repeated_option,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format
from jelly_rdflib.cli.printable import name_errors, say, tell
from jelly_rdflib.cli.progress import show_progress
from jelly_rdflib.extras import advice

if TYPE_CHECKING:
    from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource
    from jelly_rdflib.log import LogEntry, PatchLog
    from jelly_rdflib.log.names import Compression

# The value of `jelly_rdflib.log.database.DEFAULT_TIMEOUT`, repeated so that the help need not
# import that module.
DEFAULT_TIMEOUT = 30.0


def version(text: str) -> int | str:
    """Read a version from the command line: its number, or the id of its patch."""
    try:
        return int(text)
    except ValueError:
        return text


def _read_header(text: str) -> tuple[str, str]:
    """Read a header from the command line: NAME=TEXT."""
    from jelly_rdflib.headers import ID, PREV, header_key

    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r} is not a header: write it as NAME=TEXT")
    if header_key(name) in (ID, PREV):
        raise click.BadParameter(f"the value of {name!r} is an IRI, not text: for prev see --prev")
    return name, value


compression_option = click.option(
    "--compression", type=click.Choice(["zst"]), help="Compress the files that are written."
)


class _LogPath(click.Path):
    """The folder of a log, or the address of a log on a server."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if is_address(value):
            return value
        if value.lower().startswith("file:/"):
            from jelly_rdflib.log.names import local_path

            try:
                value = local_path(value)
            except ValueError as error:
                self.fail(f"{error}.", param, ctx)
        if "://" in value:
            message = f"{value!r} is not an address of a log: those start with http:// or https://."
            self.fail(message, param, ctx)
        if not os.path.exists(value):
            message = f"there is no folder {value!r}: jellyp log init makes a log."
            self.fail(message, param, ctx)
        return super().convert(value, param, ctx)


# The seconds that running requests get to finish after the signal to stop.
_LAST_SECONDS = 10

_FOLDER = click.Path(exists=True, file_okay=False)
LOG = _LogPath(exists=True, file_okay=False)
log_argument = click.argument("log", metavar="LOG", type=LOG)


@click.group("log", cls=OrderedGroup)
@click.option(
    "--wait",
    metavar="SECONDS",
    type=click.FloatRange(0, 86400),
    default=DEFAULT_TIMEOUT,
    show_default=True,
    callback=lambda context, param, value: context.meta.update(wait=value),
    expose_value=False,
    help="How long to wait for other writers of the log, or to retry a lost connection.",
)
def command() -> None:
    """Keep patches in a log: a folder with a file for each patch.

    Each patch names the one before it. The n-th patch makes version n of the data; version 0 is
    empty. A version is given by its number or by the id of its patch.

    LOG is the folder, or the address of a log on a server (see jellyp log serve). If the server
    needs a token, set the environment variable JELLYP_TOKEN to it.

    \b
    Examples:
      jellyp log init history
      jellyp log append history monday.jellyp
      jellyp log list history
      jellyp log checkout history 1 -o then.nq
      jellyp log --wait 5 append history tuesday.jellyp
    """


def log_command(function: Callable[..., None]) -> click.Command:
    """Make a command with the argument LOG; its function gets the opened log."""

    @wraps(function)
    def run(log: str, **arguments: Any) -> None:
        from jelly_rdflib.log import PatchLog

        with name_errors(log):
            function(PatchLog(log, limits=chosen_limits(), timeout=_wait()), **arguments)

    return command.command(function.__name__.rstrip("_"))(log_argument(run))


def _wait() -> float:
    """Return the seconds to wait for other writers: the value of ``--wait``."""
    seconds: float = click.get_current_context().meta["wait"]
    return seconds


@command.command()
@click.argument("log", metavar="LOG", type=click.Path(file_okay=False))
@compression_option
def init(log: str, compression: Compression) -> None:
    """Make a new log in the folder LOG.

    \b
    Examples:
      jellyp log init history
      jellyp log init --compression zst history
    """
    from jelly_rdflib.log import PatchLog

    try:
        PatchLog.create(log, compression=compression, timeout=_wait())
    except FileExistsError as error:
        raise click.UsageError(f"there is a patch log at {log} already") from error
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@log_command
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=CHANGES)
@click.option(
    "--prev",
    metavar="ID",
    help="The id of the patch that the first PATCH follows. newest: append each patch after the"
    " newest one, whatever prev the patch itself has.",
)
@click.option(
    "-H",
    "--header",
    "headers",
    metavar="NAME=TEXT",
    type=_read_header,
    multiple=True,
    help="A header to set in each patch, such as title='Lamps on', replacing its own. Repeatable.",
)
@from_option("PATCH")
@repeated_option
def append(
    log: PatchLog,
    patches: tuple[str, ...],
    prev: str | None,
    headers: tuple[tuple[str, str], ...],
    from_: str | None,
) -> None:
    """Append patches to a log, one after another.

    A PATCH may have several patches, or be another log. An empty PATCH is left out.

    A version is printed once its patch is on disk. The command stops with exit status 1 at a
    patch that does not follow the newest patch of the log: because another process appended first,
    or because --prev or the patch itself names another one.

    \b
    Examples:
      jellyp log append history monday.jellyp tuesday.rdfp
      jellyp diff old.nq new.nq | jellyp log append history - -H title='Lamps on' -H by=Ann
      jellyp log append history --prev urn:uuid:4ad5bd1f-1a62-4b8f-ae0e-ac8d0ec4d6b4 next.jellyp
      jellyp cat --patch 2 history | jellyp patch invert | jellyp log append history - --prev newest
    """
    from jelly_rdflib.errors import JellyError, LogConflict, LogError
    from jelly_rdflib.headers import PREV
    from jelly_rdflib.log.names import parse_patch_id

    dropped = {name.lower() for name, _ in headers}
    if prev == "newest":
        prev = None
        dropped.add(PREV)
    elif prev is not None:
        try:
            prev = parse_patch_id(prev)
        except LogError as error:
            raise click.BadParameter(str(error), param_hint="'--prev'") from error
    for patch in patches:
        with open_argument(patch, from_) as input_:
            entry = None
            try:
                with closing(input_.open_changes()) as batches:
                    for each in _split(batches, headers, dropped):
                        entry = log.append(each, prev=prev)
                        tell(f"version {entry.version}: {entry.id}")
                        prev = None
            except LogConflict as error:
                if error.is_locked:
                    raise
                advice = "--prev newest appends it anyway"
                if input_.patches is not None:
                    target = click.get_current_context().params["log"]
                    advice = f"jellyp subscribe {patch} --log {target} appends only what is new"
                elif PREV in dropped or not error.advice:
                    # Another process was first, or the log has the patch already.
                    raise
                raise InputError(input_.name, f"{error.message}: {advice}") from error
            except JellyError:
                raise
            except ValueError as error:
                # This happens if --prev and the patch itself name different patches.
                raise click.UsageError(str(error)) from error
            if entry is None and not is_quiet():
                say(f"{input_.name}: nothing to append", err=True)


def _split(
    batches: BatchSource, headers: Sequence[tuple[str, str]], dropped: set[str]
) -> Iterator[Any]:
    """Split batches into patches that have operations, and set headers.

    Each patch must be read to its end before the next one. ``dropped`` are the keys of headers to
    leave out, see `header_key`.
    """
    from rdflib.term import Literal

    from jelly_rdflib.algebra.sources import cut_patches, ends_patch
    from jelly_rdflib.core.batch import GeneratedBatches
    from jelly_rdflib.headers import header_key
    from jelly_rdflib.nodes import NODE_TYPES
    from jelly_rdflib.nodes.conversion import NodeBatches
    from jelly_rdflib.operations import Header, Op
    from jelly_rdflib.streams.sources import OpenedElsewhere

    parts = cut_patches(batches._slices())
    added: list[Header] = [(Op.H, name, Literal(text)) for name, text in headers]

    def read(part: BatchSlice | None) -> Iterator[Batch]:
        yield from NodeBatches(NODE_TYPES, added)
        while part is not None:
            batch, ops = part.batch, bytes(part.batch.ops[part.start : part.stop])
            kept = bytearray(b"\1" * len(ops))
            for row in compress(range(len(ops)), (op == Op.H for op in ops)) if dropped else ():
                key = header_key(batch.terms.text_of(batch.s[part.start + row]))
                kept[row] = key not in dropped
            yield part.as_batch(bytes(kept) if 0 in kept else None)
            part = None if ends_patch(part) else next(parts, None)

    for first in parts:
        if len(first) > 1 or not ends_patch(first):
            found: Any = read(first)
            yield OpenedElsewhere(partial(GeneratedBatches, found), can_reopen=False)


@log_command
@click.argument("versions", metavar="[VERSIONS]", required=False, type=read_range)
@click.option("-n", "--last", metavar="N", type=click.IntRange(1, 1000), help="Only the newest N.")
@follow_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
def list_(
    log: PatchLog, versions: range | None, last: int | None, follow: bool, as_json: bool
) -> None:
    """List the patches of a log, the oldest first.

    VERSIONS are 3, 2..5, 2.. or ..5.

    A line has the version, the time of the commit in UTC, the numbers of added and deleted
    statements, the header "by", and the header "title" or else the id. The command reads each
    patch to count its statements.

    \b
    Examples:
      jellyp log list history
      jellyp log list history 11..
      jellyp log list -n 10 -f https://example.org/history
      jellyp log list --json history | jq -r .id
    """
    if versions is not None and (follow or last is not None):
        raise click.UsageError("VERSIONS can't be combined with -n or -f")
    newest = log.version
    if versions is not None:
        entries = _within(log, versions)
    else:
        entries = log.patches() if last is None else log.latest(last)
    width = len(str(newest))
    for entry in chain(entries, log.follow(newest) if follow else ()):
        _list(entry, width, as_json=as_json)


def _within(log: PatchLog, versions: range) -> list[LogEntry]:
    """Return the patches of these versions."""
    from jelly_rdflib.errors import MissingVersion

    start, stop = _range_in(log, versions)
    try:
        return log.patches(start - 1, stop - 1)
    except MissingVersion:
        # The range starts or ends inside a squashed patch: take all patches that have some of the
        # wanted versions.
        entries = log.latest(log.version - start + 1)
        return [each for each in entries if start <= each.version and each.first < stop]


def _range_in(log: PatchLog, versions: range) -> tuple[int, int]:
    """Return the start and the stop of a range, limited to existing versions."""
    check_start(versions, log.version, "version", click.get_current_context().params["log"])
    return versions.start, min(versions.stop, log.version + 1)


def _list(entry: LogEntry, width: int, *, as_json: bool) -> None:
    """Print a patch of a log as a line; ``width`` is the width of the version column."""
    from jelly_rdflib.log.tables import entry_fields
    from jelly_rdflib.operations import Op

    header = {key: str(value) for key, value in entry.header.items()}
    added = deleted = 0
    with closing(entry.batches()) as batches:
        for batch in batches:
            ops = bytes(batch.ops)
            added += ops.count(Op.A)
            deleted += ops.count(Op.D)
    if as_json:
        fields = {**entry_fields(entry), "path": entry.location, "header": header}
        say(json.dumps({**fields, "added": added, "deleted": deleted}, ensure_ascii=False))
        return
    lower = {key.lower(): value for key, value in header.items()}
    single = entry.first == entry.version
    version = f"{entry.version}" if single else f"{entry.first}..{entry.version}"
    changes = f"+{added} −{deleted}"  # noqa: RUF001
    line = f"{version:>{width}}  {entry.time:%Y-%m-%d %H:%M:%S}  {changes:<18}"
    say(f"{line}  {lower.get('by', ''):<16}  {lower.get('title', entry.id)}")


@command.command()
@click.argument("logs", metavar="FOLDER...", nargs=-1, required=True, type=_FOLDER)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The name or address to listen on."
)
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port to listen on; 0 picks a free one.",
)
@click.option(
    "--grpc-port",
    type=click.IntRange(0, 65535),
    help="Serve the log over gRPC, too, on this port; 0 picks a free one.",
)
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False),
    help="A file of tokens. Each line has a right (read, append or manage), a token, and"
    " optionally the names of the logs that the token is for.",
)
@click.option("--no-tokens", "is_open", is_flag=True, help="Let everybody read, append and manage.")
@click.option(
    "--certificate", type=click.Path(exists=True, dir_okay=False), help="A TLS certificate."
)
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Its private key.")
@click.option(
    "--max-body",
    default="256M",
    show_default=True,
    metavar="SIZE",
    type=read_number,
    help="The largest patch to accept, in bytes; K, M and G stand for powers of 1024.",
)
@click.option(
    "--rate", metavar="RATE", help="How many requests each client may make: 100/second, say."
)
@click.option(
    "--max-followers",
    metavar="COUNT",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="The maximum number of followers at the same time; one host may have half of them.",
)
@click.option("--access-log", is_flag=True, help="Print a line for each HTTP request.")
def serve(
    logs: tuple[str, ...],
    host: str,
    port: int,
    grpc_port: int | None,
    is_open: bool,
    key: str | None,
    access_log: bool,
    **options: Any,
) -> None:
    """Serve logs over HTTP, until Ctrl+C or SIGTERM.

    A FOLDER is a log or contains logs; logs that are created in it later are served, too.
    If several logs are served, the address of each ends with its name:
    http://127.0.0.1:8080/history

    All jellyp log commands, and PatchLog in Python, accept the address that is printed. Its page
    /docs describes the interface for other programs. Other processes may use the folder at the
    same time.

    On SIGHUP the server reads the tokens and the certificate again. On SIGTERM it ends with exit
    status 0.

    \b
    Examples:
      jellyp log serve history
      jellyp log serve history --host 0.0.0.0 --tokens tokens.txt --certificate c.pem --key k.pem
      jellyp log serve history --grpc-port 8981
      jellyp log serve logs/*
      jellyp log list -f http://127.0.0.1:8080
    """
    with advice("a server", "jelly-rdflib[server]"):
        import uvicorn

        from jelly_rdflib.cli import serving
        from jelly_rdflib.cli.connections import most_connections, protocol
        from jelly_rdflib.live.http.access import Tokens, is_local
        from jelly_rdflib.live.http.server import LogServer
    server_class: Any = LogServer
    if grpc_port is not None:
        # Keep gRPC from printing a line for each client that aborts a handshake.
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")
        with advice("--grpc-port", "jelly-rdflib[grpc]"):
            from jelly_rdflib.live.grpc.log_server import PatchLogServer as server_class

    tokens, certificate = options.pop("tokens"), options.pop("certificate")
    if tokens is None and not is_open and not is_local(host):
        raise click.UsageError(
            f"everybody who reaches {host} could change the log: give --tokens, or --no-tokens to"
            " allow that"
        )
    if (key is None) != (certificate is None):
        raise click.UsageError("--certificate and --key must be given together")
    try:
        known = None if tokens is None else Tokens.read(tokens)
        more = {"is_open": is_open, "limits": chosen_limits(), "timeout": _wait(), **options}
        server = server_class(logs, tokens=known, **more)
    except ValueError as error:
        raise click.UsageError(str(error)) from error

    def tell_places(address: str) -> None:
        for folder, end in server.logs.places.items():
            tell(f"{folder} is at {address}{end}")

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        # The sockets of connections inherit this option. Without it, the body of a response would
        # wait 40 ms, until the client has acknowledged the headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        of_log: Any = {"log_config": serving.access_log()} if access_log else {}
        config = uvicorn.Config(
            server.app,
            log_level="warning",
            server_header=False,
            # The app does not use the lifespan protocol, and with it a second Ctrl+C would print a
            # traceback.
            lifespan="off",
            timeout_graceful_shutdown=_LAST_SECONDS,
            http=protocol(most_connections()),
            ssl_certfile=certificate,
            ssl_keyfile=key,
            **of_log,
        )
        if access_log:
            logging.getLogger("uvicorn.access").setLevel(logging.INFO)
        # Do this first, so that a wrong certificate fails before the address is printed.
        config.load()
        serving.Reload(server, config)
        serving.end_well_at_sigterm()
        scheme, name = "http" if key is None else "https", f"[{host}]" if ":" in host else host
        tell_places(f"{scheme}://{name}:{listening.getsockname()[1]}")
        running = uvicorn.Server(config)
        if grpc_port is not None:
            running = server.runner(config, host, grpc_port, tell_places)
        server.followers.is_ending = lambda: running.should_exit
        running.run([listening])


@log_command
@click.argument("version", metavar="[VERSION]", required=False, type=version)
@output_option("OUT", "the data", "standard output")
@to_option("OUT", default=" [default for standard output: N-Quads]")
@click.option(
    "--snapshot",
    is_flag=True,
    help="Store the data in LOG instead, for faster checkouts of this and later versions; print the"
    " path.",
)
@click.pass_context
def checkout(
    context: click.Context,
    log: PatchLog,
    version: int | str | None,
    output: str,
    to: str | None,
    snapshot: bool,
) -> None:
    """Write the data of a version, by default of the newest one.

    The data are replayed from the nearest snapshot before the version.

    \b
    Examples:
      jellyp log checkout history -o now.trig
      jellyp log checkout history 3 | sort > then.nq
      jellyp log checkout history 100 --snapshot
    """
    from jelly_rdflib.cli.datasets import save

    if snapshot:
        if output != "-" or to is not None:
            raise click.UsageError("--snapshot writes into LOG: it excludes -o and --to")
        # Print a path that starts with LOG as the user gave it.
        path = log.snapshot(version)
        say(os.path.join(context.params["log"], path.parent.name, path.name))
        return

    format = output_format(output, to, for_stdout="nq")
    with show_progress("replaying", None, is_bytes=False) as advance:
        dataset = log.checkout(version, progress=lambda entry: advance(1))
    with open_output(output) as destination:
        save(dataset, destination, format)


@log_command
@click.argument("versions", metavar="VERSIONS", type=read_range)
def squash(log: PatchLog, versions: range) -> None:
    """Replace the patches of several versions with one patch.

    The new patch has the same effect as the patches of VERSIONS, such as 1..100. VERSIONS may end
    after the newest version.

    Only the last of these versions stays. A replica at an earlier one can't follow any more.

    \b
    Examples:
      jellyp log squash history 1..100
    """
    start, stop = _range_in(log, versions)
    entry = log.squash(start, stop - 1)
    tell(f"versions {entry.first} to {entry.version}: {entry.size:,} bytes")
