"""``jellyp completion``: completion in shells, and man pages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from jelly_rdflib.cli.printable import name_errors, say, tell

SHELLS = ("bash", "zsh", "fish")
# Zsh only knows `compdef` after `compinit`.
_LOAD = {
    "bash": "[ -f {0} ] && . {0}",
    "zsh": "(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }};"
    " [[ -f {0} ]] && . {0}",
}


@click.command("completion")
@click.argument("shell", metavar="[SHELL]", required=False, type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Install the script for the user.")
@click.option("--man", is_flag=True, help="Install man pages for the user, one for each command.")
@click.pass_context
def command(context: click.Context, shell: str | None, install: bool, man: bool) -> None:
    """Set up a shell to complete jellyp's commands, options and files.

    SHELL is bash, zsh or fish; by default the one that $SHELL names. Without --install its script
    is printed. Scripts and man pages are installed below ~/.local/share, or ~/.config for fish. If
    ~/.bashrc or ~/.zshrc does not load the script yet, a line that loads it is appended.
    Completion works in each new shell.

    \b
    Examples:
      jellyp completion --install
      jellyp completion --install zsh
      jellyp completion --man && man jellyp-convert
      eval "$(jellyp completion bash)"
    """
    root: Any = context.find_root().command
    if man:
        _install_man_pages(root)
    if not man or install or shell is not None:
        shell = shell or _find_shell()
        kind: Any = get_completion_class(shell)
        script = kind(root, {}, "jellyp", "_JELLYP_COMPLETE").source()
        if install:
            _install_script(shell, script)
        else:
            say(script)


def _find_shell() -> str:
    name = os.path.basename(os.environ.get("SHELL", ""))
    if name not in SHELLS:
        raise click.UsageError(f"$SHELL is not one of {', '.join(SHELLS)}: give SHELL")
    return name


def _folder(variable: str, default: str) -> Path:
    """Return a user's folder: the value of a variable, or else a default in the home directory."""
    return Path(os.environ.get(variable) or Path.home() / default)


def _install_script(shell: str, script: str) -> None:
    if shell == "fish":
        _write(_folder("XDG_CONFIG_HOME", ".config") / "fish/completions/jellyp.fish", script)
        return
    path = _folder("XDG_DATA_HOME", ".local/share") / f"jellyp/completion.{shell}"
    _write(path, script)
    start = Path.home() / ".bashrc"
    if shell == "zsh":
        start = _folder("ZDOTDIR", "") / ".zshrc"
    quoted = "'" + str(path).replace("'", r"'\''") + "'"
    line = _LOAD[shell].format(quoted)
    with name_errors(str(start)):
        text = start.read_text("utf-8", "surrogateescape") if start.exists() else ""
        if line in text.splitlines():
            return
        with start.open("a", encoding="utf-8") as file:
            is_cut = text and not text.endswith("\n")
            file.write(f"{chr(10) * bool(is_cut)}# Completion of jellyp.\n{line}\n")
    tell(f"{start} loads the script in new shells")


def _install_man_pages(root: click.Group) -> None:
    from jelly_rdflib.cli.man import man_pages

    folder = _folder("XDG_DATA_HOME", ".local/share") / "man/man1"
    pages = man_pages(root)
    for name, text in pages.items():
        _write(folder / f"{name}.1", text, is_told=False)
    tell(f"{folder}: {len(pages)} man pages, starting with jellyp.1")


def _write(path: Path, text: str, *, is_told: bool = True) -> None:
    with name_errors(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n" * (not text.endswith("\n")), "utf-8")
    if is_told:
        tell(str(path))
