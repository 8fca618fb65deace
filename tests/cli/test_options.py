"""Tests ``--limit``, which sets limits on inputs."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from jelly_rdflib import Limits
from jelly_rdflib.cli.commands import jellyp
from tests.cli.support import run
from tests.formats.syntaxes.support import ISOLATED
from tests.oracle import build as b

DATA = b.stream(
    [b.options(), b.name("urn:p"), b.add(b.iri(0, 1), b.iri(0, 1), b.literal("x" * 1000))]
)
READING = [
    ("cat", "in.jellyp"),
    ("convert", "in.jellyp", "-o", "out.rdfp"),
    ("apply", "base.nq", "in.jellyp"),
    ("inspect", "in.jellyp"),
    ("inspect", "--frames", "in.jellyp"),
    ("stats", "in.jellyp"),
    ("validate", "in.jellyp"),
    ("inspect", "--index", "in.jellyp"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.jellyp").write_bytes(DATA)
    (tmp_path / "base.nq").write_bytes(b"")
    return tmp_path


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_command_keeps_to_a_limit(command: tuple[str, ...], folder: Path) -> None:
    name, *rest = command
    refused = run(name, "--limit", "max_string_size=999", *rest, cwd=folder)
    assert refused.code == 1
    assert "limit max_string_size: 999" in refused.err + refused.text
    # If an option is repeated, the last value is used.
    limits = ("--limit", "max_string_size=1", "--limit", "max-string-size=1K")
    assert run(name, *limits, *rest, cwd=folder).code == 0


# pyoxigraph would crash the process.
CRASH = b'{"@context":{"t":{"@id":"urn:t","@container":"@graph"}},"t":{"@list":["a"]}}'


@ISOLATED
@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("cat", "in.ttl"),
        ("convert", "in.ttl", "-o", "out.nq"),
        ("diff", "base.nq", "in.ttl"),
        ("record", "in.ttl", "update.ru"),
        ("validate", "in.ttl"),
    ],
    ids=" ".join,
)
def test_what_parses_a_text_in_a_child_process(command: tuple[str, ...], folder: Path) -> None:
    (folder / "in.ttl").write_bytes(b"<urn:s> <urn:p> <urn:o> .\n")
    (folder / "in.jsonld").write_bytes(CRASH)
    (folder / "update.ru").write_bytes(b"CLEAR DEFAULT")
    name, *rest = command
    # The files differ, but an error has a different exit status.
    assert run(name, "--isolated", *rest, cwd=folder).code == (name == "diff")
    status = 2 if name == "diff" else 1
    refused = run(name, "--limit", "max_parser_memory=1K", "--isolated", *rest, cwd=folder)
    assert refused.code == status
    assert "limit max_parser_memory" in refused.err + refused.text
    rest = [each.replace("in.ttl", "in.jsonld") for each in rest]
    refused = run(name, "--isolated", *rest, cwd=folder)
    assert refused.code == status
    assert "the parser's process was ended by signal" in refused.err + refused.text


def test_the_commands_of_a_log(folder: Path) -> None:
    assert run("log", "init", "log", cwd=folder).code == 0
    refused = run("log", "append", "--limit", "max_string_size=9", "log", "in.jellyp", cwd=folder)
    assert refused.code == 1
    assert run("log", "append", "log", "in.jellyp", cwd=folder).code == 0
    for command in (("log", "checkout"), ("log", "checkout", "--snapshot"), ("validate",)):
        refused = run(*command, "--limit", "max_string_size=99", "log", cwd=folder)
        assert refused.code == 1, command
        assert "max_string_size" in refused.err + refused.text, command
        assert run(*command, "log", cwd=folder).code == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("max_frames=1", "'max_frames' is not one of max_name_table_size, "),
        ("max_frame_size", "has no number"),
        ("max_frame_size=1MB", "has no number"),
        ("max_frame_size=99T", "max_frame_size must be from 0 to"),
    ],
)
def test_what_is_no_limit(value: str, message: str, folder: Path) -> None:
    refused = run("cat", "--limit", value, "in.jellyp", cwd=folder)
    assert refused.code == 2
    assert message in refused.err.replace("\n", " ")


def test_a_limit_may_stand_before_the_command(folder: Path) -> None:
    refused = run("--limit", "max_string_size=999", "cat", "in.jellyp", cwd=folder)
    assert (refused.code, "limit max_string_size: 999" in refused.err) == (1, True)
    limits = ("--limit", "max_string_size=1", "cat", "--limit", "max_string_size=1K")
    assert run(*limits, "in.jellyp", cwd=folder).code == 0


def test_help_lists_limits_with_their_defaults() -> None:
    shown = run("help", "limits").text
    for name, value in vars(Limits()).items():
        found = re.search(rf"^{name}=(\d+)([KMGT]?)  ", shown, re.MULTILINE)
        assert found is not None, f"{name} has no line in the docstring of Limits"
        assert int(found[1]) << 10 * " KMGT".index(found[2] or " ") == value


def test_each_help_has_one_line_for_limits() -> None:
    for path, _ in commands(jellyp):
        shown = run(*path.split(), "--help").text
        assert (shown.count("--limit "), "max_frame" in shown) == (1, False), path


def test_all_commands_that_read_jelly_are_told_what_repeated_options_mean() -> None:
    # Commands that report on or join streams have their own rules. Live streams are not joined.
    others = {"completion", "help", "inspect", "validate", "subscribe", "replica"}
    for path, command in commands(jellyp):
        is_other = path in others or (path.startswith("log ") and path != "log append")
        options = {option for each in command.params for option in each.opts}
        assert ("--repeated-options" in options) != is_other, path


def test_the_command_line_stays_small() -> None:
    """Options common to all commands are listed only once, in the help of jellyp."""
    context = click.Context(jellyp)
    top = [jellyp.get_command(context, name) for name in jellyp.list_commands(context)]
    groups = [jellyp, *(each for each in top if isinstance(each, click.Group))]
    single = [command for _, command in commands(jellyp)]
    options = sum(len(options_of(each)) for each in (*groups, *single))
    for count, most, what in ((len(single), 30, "commands"), (options, 250, "options")):
        assert count <= most, (
            f"jellyp has {count} {what}, at most {most}: a new one must replace an old one"
        )


def test_an_option_has_one_kind_in_all_commands() -> None:
    kinds: dict[str, set[tuple[bool, bool]]] = {}
    for _, command in commands(jellyp):
        for option in options_of(command):
            for name in (*option.opts, *option.secondary_opts):
                kinds.setdefault(name, set()).add((option.is_flag, option.multiple))
    assert [name for name, found in kinds.items() if len(found) > 1] == []


def options_of(command: click.Command) -> list[click.Option]:
    """Return the options that the help of a command lists, except --help."""
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the name and the object of each command that is not a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command
