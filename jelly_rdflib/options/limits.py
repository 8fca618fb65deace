"""Limits for input that strangers wrote."""

from __future__ import annotations

from dataclasses import dataclass

from jelly_rdflib.options.checks import MAX_FRAME_SIZE, MAX_TABLE_SIZE, check_range

_MAX_NESTING_DEPTH = 1000
_MAX_COUNT = (1 << 31) - 1
_MAX_TOTAL = (1 << 63) - 1


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits for input that strangers wrote; each is checked before memory is allocated.

    The defaults keep what a reader needs for a frame, rdflib's terms included, below 200 MB.

    Args:
        max_name_table_size: Entries of the name lookup that a stream may ask for.
        max_prefix_table_size: The same of the prefix lookup.
        max_datatype_table_size: The same of the datatype lookup.
        max_frame_size: Bytes of one frame, uncompressed; of a text, of one row.
        max_frame_rows: Operations of one frame, and entries of its metadata.
        max_frame_terms: Distinct terms of one frame; as rdflib's terms, durations count twice.
        max_nesting_depth: Levels of quoted triples in quoted triples; 0 allows none.
        max_string_size: Bytes of one string, and of one IRI put together from prefix and name.
        max_text_size: Bytes of all distinct terms of one frame together, and of all entries that
            the lookups hold. Lookups let a small frame stand for much text, so this is apart from
            the frame's own size. Also bytes of a quoted triple in a decoder's checkpoint, with
            each of its terms as often as it stands there; memory of the headers that
            `jelly_rdflib.concat`, and a patch log of one patch, keep; and characters of the
            prefixes of other RDF syntaxes.
        max_xml_tags: Tags and attributes of all XML literals of one frame, where each literal
            counts as ten more. rdflib makes a tree of each, which takes some hundred bytes for each
            of them; batches have no trees.
        max_expansion: How many times its own size the text may have that a stream stands for: an
            IRI stands in each frame for the text of its prefix and name, a repeated term for its
            own. Counted over the stream so far, beyond its first ``max_text_size`` bytes of text;
            what a stream did not use it may use later, up to 16 times ``max_text_size``. Of RDF
            Patch in Thrift it is for each decimal number, which stands for its digits. Of other RDF
            syntaxes it is for the text of all statements.
        max_decompressed_size: Bytes that input compressed with gzip or zstd may stand for.
        max_decompression_ratio: How many times its compressed size such input may stand for,
            beyond its first 16 MiB.
        max_held_operations: Operations that a use may keep in memory: `jelly_rdflib.apply` those
            of a transaction that has not ended, `jelly_rdflib.read_patches` those of a patch,
            `jelly_rdflib.compact` the last one on each statement.
        max_prefixes: Prefixes that `jelly_rdflib.apply` may bind in a store: rdflib takes time for
            each that grows with their number.
        max_parser_memory: Bytes of memory that the child process of ``isolated=True`` may take, on
            Linux; some 20 MB of these are Python's own. Documents of JSON-LD with a context around
            them take about twenty times their size.
        max_parser_seconds: Seconds of processor time that this process may take for each 8 MiB of
            text, or a part of them. For a batch it may take ten times as long by the clock.

    Raises:
        ValueError: A number is out of its range.

    Examples:
        >>> Limits().max_frame_size
        16777216
        >>> Limits(max_nesting_depth=4).max_nesting_depth
        4
    """

    max_name_table_size: int = 4096
    max_prefix_table_size: int = 1024
    max_datatype_table_size: int = 256
    max_frame_size: int = 16 << 20
    max_frame_rows: int = 1 << 19
    max_frame_terms: int = 1 << 18
    max_nesting_depth: int = 100
    max_string_size: int = 6 << 20
    max_text_size: int = 12 << 20
    max_xml_tags: int = 1 << 17
    max_expansion: int = 256
    max_decompressed_size: int = 1 << 40
    max_decompression_ratio: int = 100
    max_held_operations: int = 1 << 24
    max_prefixes: int = 10_000
    max_parser_memory: int = 512 << 20
    max_parser_seconds: int = 30

    def __post_init__(self) -> None:
        for name in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            check_range(name, getattr(self, name), 0, MAX_TABLE_SIZE)
        check_range("max_frame_size", self.max_frame_size, 0, MAX_FRAME_SIZE)
        check_range("max_nesting_depth", self.max_nesting_depth, 0, _MAX_NESTING_DEPTH)
        check_range("max_string_size", self.max_string_size, 0, MAX_FRAME_SIZE)
        check_range("max_text_size", self.max_text_size, 0, MAX_FRAME_SIZE)
        check_range("max_expansion", self.max_expansion, 0, 1 << 24)
        check_range("max_decompressed_size", self.max_decompressed_size, 0, _MAX_TOTAL)
        check_range("max_decompression_ratio", self.max_decompression_ratio, 0, _MAX_COUNT)
        check_range("max_held_operations", self.max_held_operations, 0, _MAX_TOTAL)
        check_range("max_parser_memory", self.max_parser_memory, 0, _MAX_TOTAL)
        for name in ("max_frame_rows", "max_frame_terms", "max_xml_tags", "max_prefixes"):
            check_range(name, getattr(self, name), 0, _MAX_COUNT)
        check_range("max_parser_seconds", self.max_parser_seconds, 0, _MAX_COUNT)
