"""Options that several commands share."""

from __future__ import annotations

import dataclasses
import os
import re
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from jelly_rdflib.options import Limits


def is_address(path: str) -> bool:
    """Return whether a path is the address of a patch log on a server."""
    if "://" not in path:
        return False
    from jelly_rdflib.core.source import is_address

    return is_address(path)


def is_log(path: str) -> bool:
    """Return whether a path is a patch log: a folder, or the address of a log on a server."""
    return is_address(path) or os.path.isdir(path)


class InputPath(click.Path):
    """The path of a file, "-", or the folder of a patch log.

    If the argument must not be a log, ``instead`` is the advice in the error for a log. With
    ``may_be_server`` an address does not count as a log.
    """

    def __init__(self, instead: str | None = None, *, may_be_server: bool = False) -> None:
        super().__init__(exists=True, allow_dash=True)
        self._instead = instead
        self._may_be_server = may_be_server

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path."""
        found: Any = value if is_address(value) else super().convert(value, param, ctx)
        if is_log(found) and not (self._may_be_server and is_address(found)):
            from jelly_rdflib.log.history import NAME

            if not is_address(found) and not os.path.exists(os.path.join(found, NAME)):
                self.fail(f"{found!r} is a folder, but not a patch log.", param, ctx)
            if self._instead is not None:
                self.fail(f"{found!r} is a patch log: {self._instead}.", param, ctx)
        return found


INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)
CHANGES = InputPath()
_INSTEAD = "jellyp log checkout writes the data of a version, which this command accepts"
DATASET = InputPath(_INSTEAD)
TARGET = InputPath(_INSTEAD, may_be_server=True)
OUTPUT = click.Path(dir_okay=False, writable=True, allow_dash=True)

_RANGE = re.compile(r"(\d+)|(\d*)\.\.(\d*)", re.ASCII)
_LIMIT = re.compile(r"\s*(\d+)([KMGT]?)\s*", re.IGNORECASE | re.ASCII)


def offer(names: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """Return a function with which a shell completes a value to one of the names."""
    return lambda context, param, start: [name for name in names() if name.startswith(start)]


def _find_format(key: str) -> str:
    from jelly_rdflib.formats import find_format

    try:
        return str(find_format(key).name)
    except LookupError as error:
        raise click.BadParameter(str(error)) from error


def _format_names() -> list[str]:
    from jelly_rdflib.formats import FORMATS

    return [format.name for format in FORMATS]


def format_option(
    option: str, name: str, content: str, *, is_plural: bool = False, default: str = ""
) -> Callable[[Any], Any]:
    """Return an option for the format of some content: its name, extension or media type."""
    if_not = "their names don't" if is_plural else "its name does not"
    return click.option(
        option,
        name,
        metavar="FORMAT",
        type=_find_format,
        shell_complete=offer(_format_names),
        help=f"The format of {content}, if {if_not} show it.{default}",
    )


from_option = partial(format_option, "--from", "from_")
to_option = partial(format_option, "--to", "to")
base_format_option = format_option("--base-format", "base_format", "BASE")
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace existing output.")


def _end_with_reader(context: object, param: object, is_given: bool) -> bool:
    """End the process when standard output has no reader any more, even if nothing is printed."""
    if is_given and hasattr(select, "poll"):
        poll = select.poll()
        # With 0 this only waits for errors, such as a pipe that was closed at its other end.
        poll.register(sys.stdout.fileno(), 0)
        # Use a signal other than SIGPIPE: a lost connection to a server raises SIGPIPE, too, but
        # must not end the process.
        signal.signal(signal.SIGUSR1, lambda number, frame: sys.exit(128 + signal.SIGPIPE))

        def wait() -> None:
            poll.poll()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

        threading.Thread(target=wait, daemon=True).start()
    return is_given


follow_option = click.option(
    "-f",
    "--follow",
    is_flag=True,
    callback=_end_with_reader,
    help="Wait for more, until Ctrl+C.",
)


def jelly_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a Jelly stream that is written, for a command that converts.

    All but three of these options have the names of fields of `PatchOptions` and `StreamOptions`.
    Their values are None if they are not given.
    """
    sizes = {"names": "name", "prefixes": "prefix", "datatypes": "datatype"}
    options: list[Any] = [
        click.option(
            "--options-from",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False),
            help="Take the options from this Jelly file, not from the input. The options below"
            " override them.",
        ),
        click.option(
            "--stream-type",
            metavar="TYPE",
            shell_complete=offer(
                lambda: ("flat", "frame", "punctuated", "triples", "quads", "graphs")
            ),
            help="For Jelly-Patch: flat, frame or punctuated; for Jelly-RDF: triples, quads or"
            " graphs. [default: as in the input; else punctuated for Jelly-Patch; for Jelly-RDF"
            " quads, or triples if the input has no graphs]",
        ),
        click.option(
            "--logical-type",
            metavar="TYPE",
            help="For Jelly-RDF: the meaning of frames, such as flat_quads, graphs, datasets."
            " [default: as in the input, else flat]",
        ),
        click.option("--stream-name", metavar="NAME", help="A name for a Jelly-RDF stream."),
        click.option(
            "--preset",
            type=click.Choice(["small", "big"]),
            help="The size of Jelly's lookups. [default: as in the input, if that is Jelly, else"
            " big]",
        ),
        *(
            click.option(
                f"--max-{thing}",
                f"max_{field}_table_size",
                metavar="NUMBER",
                type=click.IntRange(min=0),
                help=f"The size of the lookup of {thing}.",
            )
            for thing, field in sizes.items()
        ),
        click.option(
            "--frame-rows",
            type=click.IntRange(min=1),
            help="Rows in a frame. [default: 512 in Jelly-Patch, 256 in Jelly-RDF]",
        ),
        click.option(
            "--frame-bytes",
            type=click.IntRange(min=1),
            help="Bytes after which a Jelly frame ends. [default: 1000000]",
        ),
        click.option(
            "--rdf-star/--no-rdf-star",
            default=None,
            help="Allow quoted triples in Jelly. [default: as in the input, if that is Jelly, else"
            " not]",
        ),
        click.option(
            "--generalized/--no-generalized",
            "generalized_statements",
            default=None,
            help="Allow generalized statements (such as literals as subjects) in Jelly, and in"
            " N-Triples and N-Quads input. [default: as in the input, if that is Jelly, else not]",
        ),
        click.option(
            "--namespaces/--no-namespaces",
            "namespace_declarations",
            default=None,
            help="Keep namespaces in Jelly-RDF. [default: if the input has them]",
        ),
        click.option(
            "--delimited/--no-delimited",
            default=None,
            help="Write each frame's length before it, as files need; else write one bare frame."
            " [default: delimited]",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def strict_option(but: str) -> Callable[[Any], Any]:
    """Return the option ``--strict`` for a command that applies patches; ``but`` ends its help."""
    help = f"Refuse a patch with an operation that changes nothing{but}"
    return click.option("--strict", is_flag=True, help=help)


def output_option(metavar: str, content: str, default: str) -> Callable[[Any], Any]:
    """Return the option ``-o``, "-" by default; all arguments are for its help."""
    help = f"Where to write {content}. [default: {default}]"
    return click.option("-o", "--output", metavar=metavar, default="-", type=OUTPUT, help=help)


def _limit_names() -> list[str]:
    from jelly_rdflib.options import Limits

    return [field.name for field in dataclasses.fields(Limits)]


def _read_limit(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    name = name.strip().replace("-", "_")
    names = _limit_names()
    if name not in names:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(names)}")
    number = _parse_number(value)
    if number is None:
        raise click.BadParameter(f"{text!r} has no number, such as 64M, after the =")
    return name, number


def read_number(text: str) -> int:
    """Read a number from the command line, such as 64M; it is at least 1."""
    number = _parse_number(text)
    if number is None:
        raise click.BadParameter(f"{text!r} is not a number, such as 64M")
    if number == 0:
        raise click.BadParameter("it must be at least 1")
    return number


def read_range(text: str) -> range:
    """Read a range of numbers from 1 on: 3, 2..5, 2.. or ..5; the last number is included."""
    found = _RANGE.fullmatch(text.strip())
    if found is not None and any(found.groups()):
        start = int(found[1] or found[2] or 1)
        last = found[1] or found[3]
        stop = min(int(last) + 1, sys.maxsize) if last else sys.maxsize
        if 1 <= start < stop:
            return range(start, stop)
    raise click.BadParameter(f"{text!r} is not a range from 1 on, such as 3, 2..5, 2.. or ..5")


def _parse_number(text: str) -> int | None:
    number = _LIMIT.fullmatch(text)
    return (
        None if number is None else int(number[1]) << 10 * " KMGT".index(number[2].upper() or " ")
    )


def _keep_limits(context: click.Context, param: object, values: Iterable[Any]) -> None:
    if not values:
        return
    try:
        context.meta["limits"] = dataclasses.replace(chosen_limits(), **dict(values))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def chosen_limits() -> Limits:
    """Return the limits of the running command: the defaults, changed by ``--limit``."""
    from jelly_rdflib.options import Limits

    return click.get_current_context().meta.get("limits") or Limits()


def is_isolated() -> bool:
    """Return whether the running command got ``--isolated``; False if it has no such option."""
    return bool(click.get_current_context().meta.get("isolated"))


isolated_option = click.option(
    "--isolated",
    is_flag=True,
    callback=lambda context, param, value: context.meta.update(isolated=value),
    expose_value=False,
    help="Parse Turtle, RDF/XML, JSON-LD and the like in a child process with limits. Use this for"
    " files that you do not trust.",
)


repeated_option = click.option(
    "--repeated-options",
    metavar="MEANING",
    type=click.Choice(["error", "restart", "continue"]),
    default="error",
    show_default=True,
    callback=lambda context, param, value: context.meta.update({"repeated-options": value}),
    expose_value=False,
    help="What to do if a Jelly stream repeats its options. error: refuse the stream. restart:"
    " start a new stream there, as in files joined by cat. continue: keep the same lookups.",
)


def chosen_repeated_options() -> Any:
    """Return how the running command handles repeated options: see ``--repeated-options``."""
    return click.get_current_context().meta.get("repeated-options", "error")


directions_option = click.option(
    "--directions",
    type=click.Choice(["keep", "drop"]),
    default="keep",
    show_default=True,
    callback=lambda context, param, value: context.meta.update(directions=value),
    expose_value=False,
    help='What to do with base directions of RDF 1.2, as in "x"@ar--rtl. keep: fail if OUT or the'
    " command does not support them. drop: leave them out.",
)


def chosen_directions() -> Any:
    """Return how the running command handles base directions: see ``--directions``."""
    return click.get_current_context().meta.get("directions", "keep")


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that reads any format."""
    return isolated_option(directions_option(repeated_option(function)))


def _flag(key: str) -> dict[str, Any]:
    def keep(context: click.Context, param: object, value: bool) -> None:
        if value:
            context.meta[key] = True

    return {"is_flag": True, "is_eager": True, "callback": keep, "expose_value": False}


# The options of every command. The help of jellyp lists them; the help of each command names them.
SHARED = (
    click.Option(["-q", "--quiet"], help="Print only results and errors.", **_flag("quiet")),
    click.Option(["--no-progress"], help="Show no progress bar.", **_flag("no-progress")),
    click.Option(["--debug"], help="Show where in the code an error was raised.", **_flag("debug")),
    click.Option(
        ["--limit"],
        metavar="NAME=NUMBER",
        type=_read_limit,
        multiple=True,
        callback=_keep_limits,
        expose_value=False,
        shell_complete=offer(lambda: [f"{name}=" for name in _limit_names()]),
        help="Override a limit of the input, such as max_frame_size=64M: see jellyp help limits.",
    ),
)
_EPILOG = "Also -q, --no-progress, --debug and --limit NAME=NUMBER: see jellyp help."


def answer_by_exit_status(context: click.Context) -> None:
    """Make 2 the exit status for all errors of a command, since its status 1 is an answer."""
    context.meta["error-status"] = 2


def is_quiet() -> bool:
    """Return whether the running command got ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get("quiet"))


def shows_progress() -> bool:
    """Return whether the running command may show a progress bar."""
    context = click.get_current_context(silent=True)
    return not is_quiet() and not (context is not None and context.meta.get("no-progress"))


def add_shared_options(command: click.Command) -> None:
    """Add the options of every command, which its help names in one line."""
    if command.epilog is None:
        command.epilog = _EPILOG
        for option in map(copy, SHARED):
            option.hidden = True
            command.params.append(option)
