"""``--limit``, which all commands have that read, and ``--isolated``: how to read an input."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from jelly_rdflib.options import Limits

_KEY = f"{__name__}.limits"
_ISOLATED = f"{__name__}.isolated"
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_NUMBER = re.compile(r"(\d+)([KMGT]?)", re.IGNORECASE | re.ASCII)


class Limit(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """One of the limits and a number, such as ``max_frame_size=64M``."""

    name = "limit"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, int]:
        """Return the limit's name and its number."""
        name, equals, text = value.partition("=")
        name = name.strip().replace("-", "_")
        if name not in _names():
            self.fail(f"{name!r} is none of {', '.join(_names())}", param, context)
        number = _NUMBER.fullmatch(text.strip())
        if not equals or number is None:
            self.fail(f"{value!r} has no number, such as 64M, after a =", param, context)
        return name, int(number[1]) << _UNITS[number[2].upper()]

    def shell_complete(
        self, context: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that start like what was typed."""
        return [CompletionItem(f"{name}=") for name in _names() if name.startswith(incomplete)]


def _names() -> list[str]:
    from jelly_rdflib.options import Limits

    return [field.name for field in dataclasses.fields(Limits)]


def _keep_limits(
    context: click.Context, param: click.Parameter, values: tuple[tuple[str, int], ...]
) -> None:
    from jelly_rdflib.options import Limits

    try:
        context.meta[_KEY] = Limits(**dict(values))
    except ValueError as error:
        raise click.BadParameter(str(error), context, param) from error


def chosen_limits() -> Limits:
    """Return what the command that runs was told to accept."""
    from jelly_rdflib.options import Limits

    context = click.get_current_context(silent=True)
    found: Limits | None = None if context is None else context.meta.get(_KEY)
    return found or Limits()


limit_option = click.option(
    "--limit",
    metavar="NAME=NUMBER",
    type=Limit(),
    multiple=True,
    callback=_keep_limits,
    expose_value=False,
    help="Accept more of the input, or less, such as max_frame_size=64M; may be given again.",
)
"""Gives a command the option ``--limit``; `chosen_limits` then has what was chosen."""


def _keep_isolated(context: click.Context, param: click.Parameter, value: bool) -> None:
    context.meta[_ISOLATED] = value


def is_isolated() -> bool:
    """Return whether the command that runs was told to parse other syntaxes in a child process."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(_ISOLATED, False)


isolated_option = click.option(
    "--isolated",
    is_flag=True,
    callback=_keep_isolated,
    expose_value=False,
    help="Parse Turtle, RDF/XML, JSON-LD and the like in a child process with limits, as is needed"
    " where strangers wrote them.",
)
"""Gives a command the option ``--isolated``; `is_isolated` then says whether it was given."""
