"""Commands that are imported when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click


class Commands(click.Group):
    """A command with commands of its own, each in a module that has its name.

    Args:
        package: The package that the modules are in.
        names: The commands' names, in the order in which the help lists them.
        settings: What `click.Group` takes.
    """

    def __init__(self, *, package: str, names: Sequence[str], **settings: Any) -> None:
        super().__init__(**settings)
        self._package = package
        self._names = names

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._names)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command by its name; None if there is none of that name."""
        if name not in self._names:
            return None
        command: click.Command = importlib.import_module(f"{self._package}.{name}").command
        return command
