"""The options of all commands that read input: ``--limit`` and ``--isolated``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from jelly_rdflib.options import Limits

_Command = TypeVar("_Command", bound=Callable[..., Any])

_LIMITS = f"{__name__}.limits"
_ISOLATED = f"{__name__}.isolated"
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_NUMBER = re.compile(r"(\d+)([KMGT]?)", re.IGNORECASE | re.ASCII)


class Limit(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """The name of a limit and a number, such as ``max_frame_size=64M``."""

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
        """Return the names that start with the typed text."""
        return [CompletionItem(f"{name}=") for name in _names() if name.startswith(incomplete)]


def _names() -> list[str]:
    from jelly_rdflib.options import Limits

    return [field.name for field in dataclasses.fields(Limits)]


def _keep_limits(
    context: click.Context, param: click.Parameter, values: tuple[tuple[str, int], ...]
) -> None:
    from jelly_rdflib.options import Limits

    try:
        context.meta[_LIMITS] = Limits(**dict(values))
    except ValueError as error:
        raise click.BadParameter(str(error), context, param) from error


def _keep_isolated(context: click.Context, param: click.Parameter, value: bool) -> None:
    context.meta[_ISOLATED] = value


def chosen_limits() -> Limits:
    """Return the limits of the running command: the defaults, changed by ``--limit``."""
    limits: Limits = click.get_current_context().meta[_LIMITS]
    return limits


def is_isolated() -> bool:
    """Return whether the running command got ``--isolated``; False if it has no such option."""
    return bool(click.get_current_context().meta.get(_ISOLATED))


limit_option = click.option(
    "--limit",
    metavar="NAME=NUMBER",
    type=Limit(),
    multiple=True,
    callback=_keep_limits,
    expose_value=False,
    help="Accept more of the input, or less, such as max_frame_size=64M; may be repeated.",
)
isolated_option = click.option(
    "--isolated",
    is_flag=True,
    callback=_keep_isolated,
    expose_value=False,
    help="Parse Turtle, RDF/XML, JSON-LD and the like in a child process with limits. Use it for"
    " files from strangers.",
)


def reading_options(function: _Command) -> _Command:
    """Add ``--isolated`` and ``--limit``, for a command that reads any format."""
    return isolated_option(limit_option(function))
