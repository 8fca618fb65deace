"""Man pages, made from the help of the commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import click

# The marker of a paragraph that click must not wrap.
_AS_IT_IS = "\b\n"


def man_pages(root: click.Group) -> dict[str, str]:
    """Return the page of each command as roff, by name: "jellyp log" is "jellyp-log"."""
    context = click.Context(root, info_name=root.name)
    return {
        each.command_path.replace(" ", "-"): "\n".join(_page(each)) + "\n"
        for each in _contexts(context)
    }


def _contexts(context: click.Context) -> Iterator[click.Context]:
    yield context
    for name, command in _commands(context):
        yield from _contexts(click.Context(command, info_name=name, parent=context))


def _commands(context: click.Context) -> list[tuple[str, click.Command]]:
    if not isinstance(context.command, click.Group):
        return []
    group: Any = context.command
    return [(name, group.get_command(context, name)) for name in group.list_commands(context)]


def _page(context: click.Context) -> Iterator[str]:
    command = context.command
    name = context.command_path.replace(" ", "-")
    yield f'.TH "{_escape(name.upper())}" 1 "" "jellyp {version("jelly-rdflib")}" "jellyp"'
    yield ".SH NAME"
    yield rf"{_escape(name)} \- {_escape(command.get_short_help_str(1000).rstrip('.'))}"
    yield ".SH SYNOPSIS"
    pieces = " ".join(command.collect_usage_pieces(context))
    yield rf"\fB{_escape(context.command_path)}\fR {_escape(pieces)}"
    yield ".SH DESCRIPTION"
    for paragraph in re.split(r"\n{2,}", inspect.cleandoc(command.help or "")):
        if not paragraph.startswith(_AS_IT_IS):
            yield from (".PP", _line(paragraph.replace("\n", " ")))
            continue
        lines = paragraph.removeprefix(_AS_IT_IS).splitlines()
        if lines[0] == "Examples:":
            yield ".SH EXAMPLES"
            lines = [line.removeprefix("  ") for line in lines[1:]]
        yield from (".PP", ".nf", *map(_line, lines), ".fi")
    yield ".SH OPTIONS"
    for param in command.get_params(context):
        # Use only options, since newer versions of click have a help record for arguments, too.
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            yield from (".TP", rf"\fB{_escape(record[0])}\fR", _line(record[1]))
    if command.epilog is not None:
        yield from (".PP", _line(command.epilog))
    commands = _commands(context)
    if commands:
        yield ".SH COMMANDS"
    for each, part in commands:
        path = _escape(f"{name}-{each}")
        yield from (".TP", rf"\fB{path}\fR(1)", _line(part.get_short_help_str(1000)))


def _escape(text: str) -> str:
    return text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")


def _line(text: str) -> str:
    """Return a line of text for roff, which would treat a dot at its start as a request."""
    escaped = _escape(text)
    return rf"\&{escaped}" if escaped.startswith(".") else escaped
