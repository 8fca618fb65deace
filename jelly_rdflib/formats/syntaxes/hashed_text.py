"""A text that is read in pieces, but can give the hash of the whole text at any time."""

from __future__ import annotations

import copy
import tempfile
from hashlib import blake2b
from typing import IO

from jelly_rdflib.core.source import ByteSource, read_in_pieces
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.formats.syntaxes.messages import PIECE_SIZE
from jelly_rdflib.options import Limits

# Bytes read ahead that are kept in memory; more of them go to a temporary file.
_IN_MEMORY = 1 << 20


class HashedText:
    """A text that is read in pieces, but can give the hash of the whole text at any time.

    To compute the hash, a file is read once more. The rest of a source that can be read only once,
    such as a pipe, is read ahead, and kept until `read` returns it: in a temporary file, if it is
    long.
    """

    def __init__(self, source: memoryview | ByteSource, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._pieces = read_in_pieces(source)
        # The hash of the bytes read so far; used if the source can be read only once.
        self._hash = blake2b(digest_size=10)
        self._digest: str | None = None
        self._can_reread = isinstance(source, memoryview) or source.reopen is not None
        # The bytes that were read ahead, and the error that came after them.
        self._ahead: IO[bytes] | None = None
        self._error: DecodeError | None = None

    def read(self, size: int) -> bytes:
        """Return at least one and at most ``size`` bytes, or none at the end."""
        if self._ahead is not None:
            data = self._ahead.read(size)
            if not data and self._error is not None:
                raise self._error
            return data
        data = self._pieces.read(size)
        if not self._can_reread:
            self._hash.update(data)
        return data

    def digest(self) -> str:
        """Return the hash of the whole text after decompression, in hexadecimal.

        If the source fails, return the hash of the bytes before the failure.
        """
        if self._digest is None:
            if not self._can_reread:
                self._read_ahead()
            elif isinstance(self._source, memoryview):
                self._hash.update(self._source)
            else:
                self._reread(self._source)
            self._digest = self._hash.hexdigest()
        return self._digest

    def close(self) -> None:
        """Close the source, and drop the bytes that were read ahead."""
        self._pieces.close()
        self._source = memoryview(b"")
        if self._ahead is not None:
            self._ahead.close()

    def _reread(self, source: ByteSource) -> None:
        assert source.reopen is not None
        again = source.reopen()
        try:
            while data := again.read(PIECE_SIZE):
                self._hash.update(data)
        except DecodeError:
            # `read` will raise this error again at its position.
            pass
        finally:
            again.close()

    def _read_ahead(self) -> None:
        ahead = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed with this
        most = self._limits.max_decompressed_size
        try:
            while data := self._pieces.read(PIECE_SIZE):
                self._hash.update(data)
                ahead.write(data)
                if ahead.tell() > most:
                    raise LimitError(
                        f"more than {most} bytes would have to be kept to label the nodes that"
                        " have no label",
                        limit="max_decompressed_size",
                        value=most,
                    )
        except DecodeError as error:
            # Keep a copy, since the traceback of the original would refer to this object.
            self._error = copy.copy(error)
        ahead.seek(0)
        self._ahead = ahead
