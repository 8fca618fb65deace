"""The options of writers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jelly_rdflib.options import PatchOptions, StreamOptions
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.read_options import to_number

COMPRESSIONS = {"none": "", "gzip": ".gz", "zstd": ".zst"}
_KNOWN = ("path", "compression", "preset", "checkpointlocation", "sortbytes")
SORT_BYTES = 64 << 20


@dataclasses.dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """The options of a writer.

    Args:
        stream: The options of the written streams; None for text, which has none.
        suffix: The suffix of files' names, after the extension.
        sort_bytes: The number of bytes of rows that are held in memory to sort them.
    """

    stream: PatchOptions | StreamOptions | None
    suffix: str = ""
    sort_bytes: int = SORT_BYTES

    @classmethod
    def of(cls, options: Mapping[str, str], kind: Kind) -> WriteOptions:
        """Parse the options of a data source; names are compared without case and underscores.

        Raises:
            ValueError: An option or its value does not exist.
        """
        made = StreamOptions if kind.is_statements else PatchOptions
        fields = {
            field.name.replace("_", ""): field.name
            for field in dataclasses.fields(made)
            if field.name not in ("delimited", "version")
        }
        given: dict[str, Any] = {}
        others: dict[str, str] = {}
        for key, value in options.items():
            name = key.replace("_", "").lower()
            if kind.has_frames and name in fields:
                given[fields[name]] = _value(key, value)
            elif name in _KNOWN:
                others[name] = value
            else:
                raise ValueError(f"there is no option {key!r} to write {kind.name}")
        compression = others.get("compression", "none").lower()
        if compression not in COMPRESSIONS:
            raise ValueError(f"the compression is {', '.join(COMPRESSIONS)}, not {compression!r}")
        preset = others.get("preset", "big").lower()
        if preset not in ("small", "big"):
            raise ValueError(f"the preset is small or big, not {preset!r}")
        stream = None
        if kind.has_frames:
            stream = (made.small if preset == "small" else made.big)(**given)
            if isinstance(stream, StreamOptions) and stream.is_grouped:
                raise ValueError(
                    f"a stream of {stream.logical_type!r} has a graph in each frame: files are"
                    " written with flat types only"
                )
        sort_bytes = to_number("sortBytes", others.get("sortbytes", str(SORT_BYTES)), 0)
        return cls(stream=stream, suffix=COMPRESSIONS[compression], sort_bytes=sort_bytes)


def _value(key: str, text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.isascii() and text.isdigit() else text
