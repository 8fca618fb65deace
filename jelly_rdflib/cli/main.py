"""How ``jellyp`` starts and ends: exit codes, interrupts, and errors as messages."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from contextlib import suppress
from typing import Any, NoReturn

from jelly_rdflib.cli.printable import printable, say
from jelly_rdflib.cli.streams import open_standard_streams

EXTRA = "cli"
PACKAGES = ("click", "rich")
# What the shell sets when it asks for completions.
COMPLETION = "_JELLYP_COMPLETE"
# As a shell reports what a signal ended.
INTERRUPTED = 128 + signal.SIGINT
BROKEN_PIPE = 128 + 13


def main() -> NoReturn:
    """Run the command line and exit.

    The exit code is 0, or 1 if the input (or what is to become of it) is at fault, or 2 if the call
    is; after a signal it is what a shell expects.
    """
    open_standard_streams()
    try:
        import click

        from jelly_rdflib.cli.commands import jellyp
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        print(f"jellyp: {_say_what_is_missing(error)}", file=sys.stderr)
        sys.exit(2)

    warnings.showwarning = _show_warning
    # It logs each literal that is ill-typed, with a stack.
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
    for name in ("SIGTERM", "SIGHUP"):
        _exit_at(name)
    if COMPLETION in os.environ:
        jellyp.main(prog_name="jellyp")
    try:
        # `main` of click would itself say something about interrupts and broken pipes.
        with jellyp.make_context("jellyp", sys.argv[1:]) as context:
            jellyp.invoke(context)
        sys.stdout.flush()
        code = 0
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        with suppress(OSError):
            _show(error)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except BrokenPipeError:
        code = BROKEN_PIPE
    except Exception as error:
        message = _explain(error)
        if message is None:
            raise
        with suppress(OSError):
            say(f"jellyp: {message}", err=True)
        # What is not installed is no fault of the input.
        code = 2 if isinstance(error, ImportError) else 1
    finally:
        _give_up_output()
    sys.exit(code)


def _give_up_output() -> None:
    """Let go of what can't be written: Python flushes both streams once more at its end."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
            # What it holds goes there, or is dropped with it.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _exit_at(name: str) -> None:
    """Let a signal be an exception, so that what is half written is taken away."""
    number = getattr(signal, name, None)
    # What is started by nohup is to go on.
    if number is not None and signal.getsignal(number) != signal.SIG_IGN:
        signal.signal(number, lambda number, frame: sys.exit(128 + number))


def _show(error: Any) -> None:
    """Show what is wrong: with the call, as click does; or with the input, in a line."""
    import click

    # Where a command has to follow and none does, click's message is the whole of the help.
    help_instead: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
    if isinstance(error, help_instead):
        error.show()
    elif isinstance(error, click.UsageError):
        click.UsageError(printable(error.format_message()), error.ctx).show()
    else:
        say(f"jellyp: {error.format_message()}", err=True)


def _explain(error: Exception) -> str | None:
    """Return the message for an exception that is no fault of this program; else None."""
    from jelly_rdflib.errors import JellyError

    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return reason if error.filename is None else f"{os.fspath(error.filename)}: {reason}"
    if isinstance(error, JellyError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    # A library that is an extra.
    if isinstance(error, ModuleNotFoundError) and _package_of(error) in PACKAGES:
        return _say_what_is_missing(error)
    return str(error) if isinstance(error, ImportError | NotImplementedError) else None


def _package_of(error: ModuleNotFoundError) -> str:
    return (error.name or "").partition(".")[0]


def _say_what_is_missing(error: ModuleNotFoundError) -> str:
    """Say how to get what the command line itself needs; other extras say so where they are."""
    return f"this needs the package {_package_of(error)}: pip install 'jelly-rdflib[{EXTRA}]'"


def _show_warning(message: Warning | str, *args: Any, **kwargs: Any) -> None:
    print(printable(f"jellyp: warning: {message}"), file=sys.stderr)
