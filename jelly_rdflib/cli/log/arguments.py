"""What the commands of ``jellyp log`` are called with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.limits import chosen_limits

if TYPE_CHECKING:
    from jelly_rdflib.log import LogEntry, PatchLog

__all__ = ["LOG", "VERSION", "open_log", "track"]

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

    return PatchLog(path, limits=chosen_limits())


def track(advance: Any) -> Any:
    """Make what a log calls with each patch out of what a progress bar takes."""

    def report(entry: LogEntry) -> None:
        advance(1)

    return report
