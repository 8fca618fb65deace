"""``jellyp completion``: prints the completion script of a shell."""

from __future__ import annotations

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
    group = context.find_root().command
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(group, {}, "jellyp", "_JELLYP_COMPLETE").source())
