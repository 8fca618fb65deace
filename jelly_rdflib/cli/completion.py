"""``jellyp completion``: prints the completion script of a shell."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that makes a shell complete jellyp's commands, options and files.

    \b
    Examples:
      eval "$(jellyp completion bash)"
      jellyp completion fish > ~/.config/fish/completions/jellyp.fish
    """
    kind: Any = get_completion_class(shell)
    click.echo(kind(context.find_root().command, {}, "jellyp", "_JELLYP_COMPLETE").source())
