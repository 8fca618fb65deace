"""Runs the commands shown on the documentation pages, and compares their output.

``python -m tests.cli.pages`` updates the pages with the commands' current output.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from tests.cli.support import COMMAND, ENVIRONMENT, ROOT
from tests.examples import WIDTH, fold

PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A command and its continuation lines, as a shell shows them.
SHOWN_COMMAND = re.compile(r"^\$ .*\n(?:> .*\n|>\n)*", re.MULTILINE)


def has_commands(page: Path) -> bool:
    return BLOCK.search(page.read_text("utf-8")) is not None


def run_page(page: Path, folder: Path) -> str:
    """Run the commands of a page in order; return the page with their output."""
    programs = folder / ".bin"
    programs.mkdir()
    program = programs / "jellyp"
    program.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    program.chmod(0o755)
    environment = {**ENVIRONMENT, "PATH": f"{programs}:{ENVIRONMENT['PATH']}", "LC_ALL": "C.UTF-8"}

    def run_command(shown: re.Match[str]) -> str:
        lines = shown.group().splitlines()
        # Click leaves two columns empty.
        columns = WIDTH + 2 * ("--help" in lines[0])
        ended = subprocess.run(
            ["bash", "-c", "\n".join(line[2:] for line in lines)],
            cwd=folder,
            env={**environment, "COLUMNS": str(columns)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        output = ended.stdout.decode("utf-8")
        return shown.group() + fold("".join(f"{line.rstrip()}\n" for line in output.splitlines()))

    def run_block(block: re.Match[str]) -> str:
        commands = "".join(match.group() for match in SHOWN_COMMAND.finditer(block.group(1)))
        return f"```console\n{SHOWN_COMMAND.sub(run_command, commands)}```"

    return BLOCK.sub(run_block, page.read_text("utf-8"))


if __name__ == "__main__":
    for each in filter(has_commands, PAGES):
        with tempfile.TemporaryDirectory() as scratch:
            each.write_text(run_page(each, Path(scratch)), "utf-8")
