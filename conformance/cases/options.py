"""The options row: its position, its fields, and the features that it allows."""

from __future__ import annotations

from typing import Any

from conformance import rows as b
from conformance.cases.case import (
    TABLE,
    A,
    Case,
    D,
    E,
    O,
    P,
    S,
    bytes_of,
    o,
    options,
    p,
    reads,
    refuses,
    s,
    stream,
    text,
)
from conformance.document import Plain
from conformance.spelling import options_row
from conformance.wire import field

_FIRST = A(S, P, O)
_PLAIN = [[*TABLE, b.add(s, p, o)]]
_ROW = options_row(options())


def cases() -> list[Case]:
    """Return the cases."""
    return [*_place(), *_types(), *_sizes(), *_versions(), *_features()]


def _place() -> list[Case]:
    whole = stream(_PLAIN)
    again = [[*TABLE, b.add(s, p, o)], [_ROW, b.delete(), _ROW], [_ROW]]
    halves = _ROW.options.SerializeToString()
    missing = b.delimited([bytes_of([*TABLE, b.add(s, p, o)])])
    late = b.delimited([bytes_of([TABLE[0], _ROW, *TABLE[1:], b.add(s, p, o)])])
    reordered = field(1, field(15, 1) + field(11, 16) + field(10, 16) + field(9, 16)
                      + field(4, 0) + field(3, 0) + field(2, 2) + field(1, 1))  # fmt: skip
    return [
        *refuses("options/missing", "options-first", "A stream without options.", missing, whole,
                 [[_FIRST]], "may"),
        *refuses("options/late", "options-first", "An entry stands before the options.", late,
                 whole, [[_FIRST]], "may"),
        *refuses("options/no_bytes", "options-first", "A file without any byte.", b"",
                 stream([[]]), [[]], "may"),
        *reads("options/repeated", "repeated-options options-same",
               "The same options again, inside a frame, and first in a frame. Lookups and repeated"
               " terms go on.", again, [[_FIRST, D(S, P, O)]]),
        *reads("options/repeated_in_a_transaction", "repeated-options",
               "The same options again between TX and TC.",
               [[*TABLE, b.begin(), _ROW, b.add(s, p, o), b.commit()]],
               [[("TX",), _FIRST, ("TC",)]]),
        *reads("options/repeated_in_another_spelling", "repeated-options options-same wire",
               "The same options again, their fields in another order and defaults spelled out.",
               [[*TABLE, reordered, b.add(s, p, o)]], [[_FIRST]]),
        *reads("options/repeated_and_counted_on", "repeated-options name-id-zero lookup-next-id",
               "The same options again: ids of 0 count on, those of entries and those of IRIs.",
               [[b.prefix("urn:"), *map(b.name, "sp"), b.add(b.iri(1), b.iri(), "o"), _ROW,
                 b.name("q"), b.add(b.iri()), _ROW, b.prefix("urn:r:"), b.datatype("urn:d"),
                 b.add(b.iri(2, 1), b.iri(0, 3), b.literal("x", datatype=1)), _ROW,
                 b.datatype("urn:e"), b.add(o=b.literal("x", datatype=2))]],
               [[A(("iri", "urn:s"), ("iri", "urn:p"), ("bnode", "o")),
                 A(("iri", "urn:q"), ("iri", "urn:p"), ("bnode", "o")),
                 A(("iri", "urn:r:s"), ("iri", "urn:r:q"), text("x", None, "urn:d")),
                 A(("iri", "urn:r:s"), ("iri", "urn:r:q"), text("x", None, "urn:e"))]]),
        *(case for name, words, change in (
            ("", "a larger lookup of names", {"max_name_table_size": 17}),
            ("_prefixes", "a smaller lookup of prefixes", {"max_prefix_table_size": 15}),
            ("_datatypes", "a larger lookup of datatypes", {"max_datatype_table_size": 17}),
            ("_type", "another stream type", {"stream_type": "PUNCTUATED"}),
            ("_statement_type", "another statement type", {"statement_type": "QUADS"}),
            ("_generalized", "generalized_statements", {"generalized_statements": True}),
            ("_rdf_star", "rdf_star", {"rdf_star": True}),
            ("_version", "another version", {"version": 2}),
        ) for case in refuses(
            f"options/changed{name}", "options-same", f"The options come again with {words}.",
            [[*TABLE, b.add(s, p, o)], [options_row(options(**change))]],
            [[*TABLE, b.add(s, p, o)], [_ROW]], [[_FIRST]])),
        *reads("options/in_two_halves", "wire",
               "A row of options in two halves, which protobuf merges.",
               b.delimited([bytes_of([field(1, halves[:4]) + field(1, halves[4:]), *TABLE,
                                      b.add(s, p, o)])]), [[_FIRST]]),
        *reads("options/alone", "options-first", "Options, and nothing else: an empty patch.",
               [[]], [[]]),
    ]  # fmt: skip


def _typed(rows: list[Any], **fields: int) -> bytes:
    """Return a stream with types that a document can't have."""
    return b.delimited([bytes_of([b.options(**fields), *rows])])


def _types() -> list[Case]:
    whole = stream(_PLAIN)
    out: list[Case] = []
    for kind in ("FRAME", "FLAT", "PUNCTUATED"):
        out += reads(f"options/stream_type_{kind.lower()}", "stream-type", f"A {kind} stream.",
                     _PLAIN, [[_FIRST]], stream_type=kind)  # fmt: skip
    key = [b.header("k", "b")]
    for end, words, rows, repaired, said in (
        ("", "", _PLAIN[0], whole, [[_FIRST]]),
        ("_header_alone", " It has only a header, which every type allows.", key, stream([key]),
         [[("H", "k", ("bnode", "b"))]]),
    ):  # fmt: skip
        out += refuses(f"options/stream_type_unspecified{end}", "stream-type",
                       f"The stream type is 0.{words}", _typed(rows, stream_type=0), repaired,
                       said, "should")  # fmt: skip
        out += refuses(f"options/stream_type_undefined{end}", "stream-type",
                       f"The stream type is 4.{words}", _typed(rows, stream_type=4), repaired,
                       said)  # fmt: skip
        out += refuses(f"options/statement_type_unspecified{end}", "statement-type",
                       f"The statement type is 0.{words}", _typed(rows, statement_type=0),
                       repaired, said, "should")  # fmt: skip
        out += refuses(f"options/statement_type_undefined{end}", "statement-type",
                       f"The statement type is 3, as that of GRAPHS in Jelly-RDF.{words}",
                       _typed(rows, statement_type=3), repaired, said)  # fmt: skip
    return out


def _sizes() -> list[Case]:
    tiny: dict[str, Any] = {
        "max_name_table_size": 8,
        "max_prefix_table_size": 1,
        "max_datatype_table_size": 1,
    }
    none: dict[str, Any] = {"max_prefix_table_size": 0, "max_datatype_table_size": 0}
    whole = [b.name(E + name) for name in "spo"]
    bare: Any = [[*whole, b.add(b.iri(), b.iri(), b.iri()), b.add(o=b.literal("x", "en"))]]
    said = [[_FIRST, A(S, P, text("x", "en"))]]
    typed = b.add(s, p, b.literal("1", datatype=1))
    integer = b.datatype("http://www.w3.org/2001/XMLSchema#integer")
    number = text("1", None, "http://www.w3.org/2001/XMLSchema#integer")
    return [
        *reads("options/smallest_lookups", "name-lookup-size lookup-size",
               "8 names, one prefix, one datatype, all of them used.",
               [[b.prefix(E), *map(b.name, "spo12345"), integer, typed,
                 b.add(s, p, b.iri(1, 8))]],
               [[A(S, P, number), A(S, P, ("iri", E + "5"))]], **tiny),
        *reads("options/no_prefix_or_datatype_lookup", "no-lookup options-defaults prefix-id-first",
               "Sizes of 0, which are left out: IRIs are in the name lookup alone, and literals"
               " have no datatype.", bare, said, **none),
        *reads("options/large_lookups", "lookup-size",
               "4096 names, 1024 prefixes, 256 datatypes; the last id of each is used.",
               [[b.prefix(E, 1024), *(b.name(n, 4090 + i) for i, n in enumerate("spo", 4)),
                 b.datatype("urn:d", 256), b.add(b.iri(1024, 4094), b.iri(0, 4095), b.iri(0, 4096)),
                 b.add(o=b.literal("x", datatype=256))]],
               [[_FIRST, A(S, P, text("x", None, "urn:d"))]], max_name_table_size=4096,
               max_prefix_table_size=1024, max_datatype_table_size=256),
        *refuses("options/seven_names", "name-lookup-size", "The name lookup has 7 entries.",
                 _PLAIN, _PLAIN, [[_FIRST]], broken_options={"max_name_table_size": 7},
                 max_name_table_size=8),
        *refuses("options/no_names", "name-lookup-size",
                 "The name lookup has no entries; no IRI needs one.",
                 [[b.header("k", "b")]], [[b.header("k", "b")]], [[("H", "k", ("bnode", "b"))]],
                 broken_options={"max_name_table_size": 0}),
        *refuses("options/prefix_entry_without_lookup", "no-lookup",
                 "An entry of a prefix lookup of size 0. Nothing uses it.",
                 [[b.prefix(E), *bare[0]]], bare, said, **none),
        *refuses("options/prefix_id_without_lookup", "no-lookup",
                 "An IRI has a prefix of a lookup of size 0.",
                 [[*whole, b.add(b.iri(1), b.iri(), b.iri())]],
                 [[*whole, b.add(b.iri(), b.iri(), b.iri())]], [[_FIRST]], **none),
        *refuses("options/datatype_entry_without_lookup", "no-lookup",
                 "An entry of a datatype lookup of size 0. Nothing uses it.",
                 [[integer, *bare[0]]], bare, said, **none),
        *refuses("options/datatype_without_lookup", "no-lookup",
                 "A literal has a datatype of a lookup of size 0.",
                 [[*TABLE, typed]], [[*TABLE, integer, typed]], [[A(S, P, number)]],
                 broken_options={"max_datatype_table_size": 0}),
        *reads("options/prefix_lookup_unused", "unused-lookup",
               "A prefix lookup that nothing uses. Producers should use it.", bare, said),
    ]  # fmt: skip


def _versions() -> list[Case]:
    out: list[Case] = []
    for version, words in (
        (0, "The version is 0, which is left out in the bytes."),
        (2, "Version 2 of Jelly-Patch, which does not exist yet."),
        (10_001, "A version above 10,000: no standard one."),
    ):
        out += refuses(f"options/version_{version}", "version-tag", words, _PLAIN, _PLAIN,
                       [[_FIRST]], "should", broken_options={"version": version})  # fmt: skip
    return out


def _features() -> list[Case]:
    quoted = b.triple(s, p, o)
    star = ("triple", S, P, O)
    literal, blank = b.literal("x"), ("bnode", "b")
    out: list[Case] = [
        *reads("options/features_unused", "unused-feature",
               "rdf_star and generalized_statements are set but not used. Producers should not.",
               _PLAIN, [[_FIRST]], rdf_star=True, generalized_statements=True),
    ]  # fmt: skip
    for place, words, row, said in (
        ("header", "A header's value is a quoted triple", b.header("k", quoted), ("H", "k", star)),
        ("subject", "A quoted triple as subject", b.add(quoted, p, o), A(star, P, O)),
        ("object", "A quoted triple as object", b.add(s, p, quoted), A(S, P, star)),
    ):
        name = f"quoted_{'in_' if place == 'header' else ''}{place}_without_option"
        out += _unannounced(name, "rdf_star", words, row, said, rdf_star=True)
    quads = {"statement_type": "QUADS"}
    for name, words, row, said, changes in (
        ("literal_subject", "A literal as subject", b.add(literal, p, o), A(text("x"), P, O), {}),
        ("blank_predicate", "A blank node as predicate", b.add(s, "b", o), A(S, blank, O), {}),
        ("literal_predicate", "A literal as predicate", b.add(s, literal, o),
         A(S, text("x"), O), {}),
        ("literal_graph", "A literal as the graph's name", b.add(s, p, o, literal),
         A(S, P, O, text("x")), quads),
        ("literal_graph_of_namespace", "A namespace in a graph whose name is a literal",
         b.prefix_add("n", s, literal), ("PA", "n", S, text("x")), quads),
        ("literal_predicate_in_quoted", "A quoted triple with a literal as predicate",
         b.add(s, p, b.triple(s, literal, o)), A(S, P, ("triple", S, text("x"), O)),
         {"rdf_star": True}),
    ):  # fmt: skip
        out += _unannounced(f"{name}_without_option", "generalized_statements", words, row, said,
                            generalized_statements=True, **changes)  # fmt: skip
    return out


def _unannounced(
    name: str, option: str, words: str, row: Any, said: Plain, **changes: Any
) -> list[Case]:
    """Return a case of a stream with a feature that its options don't announce."""
    rule = "rdf-star-option" if option == "rdf_star" else "generalized-option"
    return refuses(f"options/{name}", rule,
                   f"{words}, and {option} is not set. The text does not say what a reader does.",
                   [[*TABLE, row]], [[*TABLE, row]], [[said]], "may", as_read=[[said]],
                   broken_options={option: False}, **changes)  # fmt: skip
