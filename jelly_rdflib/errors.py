"""The errors of this package.

What is wrong with data, read, written or applied, derives from `JellyError`. A call that is wrong
by itself raises what Python's own functions raise: TypeError, ValueError, OSError.

Examples:
    >>> issubclass(LimitError, DecodeError) and issubclass(DecodeError, JellyError)
    True
"""

from __future__ import annotations

from typing import Any

# Longer messages are cut: what is wrong may be of any size, and strangers choose it.
_MAX_MESSAGE = 1000


class InUseError(RuntimeError):
    """A writer is in use: another thread is writing, or the file that is written to calls back.

    What is called wrongly is no fault of the data, so it is no `JellyError`. Nothing is lost: the
    call that is at work goes on, and the other one may be made again when it is done.
    """


class JellyError(Exception):
    """Base class of every error of this package.

    Args:
        message: What is wrong, in words; of a long one the middle is left out.

    Examples:
        >>> len(str(JellyError("a literal, and it is " + "very " * 1_000_000 + "long")))
        1000
    """

    def __init__(self, message: object = "") -> None:
        if isinstance(message, str) and len(message) > _MAX_MESSAGE:
            half = _MAX_MESSAGE // 2
            message = f"{message[:half]}…{message[1 - half :]}"
        super().__init__(message)


class _PlacedError(JellyError):
    """An error that may know where in the input it is."""

    def __init__(
        self,
        message: str,
        *,
        offset: int | None = None,
        frame: int | None = None,
        row: int | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message: str = self.args[0]
        self.offset = offset
        self.frame = frame
        self.row = row
        self.line = line
        self.column = column

    def __str__(self) -> str:
        places = {"line": self.line, "column": self.column, "byte": self.offset}
        places |= {"frame": self.frame, "row": self.row}
        known = [f"{name} {number}" for name, number in places.items() if number is not None]
        return f"{self.message} ({', '.join(known)})" if known else self.message


class DecodeError(_PlacedError, ValueError):
    """The input breaks a rule of the format.

    Args:
        message: What is wrong, in words.
        offset: Position in the (uncompressed) input, in bytes from its start; in the frame, where
            frames are decoded one by one.
        frame: Number of the frame, counted from 0.
        row: Number of the row in its frame, or in an input that has rows but no frames, counted
            from 0.
        line: Number of the line in a text, counted from 1.
        column: Number of the character in its line, counted from 1.

    Attributes:
        message: The message without the position.
        offset, frame, row, line, column: As given; None where there is no such position.

    Examples:
        >>> print(DecodeError("name id 9 was never set", offset=120, frame=0, row=7))
        name id 9 was never set (byte 120, frame 0, row 7)
        >>> print(DecodeError("expected a term", offset=57, line=3, column=14))
        expected a term (line 3, column 14, byte 57)
    """


class LimitError(DecodeError):
    """The input asks for more than `jelly_rdflib.Limits` allows.

    What only the use of a frame shows has the offset and the number of the frame; in a text those
    of the first row that was read with it.
    """


class EncodeError(JellyError, ValueError):
    """The options or the format of a stream can't express an operation or a term."""


class ApplyError(_PlacedError):
    """A change can't be applied to this target, or is none: no operation, or not in its place.

    The target is as it was before the transaction, but for two cases: with ``atomic=False`` what
    was applied stays, and where the transaction can't be undone this is a `RollbackError`.

    Attributes:
        offset, frame, line: Where the frame starts that has the change, if bytes were applied, or
            in a text the rows that were read with it; else None.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> jr.apply([(jr.Op.TC,)], Graph())
        Traceback (most recent call last):
        jelly_rdflib.errors.ApplyError: a transaction ends (TC), but none has started (TX)
    """


class RollbackError(ApplyError):
    """A transaction was to be undone, and could not be: the target has a part of it.

    Every change that could be undone is undone. The rest is for the owner of the store: to load it
    anew, from a backup or a patch log. What the transaction was undone for is in the chain of
    ``__context__``; the ``__cause__`` is what came while it was undone, the last of three times.
    """


class RecordError(JellyError):
    """A change of a graph can't be recorded, or a recording can't be undone.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> with jr.record(Graph()) as recorder, recorder.transaction(), recorder.transaction():
        ...     pass
        Traceback (most recent call last):
        jelly_rdflib.errors.RecordError: a transaction starts inside a transaction
    """


class LogError(JellyError):
    """A patch log, or a replica of one, is not what it should be, or lacks what is asked of it."""


class LogConflict(LogError):
    """Others were first with a log, or keep it locked. Nothing was changed.

    There are two causes. A patch can't be appended, since it does not follow the log's newest
    patch: another process was first, or the patch was made for another state. Or others have kept
    the log or replica locked for longer than the time-out; a reader has to wait, too, while a
    writer commits. Then it is not known which patch is the newest: `expected` and `head` are None,
    and `version` is 0.

    Args:
        message: What is wrong, in words.
        expected: The id of the patch that the new one was to follow; None for none.
        head: The id of the log's newest patch; None if it has none.
        version: The number of that patch, which is the version of the log.

    Attributes:
        expected, head, version: As given.

    Examples:
        >>> error = LogConflict("too late", expected=None, head="uuid:1", version=1)
        >>> error.head, error.version
        ('uuid:1', 1)
    """

    def __init__(
        self, message: str, *, expected: Any = None, head: Any = None, version: int = 0
    ) -> None:
        super().__init__(message)
        self.expected = expected
        self.head = head
        self.version = version


class LogWarning(UserWarning):
    """A patch log has a damaged file that is not needed: what was asked for was done without it."""


class PatchError(JellyError, ValueError):
    """A patch can't be undone as it stands, or patches don't follow one another.

    Examples:
        >>> import jelly_rdflib as jr
        >>> jr.Patch([(jr.Op.PD, "ex", None, None)]).invert()
        Traceback (most recent call last):
        jelly_rdflib.errors.PatchError: the prefix 'ex' is deleted without the IRI that it had, so \
it can't be bound again: effective(dataset) finds the IRI
    """
