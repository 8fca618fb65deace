"""The encodings of changes and of statements, by name, file extension and media type.

Whatever has to find an encoding asks here: a new one is a module beside this one and a line in
`ENCODINGS`, and nothing else.
"""

from __future__ import annotations

from jelly_rdflib.encodings.encoding import Encoding
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.encodings.jelly_patch import JELLY_PATCH

__all__ = ["ENCODINGS", "Encoding", "find_encoding"]

ENCODINGS: tuple[Encoding, ...] = (JELLY_PATCH, JELLY)


def find_encoding(key: str) -> Encoding:
    """Find an encoding.

    Args:
        key: One of its names, of its file extensions (without the dot) or of its media types, in
            any case of letters.

    Raises:
        LookupError: There is none.

    Examples:
        >>> find_encoding("application/x-jelly-rdf-patch").name
        'jelly-patch'
        >>> find_encoding("jellyp").name
        'jelly-patch'
    """
    wanted = key.lower()
    for encoding in ENCODINGS:
        if wanted in (*encoding.names, *encoding.extensions):
            return encoding
    names = ", ".join(encoding.name for encoding in ENCODINGS)
    raise LookupError(f"no encoding {key!r}; there are: {names}")
