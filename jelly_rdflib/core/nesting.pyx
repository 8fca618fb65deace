"""Watches how deep a text nests and what it will take, on its way to a parser that trusts it.

Only as much of a syntax is known, in a module of its own, as tells its brackets and tags from what
looks like them, and bounds what the parser makes of them: IRIs that a few bytes stand for, and what
stays in memory until brackets and tags are closed. The bounds are from above, and need not be
close.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport UINT64_MAX, uint8_t, uint64_t

from jelly_rdflib.errors import LimitError


cdef class NestingWatch:
    """Watches how deep a text nests. Subclasses know a syntax.

    Args:
        limit: How many levels there may be.
        max_held: How many bytes the parser may hold of what is not closed yet.

    Attributes:
        depth: How many levels are open.
    """

    def __init__(self, size_t limit, *, uint64_t max_held=UINT64_MAX):
        if self.is_ready:
            raise ValueError("it is initialized already")
        self.limit = limit
        self.max_held = max_held

    def look(self, bytes piece not None):
        """Look at the next piece of the text.

        Raises:
            DecodeError: There is something that can't be watched, or at which a parser would end
                the process.
            LimitError: It nests deeper than the limit, or more of it would be held.
        """
        if not self.is_ready:
            raise ValueError("it is not initialized")
        self.look_through(
            <const uint8_t*>PyBytes_AS_STRING(piece), <size_t>PyBytes_GET_SIZE(piece)
        )
        self.position += PyBytes_GET_SIZE(piece)

    @property
    def token_size(self):
        """How many bytes the token has, behind what opens it, in whose middle the text ends; or 0.

        Only of what a parser starts anew with when it gets more: nothing of XML.
        """
        return self.position - self.find_token()

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        raise NotImplementedError

    cdef size_t find_token(self) noexcept:
        """Return where the token starts that goes on, or the position."""
        return self.position

    cdef int enter(self, size_t at) except -1:
        self.depth += 1
        if self.depth > self.limit:
            raise LimitError(
                f"brackets or elements nest deeper than {self.limit} levels",
                offset=self.position + at,
            )
        return 0

    cdef void leave(self) noexcept:
        if self.depth > 0:
            self.depth -= 1

    cdef int check_held(self, uint64_t held, size_t at) except -1:
        if held > self.max_held:
            raise LimitError(
                f"a parser would hold more than {self.max_held} bytes at once (limit max_text_size)",
                offset=self.position + at,
            )
        return 0
