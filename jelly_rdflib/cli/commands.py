"""The command ``jellyp`` and the list of its commands."""

from __future__ import annotations

import importlib
from typing import Any

import click

from jelly_rdflib.cli.options import SHARED, add_shared_options

COMMANDS = (
    "apply",
    "cat",
    "completion",
    "convert",
    "diff",
    "help",
    "inspect",
    "log",
    "patch",
    "publish",
    "record",
    "replica",
    "spark",
    "stats",
    "subscribe",
    "validate",
    "view",
)

# Command names of other tools, and the jellyp commands that do the same.
_ALIASES = {
    "clone": "subscribe LOG --log MIRROR",
    "commit": "log append",
    "create": "log init",
    "diff": "diff <(jellyp log checkout LOG 1) <(jellyp log checkout LOG 2)",
    "show": "cat --patch 3 LOG",
    **dict.fromkeys(
        ("revert", "undo"),
        "cat --patch 3 LOG | jellyp patch invert | jellyp log append LOG - --prev newest",
    ),
    "verify": "validate",
}


def _find_elsewhere(name: str) -> str | None:
    """Return the command for a name that is in another group, or that other tools use."""
    if name in _ALIASES or name in COMMANDS:
        return _ALIASES.get(name, name)
    for group in ("log", "patch"):
        if name in importlib.import_module(f"{__package__}.{group}").command.commands:
            return f"{group} {name}"
    return None


class OrderedGroup(click.Group):
    """A group whose help lists the commands in the order of their definitions."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command; if it is in another group, the error names the group."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            found = _find_elsewhere(args[0])
            if found is None:
                raise
            message = f"No such command {args[0]!r}: use jellyp {found}"
            raise click.UsageError(message, ctx) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Any:
        """Return a command with the options that all commands share; None if it doesn't exist."""
        command = self.find_command(cmd_name)
        if command is not None:
            add_shared_options(command)
        return command

    def find_command(self, name: str) -> Any:
        """Return a command as it is defined."""
        return self.commands.get(name)


class _LazyGroup(OrderedGroup):
    """A group that imports a command only when it is called."""

    def find_command(self, name: str) -> Any:
        if name in self.commands:
            return importlib.import_module(f"{__package__}.{name}").command
        return None


@click.command(
    cls=_LazyGroup,
    commands=dict.fromkeys(COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"]},
    params=list(SHARED),
)
@click.version_option(None, "-V", "--version", package_name="jelly-rdflib", prog_name="jellyp")
def jellyp() -> None:
    """Work with changes to RDF data: Jelly-Patch, RDF Patch, Jelly-RDF and other RDF.

    A file's extension determines its format: .jellyp, .rdfp, .rdfpb, .jelly, .nt, .nq, .ttl, .trig
    and more. Without a known extension, its first bytes do. Files ending in .gz or .zst are
    compressed. "-" is standard input or standard output.

    Exit status: 0 success, 1 bad input, 2 usage error. For diff, merge and validate: 0 no
    differences, conflicts or errors; 1 some; 2 trouble.

    \b
    Examples:
      jellyp convert changes.jellyp -o changes.rdfp
      jellyp cat changes.jellyp | grep '^D'
      jellyp apply base.nq changes.jellyp -o now.nq
      jellyp diff old.ttl new.ttl -o changes.jellyp
    """
