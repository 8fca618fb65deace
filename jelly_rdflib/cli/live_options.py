"""Options that the commands for live changes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import click

from jelly_rdflib.cli.log import LOG
from jelly_rdflib.cli.options import strict_option


class _LiveUrl(click.Path):
    """The URL of a broker or server, or the folder of a log."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if "://" in value else LOG.convert(value, param, ctx)


LIVE_URL = _LiveUrl()


def _read_settings(context: Any, param: Any, value: tuple[str, ...]) -> dict[str, str]:
    """Return the settings that were given as NAME=VALUE, one per option."""
    found = {}
    for text in value:
        name, equals, setting = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} does not have the form NAME=VALUE")
        found[name] = setting
    return found


def _read_settings_file(context: Any, param: Any, value: str | None) -> dict[str, str]:
    """Return the settings in a file, one per line; empty lines and comments are left out."""
    if value is None:
        return {}
    lines = map(str.strip, Path(value).read_text("utf-8").splitlines())
    return _read_settings(context, param, tuple(x for x in lines if x and not x.startswith("#")))


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the settings of a transport: `settings` and `secret_settings`."""
    function = click.option(
        "--settings",
        "secret_settings",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        callback=_read_settings_file,
        help="A file of settings, such as passwords, with one NAME=VALUE per line.",
    )(function)
    return click.option(
        "--setting",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        callback=_read_settings,
        help="A setting of the transport; its page in the documentation lists them. Repeatable.",
    )(function)


def following_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that follows a source."""
    function = click.option(
        "--json", "as_json", is_flag=True, help="Print a line of JSON for each patch."
    )(function)
    function = settings_options(strict_option(", unless it was squashed.")(function))
    function = click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(0),
        help="End after this time without a patch. [default: go on until Ctrl+C]",
    )(function)
    return click.option(
        "--store-every",
        metavar="SECONDS",
        type=click.FloatRange(0, 86400),
        default=10.0,
        show_default=True,
        help="How often the data and their position are written.",
    )(function)


def open_live(
    opener: Callable[..., Any], url: str, settings: Mapping[str, str] | None = None, **options: Any
) -> Any:
    """Open a source or sink; a wrong address or setting is a usage error."""
    settings = settings or {}
    for name in settings.keys() & signature(opener).parameters.keys():
        raise click.UsageError(f"{name} can't be given as a setting: see --help")
    try:
        return opener(url, **options, **settings)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
