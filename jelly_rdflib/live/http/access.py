"""Who may do what: bearer tokens (RFC 6750) with rights."""

from __future__ import annotations

import enum
import hashlib
import os
import re
from pathlib import Path

_LINE = re.compile(r"(read|append|manage)\s+(\S+)")
# RFC 6750, section 2.1.
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
# A shorter one can be guessed.
_MIN_LENGTH = 16


class Right(enum.IntEnum):
    """What a token allows; each right includes those before it."""

    READ = 1
    """Read everything, and follow."""
    APPEND = 2
    """Append patches."""
    MANAGE = 3
    """Verify the log, write snapshots, and squash patches."""


class Tokens:
    """The tokens of a server, and the rights that each gives.

    Only hashes are kept, and looked up, so that the time of an answer tells nothing of a token.

    Args:
        rights: The right of each token.

    Raises:
        ValueError: A token is too short, or has a character that bearer tokens can't have.

    Examples:
        >>> tokens = Tokens({"a-token-of-ours-01": Right.READ})
        >>> tokens.right("a-token-of-ours-01"), tokens.right("another")
        (<Right.READ: 1>, None)
    """

    def __init__(self, rights: dict[str, Right]) -> None:
        for token in rights:
            if len(token) < _MIN_LENGTH or not _TOKEN.fullmatch(token):
                # Not the token itself: messages end up in files.
                raise ValueError(
                    f"a token has {_MIN_LENGTH} or more of A-Z a-z 0-9 - . _ ~ + /, and ="
                    f" at its end: one of {len(token)} characters is not like that"
                )
        self._rights = {_hash(token): right for token, right in rights.items()}

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Tokens:
        """Read a file with a right and a token in each line: ``append 4LrTQ…``.

        Empty lines, and those that start with ``#``, are left out.

        Raises:
            ValueError: A line is not like that, or there is no token; the message has its number.
            OSError: The file can't be read.
        """
        rights = {}
        for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                found = _LINE.fullmatch(line.strip())
                if found is None:
                    raise ValueError(
                        f"{os.fspath(path)}, line {number}: a line is a right (read, append or"
                        " manage) and a token"
                    )
                rights[found[2]] = Right[found[1].upper()]
        if not rights:
            raise ValueError(f"{os.fspath(path)} has no token")
        return cls(rights)

    def __repr__(self) -> str:
        return f"<Tokens: {len(self._rights)}>"

    def right(self, token: str) -> Right | None:
        """Return the right that a token gives; None if there is no such token."""
        return self._rights.get(_hash(token))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
