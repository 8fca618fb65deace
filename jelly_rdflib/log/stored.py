"""Reading the files of a log, which must be what their names say."""

from __future__ import annotations

import hashlib
from pathlib import Path

from jelly_rdflib.errors import LogError
from jelly_rdflib.log.names import DIGEST_LENGTH, FileName

__all__ = ["read_stored"]

# A smaller file is read at once: then it is opened once.
_AT_ONCE = 1 << 20


def read_stored(path: Path, name: FileName) -> bytes | Path:
    """Return what readers take for a file, once its digest is what its name says.

    Returns:
        The bytes of a small file, the path of a large one.

    Raises:
        LogError: It is damaged, or is gone.
        OSError: It can't be read.
    """
    try:
        with path.open("rb") as file:
            data = piece = file.read(_AT_ONCE)
            sha256 = hashlib.sha256(data)
            while len(piece) == _AT_ONCE:
                piece = file.read(_AT_ONCE)
                sha256.update(piece)
    except FileNotFoundError:
        raise LogError(
            f"{path} is gone: squashed, replaced or deleted since its folder was read"
        ) from None
    digest = sha256.hexdigest()[:DIGEST_LENGTH]
    if digest != name.digest:
        raise LogError(
            f"{path} is damaged: its SHA-256 starts with {digest}, its name says {name.digest}"
        )
    return data if len(data) < _AT_ONCE else path
