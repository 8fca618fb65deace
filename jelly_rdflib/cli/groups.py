"""Groups of commands: one that imports a command when it is called, one in a chosen order."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports a command only when it is called.

    Args:
        package: The package with a module for each command, of the command's name.
        names: The names of the commands, in the order of the help.
        settings: The arguments of `click.Group`.
    """

    def __init__(self, *, package: str, names: Sequence[str], **settings: Any) -> None:
        super().__init__(**settings)
        self._package = package
        self._names = names

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._names)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command by its name; None if the group has no such command."""
        if name not in self._names:
            return None
        command: click.Command = importlib.import_module(f"{self._package}.{name}").command
        return command


class OrderedGroup(click.Group):
    """A group whose help lists the commands in the order of their definitions."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)
