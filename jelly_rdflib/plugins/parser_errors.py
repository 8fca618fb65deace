"""The errors of this package as rdflib's callers expect them from a parser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rdflib.exceptions import ParserError

from jelly_rdflib.errors import ApplyError, DecodeError, LimitError


class ParserDecodeError(DecodeError, ParserError):
    """A `DecodeError` of a parser plugin."""


class ParserLimitError(LimitError, ParserError):
    """A `LimitError` of a parser plugin."""


class ParserApplyError(ApplyError, ParserError):
    """An `ApplyError` of a parser plugin."""


# Only these classes, not their subclasses, such as `RollbackError`, which is not the input's
# fault.
_KINDS: dict[type, type[ParserError]] = {
    kind: both
    for both in (ParserDecodeError, ParserLimitError, ParserApplyError)
    for kind in both.__bases__[:1]
}


@contextmanager
def raising_parser_errors() -> Iterator[None]:
    """Turn errors of an input into subclasses of ``rdflib.exceptions.ParserError``.

    Callers of ``Graph.parse`` catch that error, whichever format they parse. But the core, which
    raises the errors, must not import rdflib, so the plugins change the class of each error here.
    """
    try:
        yield
    except (DecodeError, ApplyError) as error:
        if type(error) in _KINDS:
            # Keep the same object, with its traceback, its cause and its position in the input.
            error.__class__ = _KINDS[type(error)]  # type: ignore[assignment]
            error.msg = str(error)  # type: ignore[union-attr]
        raise
