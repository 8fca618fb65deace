"""Entries of the three lookups, and the ids of IRIs."""

from __future__ import annotations

from typing import Any

from conformance import rows as b
from conformance.cases.case import TABLE, A, Case, E, O, P, S, X, o, p, reads, refuses, s, text, x

_QUADS = {"statement_type": "QUADS"}


def cases() -> list[Case]:
    """Return the cases."""
    out: list[Case] = []
    for kind in ("name", "prefix", "datatype"):
        out += _entries(kind)
    return [*out, *_ids()]


def _use(kind: str, number: int) -> Any:
    """Return a statement whose object uses an entry of a lookup."""
    if kind == "datatype":
        return b.add("a", b.iri(16, 16), b.literal("x", datatype=number))
    if kind == "name":
        return b.add("a", b.iri(16, 16), b.iri(16, number))
    return b.add("a", b.iri(16, 16), b.iri(number, 16))


def _said(kind: str, value: str) -> Any:
    said = {
        "datatype": text("x", None, value),
        "name": ("iri", E + value),
        "prefix": ("iri", value + "p"),
    }
    return A(("bnode", "a"), P, said[kind])


def _entries(kind: str) -> list[Case]:
    """Return the cases of a lookup of 16 entries; the last entries form the predicate's IRI."""
    make = {"name": b.name, "prefix": b.prefix, "datatype": b.datatype}[kind]
    # An id of 0 means the previous id plus 1, so cases with id 0 set these entries last.
    fixed = [b.prefix(E, 16), b.name("p", 16)]

    def use(number: int) -> Any:
        return _use(kind, number)

    def said(value: str) -> Any:
        return _said(kind, value)

    three = [make("urn:1"), make("urn:2"), make("urn:3")]
    whole = [[*three, *fixed, use(1), use(2), use(3)]]
    all_three = [[said("urn:1"), said("urn:2"), said("urn:3")]]
    where = f"lookups/{kind}"
    # An empty string is not a datatype IRI.
    empty = [] if kind == "datatype" else reads(
        f"{where}_empty_entry", "lookup-entry", "An entry is the empty string.",
        [[make(""), b.prefix(E, 16), b.name("urn:p", 16), use(1)]],
        [[A(("bnode", "a"), ("iri", f"{E}urn:p"), ("iri", E if kind == "name" else "urn:p"))]],
    )  # fmt: skip
    return [
        *empty,
        *reads(f"{where}_ids_zero", "lookup-first-id lookup-next-id",
               "The first id is 0, and stands for 1; the next are 0, and count on.", whole,
               all_three),
        *reads(f"{where}_ids_across_frames", "lookup-next-id frame-order",
               "Ids of 0 count on in the next frame.",
               [[make("urn:1")], [make("urn:2")], [make("urn:3"), *fixed, use(1), use(2), use(3)]],
               all_three),
        *reads(f"{where}_id_zero_after_a_jump", "lookup-next-id",
               "Id 0 after id 7 is 8; after id 2 it is 3.",
               [[make("urn:7", 7), make("urn:8"), make("urn:2", 2), make("urn:3"), *fixed,
                 use(7), use(8), use(2), use(3)]],
               [[said("urn:7"), said("urn:8"), said("urn:2"), said("urn:3")]]),
        *reads(f"{where}_set_anew", "lookup-entry",
               "An entry is set again; the old value is not seen again, and statements before keep"
               " it.",
               [[*three, *fixed, use(2), make("urn:other", 2), use(2), use(3)]],
               [[said("urn:2"), said("urn:other"), said("urn:3")]]),
        *reads(f"{where}_set_anew_and_repeated", "lookup-entry repeated-again",
               "An entry is set again after a term uses it; the term repeats as it was.",
               [[*three, *fixed, use(2), make("urn:other", 2), b.add("c"), use(2)]],
               [[said("urn:2"), ("A", ("bnode", "c"), *said("urn:2")[2:]), said("urn:other")]]),
        *reads(f"{where}_same_value_twice", "lookup-entry",
               "Two entries have the same value.",
               [[make("urn:1"), make("urn:1"), *fixed, use(1), use(2)]],
               [[said("urn:1"), said("urn:1")]]),
        *reads(f"{where}_unused", "lookup-entry",
               "Entries that nothing uses.",
               [[*three, make("urn:9", 9), *fixed, use(1), use(2), use(3), make("urn:10", 9)]],
               all_three),
        *reads(f"{where}_last_id", "lookup-size", "The entry with the highest possible id.",
               [[*fixed, make("urn:15", 15), use(15)]],
               [[said("urn:15")]]),
        *refuses(f"{where}_id_beyond_size", "lookup-size",
                 "An entry with an id one above the size of the lookup. Nothing uses it.",
                 [[*three, *fixed, make("urn:17", 17), use(1), use(2), use(3)]],
                 [[*three, *fixed, make("urn:15", 15), use(1), use(2), use(3)]], all_three),
        *refuses(f"{where}_id_counts_beyond_size", "lookup-size",
                 "Id 0 after the last id of the lookup.",
                 [[*three, make("urn:16", 16), make("urn:17"), *fixed, use(1), use(2), use(3)]],
                 [[*three, make("urn:15", 15), make("urn:16"), *fixed, use(1), use(2), use(3)]],
                 all_three),
        *refuses(f"{where}_never_set", "lookup-reference",
                 "A term of an entry that was never set.",
                 [[*three, *fixed, use(4)]], [[*three, make("urn:4"), *fixed, use(4)]],
                 [[said("urn:4")]], "should"),
        *refuses(f"{where}_set_later", "lookup-reference",
                 "A term of an entry that is set in the next row.",
                 [[*three, *fixed, use(4), make("urn:4", 4)]],
                 [[*three, *fixed, make("urn:4", 4), use(4)]], [[said("urn:4")]], "should"),
        *refuses(f"{where}_reference_beyond_size", "lookup-size",
                 "A term of an entry above the size of the lookup.",
                 [[*three, *fixed, use(17)]], [[*three, *fixed, use(3)]], [[said("urn:3")]],
                 "should"),
    ]  # fmt: skip


def _ids() -> list[Case]:
    full = [b.prefix("http://a/"), b.prefix("http://b/"), *map(b.name, "12345678")]

    def iri(prefix: str, name: int) -> Any:
        return ("iri", f"http://{prefix}/{name}")

    zero = b.iri()
    again = [[*TABLE, b.add(s, p, o)], [b.name("y", 5), b.add(o=x), b.name("x", 5), b.add(o=x)]]
    evicted: list[Any] = [b.prefix(E)]
    said = []
    for number in range(40):
        evicted += [
            b.name(f"n{number}", number % 8 + 1),
            b.add("a", *[b.iri(1, number % 8 + 1)] * 2),
        ]
        said.append(A(("bnode", "a"), *[("iri", f"{E}n{number}")] * 2))
    return [
        *reads("ids/all_zero", "name-id-first name-id-zero prefix-id-zero",
               "The first prefix id is explicit; all others are 0.",
               [[*full, b.add(b.iri(1), zero, zero), b.add(zero, zero, zero)]],
               [[A(*(iri("a", n) for n in (1, 2, 3))), A(*(iri("a", n) for n in (4, 5, 6)))]]),
        *reads("ids/zero_after_explicit", "name-id-zero prefix-id-zero",
               "Ids of 0 go on from explicit ones, across rows.",
               [[*full, b.add(b.iri(2, 5), zero, b.iri(1)), b.add(b.iri(0, 2), zero, b.iri(2))]],
               [[A(iri("b", 5), iri("b", 6), iri("a", 7)),
                 A(iri("a", 2), iri("a", 3), iri("b", 4))]]),
        *reads("ids/no_prefix_before_the_first", "prefix-id-first",
               "Prefix ids of 0 before any other are the empty prefix, though the lookup has"
               " entries; later ones are the last prefix.",
               [[b.prefix("http://a/"), b.name("urn:1"), b.name("urn:2"), b.name("3"),
                 b.add(zero, zero, b.iri(1)), b.add(b.iri(0, 3))]],
               [[A(("iri", "urn:1"), ("iri", "urn:2"), iri("a", 3)),
                 A(iri("a", 3), ("iri", "urn:2"), iri("a", 3))]]),
        *reads("ids/entries_move_nothing", "name-id-zero prefix-id-zero",
               "Entries between rows don't change what an id of 0 in a term is.",
               [[*full, b.add(b.iri(1), zero, zero), b.name("nine", 9), b.prefix("http://c/"),
                 b.add(zero)]],
               [[A(*(iri("a", n) for n in (1, 2, 3))), A(iri("a", 4), iri("a", 2), iri("a", 3))]]),
        *reads("ids/repeated_terms_move_nothing", "name-id-zero repeated-again",
               "Repeated terms don't count.",
               [[*full, b.add(b.iri(1), zero, zero), b.add(), b.add(o=zero)]],
               [[A(*(iri("a", n) for n in (1, 2, 3))), A(*(iri("a", n) for n in (1, 2, 3))),
                 A(iri("a", 1), iri("a", 2), iri("a", 4))]]),
        *reads("ids/prefix_set_anew", "prefix-id-zero lookup-entry",
               "A prefix is set again; id 0 is the new one.",
               [[*full, b.add(b.iri(1), zero, zero), b.prefix("http://c/", 1), b.add(zero)]],
               [[A(*(iri("a", n) for n in (1, 2, 3))), A(iri("c", 4), iri("a", 2), iri("a", 3))]]),
        *reads("ids/through_quoted_triples", "term-order name-id-zero",
               "Ids count through quoted triples, in the order of terms.",
               [[*full, b.add(b.triple(b.iri(1), zero, zero), zero, b.triple(zero, zero, zero))]],
               [[A(("triple", *(iri("a", n) for n in (1, 2, 3))), iri("a", 4),
                   ("triple", *(iri("a", n) for n in (5, 6, 7))))]], rdf_star=True),
        *reads("ids/subject_predicate_object_graph", "term-order",
               "Ids count in the order subject, predicate, object, graph.",
               [[*full, b.add(b.iri(1), zero, zero, zero)]],
               [[A(*(iri("a", n) for n in (1, 2, 3, 4)))]], **_QUADS),
        *reads("ids/of_a_header", "term-order",
               "The IRI of a header counts as that of a statement.",
               [[*full, b.header("k", b.iri(1)), b.add(zero, zero, zero)]],
               [[("H", "k", iri("a", 1)), A(*(iri("a", n) for n in (2, 3, 4)))]]),
        *reads("ids/of_a_namespace", "term-order namespace-order",
               "The IRIs of a namespace count: its value, and then its graph.",
               [[*full, b.prefix_add("n", b.iri(1), zero), b.add(zero, zero, zero)]],
               [[("PA", "n", iri("a", 1), iri("a", 2)), A(*(iri("a", n) for n in (3, 4, 5, 2)))]],
               **_QUADS),
        *reads("ids/of_a_deleted_namespace", "term-order namespace-value",
               "The IRI of a deleted namespace counts, too.",
               [[*full, b.prefix_delete("n", b.iri(1)), b.prefix_delete("m"),
                 b.add(zero, zero, zero)]],
               [[("PD", "n", iri("a", 1), None), ("PD", "m", None, None),
                 A(*(iri("a", n) for n in (2, 3, 4)))]]),
        *reads("ids/across_frames_and_patches", "name-id-zero frame-order",
               "Ids count on in the next frame, and in the next patch.",
               [[*full, b.add(b.iri(1), zero, zero)], [b.add(zero, zero, zero)]],
               [[A(*(iri("a", n) for n in (1, 2, 3)))], [A(*(iri("a", n) for n in (4, 5, 6)))]],
               stream_type="FRAME"),
        *reads("ids/evicted_and_reused", "lookup-entry lookup-size",
               "Forty names go through a lookup of eight.", [evicted], [said],
               max_name_table_size=8),
        *reads("ids/evicted_and_set_again", "lookup-entry",
               "An entry is replaced, and set again.", again,
               [[A(S, P, O), A(S, P, ("iri", E + "y")), A(S, P, X)]]),
        *refuses("ids/name_zero_beyond_the_last_entry", "lookup-reference",
                 "Name id 0 after the last entry that is set.",
                 [[*TABLE, b.add(s, p, x), b.add(o=zero)]], [[*TABLE, b.add(s, p, x), b.add(o=s)]],
                 [[A(S, P, X), A(S, P, S)]], "should"),
        *refuses("ids/name_zero_beyond_the_size", "lookup-size lookup-reference",
                 "Name id 0 after the last possible entry. It does not start again at 1.",
                 [[*TABLE, b.name("y", 16), b.add(s, p, b.iri(1, 16)), b.add(o=zero)]],
                 [[*TABLE, b.name("y", 16), b.add(s, p, b.iri(1, 16)), b.add(o=s)]],
                 [[A(S, P, ("iri", E + "y")), A(S, P, S)]], "should"),
        *refuses("ids/first_name_not_set", "lookup-reference",
                 "The first IRI has name id 0, so 1, and only entry 2 is set.",
                 [[b.prefix(E), b.name("s", 2), b.add(b.iri(1), b.iri(1, 2), "o")]],
                 [[b.prefix(E), b.name("s", 2), b.add(b.iri(1, 2), b.iri(1, 2), "o")]],
                 [[A(S, S, ("bnode", "o"))]], "should"),
    ]  # fmt: skip
