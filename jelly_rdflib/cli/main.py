"""The start and end of ``jellyp``: exit status, interrupts, and errors as messages."""

from __future__ import annotations

import errno
import io
import logging
import os
import signal
import sys
import traceback
import warnings
from contextlib import suppress
from typing import Any, NoReturn

from jelly_rdflib.cli.printable import STANDARD_OUTPUT, printable, say

# The packages of the extra cli.
PACKAGES = ("click", "rich")


def main() -> NoReturn:
    """Run the command line and exit.

    The exit status is 0, 1 after bad input or a failed write, 2 after a usage error, or 128 plus
    the number of a signal. A command that answers a question exits with 1 for no and 2 for any
    error.
    """
    _open_standard_streams()
    try:
        import click

        from jelly_rdflib.cli.commands import jellyp
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        print(f"jellyp: {_explain(error)}", file=sys.stderr)
        sys.exit(2)

    warnings.showwarning = _show_warning
    # Keep rdflib from logging each ill-typed literal with a traceback.
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
    _exit_at_signals()
    # A shell sets this variable when it asks for completions.
    if "_JELLYP_COMPLETE" in os.environ:
        jellyp.main(prog_name="jellyp")
    # Values that commands pass to `main` through their context; the context itself may not exist.
    meta: dict[str, Any] = {}
    try:
        # Don't call click's `main`, which prints its own messages about interrupts and broken
        # pipes.
        with jellyp.make_context("jellyp", sys.argv[1:]) as context:
            meta = context.meta
            jellyp.invoke(context)
        sys.stdout.flush()
        code = 0
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        with suppress(OSError):
            _show_traceback(meta)
            _show(error)
        code = meta.get("error-status", error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        code = 128 + signal.SIGINT
    except BrokenPipeError:
        # Windows has no SIGPIPE, which is 13 elsewhere.
        code = 128 + 13
    except Exception as error:
        message = _explain(error)
        if message is None:
            raise
        with suppress(OSError):
            _show_traceback(meta)
            say(f"jellyp: {message}", err=True)
        # A missing package is not an error in the input, so it gets status 2.
        code = 2 if isinstance(error, ImportError) else meta.get("error-status", 1)
    finally:
        _drop_output()
    sys.exit(code)


def _open_standard_streams() -> None:
    """Replace each standard stream that the caller has closed.

    For a closed stream Python has None. The next opened file would get the stream's number, and C
    code that writes to this number would write into the file. Each use of the replacement for
    standard input or output raises an OSError. The replacement for standard error drops all text.
    """
    flags = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for number, (name, flag) in enumerate(flags.items()):
        if getattr(sys, name) is None:
            _drop(number, flag)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Print characters as escapes if the encoding lacks them, as on some Windows consoles.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop(number: int, flag: int) -> None:
    """Open the null device under the number of an open file."""
    nowhere = os.open(os.devnull, flag)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


def _drop_output() -> None:
    """Drop output that can't be written, since Python flushes both streams again when it ends."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        try:
            stream.flush()
        except OSError:
            _drop(stream.fileno(), os.O_WRONLY)
            # Data left in the old stream's buffer now go to the null device.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _exit_at_signals() -> None:
    """Turn signals into exceptions, so that half-written files are deleted."""
    # SIGINT is included: if a KeyboardInterrupt is raised during an import, the signal may end
    # Python even if the exception is caught.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP, and a command under nohup must keep ignoring it.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))


def _show_traceback(meta: dict[str, Any]) -> None:
    """Show where the error was raised, if ``--debug`` was given."""
    if meta.get("debug"):
        say(traceback.format_exc(), err=True, end="")


def _show(error: Any) -> None:
    """Show an error: a usage error as click does, an input error on one line."""
    import click

    # For a group without a command, click's message is the whole help: show it without a prefix.
    help_instead: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
    if isinstance(error, help_instead):
        error.show()
    elif isinstance(error, click.UsageError):
        click.UsageError(printable(error.format_message()), error.ctx).show()
    else:
        say(f"jellyp: {error.format_message()}", err=True)


def _explain(error: Exception) -> str | None:
    """Return the message for an exception; None if it is a bug of this program."""
    from jelly_rdflib.errors import JellyError
    from jelly_rdflib.extras import missing

    if isinstance(error, OSError):
        if error.errno == errno.EBADF:
            return "standard input or output is closed"
        if error.errno == errno.ENOSPC and error.filename is None:
            # Errors in writing a file contain its name, so this one is about standard output.
            error.filename = STANDARD_OUTPUT
        reason = error.strerror or str(error)
        return reason if error.filename is None else f"{os.fspath(error.filename)}: {reason}"
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, ModuleNotFoundError):
        # Only the packages of the extra cli lack a message that names their extra.
        package = (error.name or "").partition(".")[0]
        if package in PACKAGES:
            return str(missing("this", "jelly-rdflib[cli]", package))
    is_expected = isinstance(error, JellyError | ImportError | NotImplementedError)
    return str(error) if is_expected else None


def _show_warning(message: Warning | str, *args: Any, **kwargs: Any) -> None:
    from jelly_rdflib.cli.options import is_quiet

    if not is_quiet():
        print(printable(f"jellyp: warning: {message}"), file=sys.stderr)
