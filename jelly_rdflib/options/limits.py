"""What a reader accepts from a stranger."""

from __future__ import annotations

from dataclasses import dataclass

from jelly_rdflib.options.checks import MAX_FRAME_SIZE, MAX_TABLE_SIZE, check_range

__all__ = ["Limits"]

_MAX_NESTING_DEPTH = 1000


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a reader accepts from a stranger; each is checked before anything is allocated.

    Args:
        max_name_table_size: Entries of the name lookup that a stream may ask for.
        max_prefix_table_size: The same of the prefix lookup.
        max_datatype_table_size: The same of the datatype lookup.
        max_frame_size: Bytes of one frame, uncompressed.
        max_nesting_depth: Levels of quoted triples in quoted triples; 0 allows none.
        max_string_size: Bytes of one string, and of one IRI put together from prefix and name.
        max_text_size: Bytes of all distinct terms of one frame together, and of all entries that
            the lookups hold. Lookups let a small frame stand for much text, so this is apart from
            the frame's own size.
        max_expansion: How many times its own size the text may have that a stream stands for, in
            all: a repeated term stands for its text in each frame, an IRI for that of its prefix.
            Counted beyond ``max_text_size`` for the stream and 64 KiB for each frame. Of RDF Patch
            in Thrift it is for each decimal number, which stands for its digits.

    Raises:
        ValueError: A number is out of its range.

    Examples:
        >>> Limits().max_frame_size
        67108864
        >>> Limits(max_nesting_depth=4).max_nesting_depth
        4
    """

    max_name_table_size: int = 4096
    max_prefix_table_size: int = 1024
    max_datatype_table_size: int = 256
    max_frame_size: int = 64 << 20
    max_nesting_depth: int = 100
    max_string_size: int = 16 << 20
    max_text_size: int = 256 << 20
    max_expansion: int = 1024

    def __post_init__(self) -> None:
        for name in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            check_range(name, getattr(self, name), 0, MAX_TABLE_SIZE)
        check_range("max_frame_size", self.max_frame_size, 0, MAX_FRAME_SIZE)
        check_range("max_nesting_depth", self.max_nesting_depth, 0, _MAX_NESTING_DEPTH)
        check_range("max_string_size", self.max_string_size, 0, MAX_FRAME_SIZE)
        check_range("max_text_size", self.max_text_size, 0, MAX_FRAME_SIZE)
        check_range("max_expansion", self.max_expansion, 0, 1 << 24)
