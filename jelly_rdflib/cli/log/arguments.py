"""What the commands of ``jellyp log`` are called with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.limits import chosen_limits

if TYPE_CHECKING:
    from jelly_rdflib.log import LogEntry, PatchLog

_TIMEOUT = f"{__name__}.timeout"
# As `jelly_rdflib.log.database` has it, which is not imported before it is needed.
DEFAULT_TIMEOUT = 30.0

LOG = click.Path(exists=True, file_okay=False)


class Version(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """A version: its number, or its patch's id."""

    name = "version"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> int | str:
        """Return the number, or the id as it is."""
        try:
            return int(value)
        except ValueError:
            return str(value)


VERSION = Version()


def open_log(path: str) -> PatchLog:
    """Open a log."""
    from jelly_rdflib.log import PatchLog

    return PatchLog(path, limits=chosen_limits(), timeout=chosen_timeout())


def _keep_timeout(context: click.Context, param: click.Parameter, value: float) -> None:
    context.meta[_TIMEOUT] = value


def chosen_timeout() -> float:
    """Return how many seconds the command that runs is to wait for others who write."""
    seconds: float = click.get_current_context().meta.get(_TIMEOUT, DEFAULT_TIMEOUT)
    return seconds


timeout_option = click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(0, 86400),
    default=DEFAULT_TIMEOUT,
    show_default=True,
    callback=_keep_timeout,
    expose_value=False,
    help="How long to wait for others who write to the log.",
)
"""Gives a command the option ``--timeout``; `chosen_timeout` then has what was chosen."""


def track(advance: Any) -> Any:
    """Make what a log calls with each patch out of what a progress bar takes."""

    def report(entry: LogEntry) -> None:
        advance(1)

    return report
