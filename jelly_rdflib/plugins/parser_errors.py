"""The errors of this package as rdflib's callers expect them of a parser."""

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


# Not for their subclasses: a `RollbackError`, say, is no fault of the input.
_KINDS: dict[type, type[ParserError]] = {
    kind: both
    for both in (ParserDecodeError, ParserLimitError, ParserApplyError)
    for kind in both.__bases__[:1]
}


@contextmanager
def raising_parser_errors() -> Iterator[None]:
    """Have the errors of an input be ``rdflib.exceptions.ParserError``, too.

    Callers of ``Graph.parse`` catch that error, whichever format they parse. The core makes the
    errors, and must not import rdflib. So the plugins change the class of each error here.
    """
    try:
        yield
    except (DecodeError, ApplyError) as error:
        if type(error) in _KINDS:
            # The same error, not another: it keeps its traceback, its cause, and its place.
            error.__class__ = _KINDS[type(error)]  # type: ignore[assignment]
            error.msg = str(error)  # type: ignore[union-attr]
        raise
