"""RDF Patch as text, as an encoding."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.input_start import has_control_characters, is_frame
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.text import TextBatchReader, TextPatchEncoder
from jelly_rdflib.formats.encoding import Encoding
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.nodes.conversion import NodeTypes

# A byte order mark, blanks, and then a comment or the code of a row.
_START = re.compile(rb"(\xEF\xBB\xBF)?[ \t\r\n]*(#|(H|T[XBCA]|P[AD]|A|D|Z)([ \t\r\n#.<\"]|$))")


def starts_like(start: bytes) -> bool:
    r"""Tell the text from Jelly-Patch by the first bytes.

    Examples:
        >>> starts_like(b"TX .\n"), starts_like(b"# a comment")
        (True, True)
        >>> starts_like(b"\x48\x0a\x0f\x0a\x0d\x08")
        False
    """
    return (
        not has_control_characters(start)
        and not is_frame(start)
        and _START.match(start) is not None
    )


def open_batches(source: memoryview | ByteSource, reading: Reading) -> TextBatchReader:
    """Make batches of an open source."""
    return TextBatchReader(source, reading.factory, reading.limits, faults=reading.faults)


def make_encoder(
    types: NodeTypes, options: Any, sink: Callable[[bytes], object]
) -> TextPatchEncoder:
    """Make an encoder.

    Raises:
        ValueError: There are options: the text has none.
    """
    if options is not None:
        raise ValueError("options are for Jelly-Patch: the text of RDF Patch has none")
    return TextPatchEncoder(types, sink)


RDF_PATCH = Encoding(
    name="rdf-patch",
    extensions=("rdfp",),
    media_types=("application/rdf-patch",),
    starts_like=starts_like,
    open_batches=open_batches,
    make_encoder=make_encoder,
)
