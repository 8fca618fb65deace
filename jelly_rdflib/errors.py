"""The errors of this package.

Errors in data that is read, written or applied derive from `JellyError`. A wrong call raises the
same errors as Python's own functions: TypeError, ValueError, OSError.

Examples:
    >>> issubclass(LimitError, DecodeError) and issubclass(DecodeError, JellyError)
    True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jelly_rdflib.rules import Rule

# Longer messages are cut: they quote data of any size, which strangers choose.
_MAX_MESSAGE = 1000


class InUseError(RuntimeError):
    """A writer is in use: another thread is writing, or the file that is written to calls back.

    A wrong call is no fault of the data, so this is no `JellyError`. Nothing is lost: the first
    call goes on, and the other one may be repeated when the first is done.
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
        source: str | None = None,
        offset: int | None = None,
        frame: int | None = None,
        row: int | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message: str = self.args[0]
        self.source = source
        self.offset = offset
        self.frame = frame
        self.row = row
        self.line = line
        self.column = column

    @property
    def text(self) -> str:
        """The message with the position, but without the source."""
        places = {"line": self.line, "column": self.column, "byte": self.offset}
        places |= count_from_one({"frame": self.frame, "row": self.row})
        known = [f"{name} {number}" for name, number in places.items() if number is not None]
        return f"{self.message} ({', '.join(known)})" if known else self.message

    def __str__(self) -> str:
        return self.text if self.source is None else f"{self.source}: {self.text}"


def count_from_one(place: dict[str, Any]) -> dict[str, Any]:
    """Return a place as people read it: frames and rows count from 1, as in ranges of them."""
    return {
        name: value + 1 if name in ("frame", "row") and value is not None else value
        for name, value in place.items()
    }


class DecodeError(_PlacedError, ValueError):
    """The input breaks a rule of the format.

    From rdflib's ``parse`` it is an ``rdflib.exceptions.ParserError``, too, and so are `LimitError`
    and `ApplyError`.

    Args:
        message: What is wrong, in words.
        source: The file, the address or the place in a topic that the input is from.
        offset: Position in the (uncompressed) input, in bytes from its start; in the frame, where
            frames are decoded one by one.
        frame: Number of the frame, counted from 0; the text counts it from 1.
        row: Number of the row in its frame, or in an input that has rows but no frames, counted
            from 0; the text counts it from 1.
        line: Number of the line in a text, counted from 1.
        column: Number of the character in its line, counted from 1.
        rule: The rule that the input breaks; `Rule.FORMAT` stands for all that have no name.

    Attributes:
        message: The message without the source and the position.
        text: The message with the position.
        source, offset, frame, row, line, column: As given; None where there is none.
        rule: As given.

    Examples:
        >>> print(DecodeError("name id 9 was never set", offset=120, frame=0, row=7))
        name id 9 was never set (byte 120, frame 1, row 8)
        >>> print(DecodeError("expected a term", offset=57, line=3, column=14))
        expected a term (line 3, column 14, byte 57)
        >>> import jelly_rdflib
        >>> from rdflib import Dataset
        >>> from rdflib.exceptions import ParserError
        >>> try:
        ...     _ = Dataset().parse(data="A <urn:s> oh no", format="rdf-patch")
        ... except ParserError as error:
        ...     print(isinstance(error, DecodeError) and (error.rule, error.column))
        (<Rule.FORMAT: 'format'>, 11)
    """

    def __init__(self, message: str, *, rule: Rule = Rule.FORMAT, **place: Any) -> None:
        super().__init__(message, **place)
        self.rule = rule


class LimitError(DecodeError):
    """The input asks for more than `jelly_rdflib.Limits` allows.

    An error that shows only when a frame is used has the offset and the number of that frame; in a
    text, those of the first row that was read with it.

    Args:
        message: Which part of the input exceeds the limit.
        limit: The field of `Limits`, or ``max_body`` of a server; None for a bound that can't be
            changed.
        value: Its value.
        asked: What the input asks for; None if it is only known to be more.
        place: As for a `DecodeError`.

    Attributes:
        limit, value, asked: As given.

    Examples:
        >>> import jelly_rdflib as jr
        >>> try:
        ...     next(jr.read_operations(b"TX . TC .", limits=jr.Limits(max_frame_size=2)))
        ... except LimitError as error:
        ...     print(error)
        ...     error.limit, error.value, error.asked
        row of more than 2 bytes (limit max_frame_size) (line 1, column 1, byte 0)
        ('max_frame_size', 2, None)
    """

    def __init__(
        self,
        message: str,
        *,
        limit: str | None = None,
        value: int | None = None,
        asked: int | None = None,
        **place: Any,
    ) -> None:
        if limit is not None:
            message += f" (limit {limit})" if asked is None else f" (limit {limit}: {value})"
        super().__init__(message, rule=Rule.LIMIT, **place)
        self.limit = limit
        self.value = value
        self.asked = asked


class EncodeError(JellyError, ValueError):
    """The options or the format of a stream can't express an operation or a term.

    Args:
        message: The operation or term that can't be expressed, and why.
        needs: What the options would need: ``"rdf_star"``, ``"generalized_statements"`` or
            ``"graphs"``, a type of statements that has them.
        rule: The rule that would be broken, if it is one of transactions.

    Attributes:
        message: The message without the advice that `needs` adds.
        needs, rule: As given.

    Examples:
        >>> import jelly_rdflib as jr
        >>> jr.PatchEncoder().encode_frame([(jr.Op.TC,)])
        Traceback (most recent call last):
        jelly_rdflib.errors.EncodeError: there is no transaction to end: begin() one first
    """

    def __init__(
        self, message: object = "", *, needs: str | None = None, rule: Rule | None = None
    ) -> None:
        super().__init__(message)
        self.message: str = self.args[0]
        self.needs = needs
        self.rule = rule

    def __str__(self) -> str:
        if self.needs is None:
            return self.message
        is_type = self.needs == "graphs"
        what = "a type with graphs, such as QUADS" if is_type else f"{self.needs}=True"
        return f"{self.message}: options need {what}"


class ApplyError(_PlacedError):
    """A change can't be applied to this target, is no operation, or stands in a wrong place.

    The target is as it was before the transaction, with two exceptions: with ``atomic=False`` the
    applied changes stay, and if the transaction can't be undone, the error is a `RollbackError`.

    Attributes:
        source: The file or the address that the change is from; else None.
        offset, frame, line: Where the frame of the change starts, if bytes were applied, or in a
            text the rows that were read with it; else None. With ``strict=True`` the message has
            the place instead.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> jr.apply([(jr.Op.TC,)], Graph())
        Traceback (most recent call last):
        jelly_rdflib.errors.ApplyError: transaction ends, but none was started
    """


class RollbackError(ApplyError):
    """A transaction could not be undone: the target has a part of it.

    Every change that could be undone is undone. The owner of the store has to load it anew, from a
    backup or a patch log. The error for which the transaction was undone is in the chain of
    ``__context__``; the ``__cause__`` is the error of undoing it, the last of three attempts.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> try:
        ...     result = jr.apply([(jr.Op.TX,), (jr.Op.TA,)], Graph())
        ... except jr.RollbackError as error:
        ...     print("load the store anew:", error.__cause__)
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
    """A patch log, or a replica of one, is in a wrong state, or lacks something asked for.

    Args:
        message: What is wrong, in words. If there is a ``path``, a sentence without its subject,
            which is the path.
        path: The file or folder that is wrong, or its address on a server.
        advice: What to do about it.

    Attributes:
        message: As given, without the path and the advice.
        path, advice: As given; None and an empty text where there is none.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     jr.PatchLog.create(folder).entry(7)
        Traceback (most recent call last):
        jelly_rdflib.errors.MissingVersion: there is no version 7; the log has 0 to 0
        >>> print(LogError("is damaged", path="log.db", advice="bring it back from a backup"))
        log.db is damaged: bring it back from a backup
    """

    def __init__(self, message: object = "", *, path: object = None, advice: str = "") -> None:
        super().__init__(message)
        self.message: str = str(self.args[0])
        self.path = path
        self.advice = advice

    def __str__(self) -> str:
        text = self.message if self.path is None else f"{self.path} {self.message}"
        return f"{text}: {self.advice}" if self.advice else text


class MissingVersion(LogError):
    """A log does not have a version that is asked for, or has it no more: it was squashed.

    Attributes:
        squashed_into: The version whose patch stands for the one that is asked for, which the log
            had: if that is known, else None.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     try:
        ...         jr.PatchLog.create(folder).patches(since=3)
        ...     except MissingVersion as error:
        ...         print(error)
        there is no version 3; the log has 0 to 0
    """

    def __init__(self, message: object = "", *, squashed_into: int | None = None) -> None:
        super().__init__(message)
        self.squashed_into = squashed_into


class LogConflict(LogError):
    """A patch does not follow a log's newest patch, or a log stays locked. Nothing was changed.

    In the first case another process has appended a patch before, or the patch was made for another
    state. In the second case others have kept the log or replica locked for longer than the
    time-out; readers, too, have to wait while a writer commits. Then the newest patch is not known:
    `expected` and `head` are None, and `version` is 0.

    Args:
        message: What is wrong, in words.
        expected: The id of the patch that the new one was to follow; None for none.
        head: The id of the log's newest patch; None if it has none.
        version: The number of that patch, which is the version of the log.
        is_locked: Did others keep the log or replica locked?

    Attributes:
        expected, head, version, is_locked: As given.

    Examples:
        >>> error = LogConflict("too late", expected=None, head="uuid:1", version=1)
        >>> error.head, error.version
        ('uuid:1', 1)
    """

    def __init__(
        self,
        message: str,
        *,
        expected: str | None = None,
        head: str | None = None,
        version: int = 0,
        is_locked: bool = False,
    ) -> None:
        super().__init__(message)
        self.expected = expected
        self.head = head
        self.version = version
        self.is_locked = is_locked


class LogWarning(UserWarning):
    """A log, or a store beside it, has a damaged file that is not needed: all was done without it.

    Examples:
        To make it an error:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", LogWarning)
    """


class ConnectionWarning(UserWarning):
    """A source or log that is followed can't be reached, and is tried again; or is there again.

    Examples:
        To make it an error:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", ConnectionWarning)
    """


class TopicWarning(UserWarning):
    """A topic of Kafka or MQTT does not give all patches, or soon may not.

    A message was left out, since it can't be decoded; patches are lost; or the broker deletes
    messages after a time.

    Examples:
        To make it an error:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", TopicWarning)
    """


class PatchError(JellyError, ValueError):
    """A patch can't be undone as it stands, or patches don't follow one another.

    Examples:
        >>> import jelly_rdflib as jr
        >>> jr.Patch([(jr.Op.PD, "ex", None, None)]).invert()
        Traceback (most recent call last):
        jelly_rdflib.errors.PatchError: the prefix 'ex' is deleted without the IRI that it had, so \
it can't be bound again: effective(dataset) finds the IRI
    """


class MergeConflict(PatchError):
    """Two patches change the same in different ways, so that they can't be merged.

    Args:
        message: What is wrong, in words.
        conflicts: The conflicts, each a `jelly_rdflib.Conflict`.

    Attributes:
        conflicts: As given.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import URIRef
        >>> bind, delete = (jr.Op.PA, "ex", URIRef("urn:ex#"), None), (jr.Op.PD, "ex", None, None)
        >>> try:
        ...     jr.merge([bind], [delete])
        ... except jr.MergeConflict as error:
        ...     print([conflict.kind for conflict in error.conflicts])
        ['prefix']
    """

    def __init__(self, message: str, conflicts: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.conflicts = conflicts
