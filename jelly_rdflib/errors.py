"""The errors of this package.

Errors in data that is read, written or applied derive from `JellyError`. A wrong call raises
Python's own errors: TypeError, ValueError, OSError.

Examples:
    >>> issubclass(LimitError, DecodeError) and issubclass(DecodeError, JellyError)
    True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jelly_rdflib.rules import Rule

# Longer messages are cut: they quote untrusted data, which may have any size.
_MAX_MESSAGE = 1000


class InUseError(RuntimeError):
    """A writer is in use: another thread is writing, or its output file calls the writer.

    The call is wrong, not the data, so this is not a `JellyError`. Nothing is lost: the first call
    continues, and the second one may be repeated when the first has returned.
    """


class JellyError(Exception):
    """Base class of every error of this package.

    Args:
        message: A description of the problem. The middle of a long message is cut out.

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
    """An error that may have a position in the input."""

    # The words before a position that is only the start of several rows, one of them at fault.
    _since = ""

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
        """The message with its position, but without the source."""
        places = {"line": self.line, "column": self.column, "byte": self.offset}
        places |= {"frame": self.frame, "row": self.row}
        if self.line == 0 and self.column is None:
            # Nothing has been read yet.
            return self.message
        known = [f"{name} {number}" for name, number in places.items() if number is not None]
        since = "" if self.frame is not None else self._since
        return f"{self.message} ({since}{', '.join(known)})" if known else self.message

    def __str__(self) -> str:
        return self.text if self.source is None else f"{self.source}: {self.text}"


class DecodeError(_PlacedError, ValueError):
    """The input breaks a rule of the format.

    When rdflib's ``parse`` raises it, it is also an ``rdflib.exceptions.ParserError``. The same is
    true of `LimitError` and `ApplyError`.

    Args:
        message: A description of the problem.
        source: The file, the address or the position in a topic that the input comes from.
        offset: Position in the (uncompressed) input, in bytes from its start. If frames are decoded
            one by one, the position in the frame.
        frame: Number of the frame, counted from 1.
        row: Number of the row in its frame, counted from 1. If the format has no frames, number of
            the row in the input.
        line: Number of the line in a text, counted from 1.
        column: Number of the character in its line, counted from 1.
        rule: The rule that the input breaks; `Rule.FORMAT` stands for every rule without a name.

    Attributes:
        message: The message without the source and the position.
        text: The message with the position.
        source, offset, frame, row, line, column: As given, or None.
        rule: As given.

    Examples:
        >>> print(DecodeError("name id 9 was never set", offset=120, frame=1, row=8))
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
    """The input exceeds one of its `jelly_rdflib.Limits`.

    Some limits are checked only when a frame is used. Such an error has the offset and the number
    of that frame; in a text, the position of the first row that was read with it.

    Args:
        message: Which part of the input exceeds the limit.
        limit: The field of `Limits`, or ``max_body`` of a server; None for a bound that can't be
            changed.
        value: The value of the limit.
        asked: The value that the input asks for; None if it is only known to exceed the limit.
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
        needs: The option that would have to be set, ``"rdf_star"`` or ``"generalized_statements"``;
            or ``"graphs"`` if the type of statements must have graphs.
        rule: The rule of transactions that would be broken; else None.

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
        # The number of the row, if the rows of a Batch were encoded.
        self.batch_row: int | None = None

    def __str__(self) -> str:
        if self.needs is None:
            return self.message
        is_type = self.needs == "graphs"
        what = "a type with graphs, such as QUADS" if is_type else f"{self.needs}=True"
        return f"{self.message}: options need {what}"


class ApplyError(_PlacedError):
    """A change can't be applied to this target, is not an operation, or is in the wrong place.

    The target is as it was before the transaction, with two exceptions: with ``atomic=False`` the
    applied changes stay, and if the transaction can't be undone, the error is a `RollbackError`.

    Attributes:
        source: The file or the address that the change comes from; else None.
        offset, frame, line: The start of the frame with the change, if bytes were applied; in a
            text, the start of the rows that were read together. Else None. With ``strict=True``
            the message contains the position instead.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> jr.apply([(jr.Op.TC,)], Graph())
        Traceback (most recent call last):
        jelly_rdflib.errors.ApplyError: transaction ends, but none was started
    """

    _since = "at or after "


class RollbackError(ApplyError):
    """A failed transaction could not be undone: the target keeps some of its changes.

    Every change that could be undone is undone. The store has to be loaded again, from a backup or
    a patch log. The error that made the transaction fail is in the chain of ``__context__``. The
    ``__cause__`` is the error of the last of three attempts to undo the transaction.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> try:
        ...     result = jr.apply([(jr.Op.TX,), (jr.Op.TA,)], Graph())
        ... except jr.RollbackError as error:
        ...     print("load the store again:", error.__cause__)
    """


class RecordError(JellyError):
    """A change to a graph can't be recorded, or a recording can't be undone.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Graph
        >>> with jr.record(Graph()) as recorder, recorder.transaction(), recorder.transaction():
        ...     pass
        Traceback (most recent call last):
        jelly_rdflib.errors.RecordError: a transaction starts inside a transaction
    """


class LogError(JellyError):
    """A patch log or a replica is in an invalid state, or doesn't have a requested version.

    Args:
        message: The problem, in words. With a ``path`` it is a sentence whose subject, the path,
            is left out.
        path: The file or folder that is wrong, or its address on a server.
        advice: What to do about it.

    Attributes:
        message: As given, without the path and the advice.
        path, advice: As given; by default None and an empty string.

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
    """A log does not have the requested version, or no longer has it since it was squashed.

    Attributes:
        squashed_into: The version whose patch includes the requested one, if the log had that
            version and squashed it; None if that is not known.

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

    In the first case another process appended a patch first, or the patch was made for another
    state. In the second case other processes kept the log or replica locked for longer than the
    timeout. (Readers, too, wait while a writer commits.) Then the newest patch is not known:
    `expected` and `head` are None, and `version` is 0.

    Args:
        message: A description of the problem.
        expected: The id of the patch that the new one should have followed; None for no patch.
        head: The id of the log's newest patch; None for an empty log.
        version: The number of that patch, which is the version of the log.
        is_locked: Whether other processes kept the log or replica locked.
        advice: What to do about it.

    Attributes:
        expected, head, version, is_locked, advice: As given.

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
        advice: str = "",
    ) -> None:
        super().__init__(message, advice=advice)
        self.expected = expected
        self.head = head
        self.version = version
        self.is_locked = is_locked


class LogWarning(UserWarning):
    """A log or a store may have less data than its user expects.

    A damaged file that is not needed was left out, or a store in a file has lost changes that were
    not committed.

    Examples:
        To make it an error:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", LogWarning)
    """


class ConnectionWarning(UserWarning):
    """A followed source or log can't be reached and is retried, or can be reached again.

    Examples:
        To make it an error:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", ConnectionWarning)
    """


class TopicWarning(UserWarning):
    """A Kafka or MQTT topic does not deliver all patches, or may soon stop doing so.

    A message can't be decoded and was skipped, patches are lost, or the broker deletes messages
    after a time.

    Examples:
        To make it an error:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", TopicWarning)
    """


class PatchError(JellyError, ValueError):
    """A patch lacks data that is needed to undo it, or patches don't follow one another.

    Examples:
        >>> import jelly_rdflib as jr
        >>> jr.Patch([(jr.Op.PD, "ex", None, None)]).invert()
        Traceback (most recent call last):
        jelly_rdflib.errors.PatchError: the prefix 'ex' is deleted without the IRI that it had, so \
it can't be bound again: effective(dataset) finds the IRI
    """


class MergeConflict(PatchError):
    """Two patches can't be merged: they change the same statement, value or prefix differently.

    Args:
        message: A description of the problem.
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
