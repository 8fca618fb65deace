"""Documents to write, and some that can't be written."""

from __future__ import annotations

from typing import Any

from conformance.cases.case import (
    DEFAULT,
    XSD,
    A,
    Case,
    D,
    E,
    G,
    O,
    P,
    Refusal,
    S,
    X,
    options,
    text,
)
from conformance.cases.matrix import documents
from conformance.document import Plain

_TX, _TC, _TA = ("TX",), ("TC",), ("TA",)

# The negative cases that are not "must". For "may", a writer may correct the version or type;
# "lossy" documents can't be written without loss.
_REFUSALS: dict[str, Refusal] = {
    **dict.fromkeys(
        ("version_zero", "version_two", "stream_type_unspecified", "statement_type_unspecified"),
        "may",
    ),
    **dict.fromkeys(("graph_in_triples", "two_patches_in_flat", "too_many_names"), "lossy"),
}


def cases() -> list[Case]:
    """Return the cases."""
    shapes = [
        Case(
            name=f"shapes/pos_{name}",
            rules=tuple(rules.split()),
            comment=f"All operations: {name.replace('_', ' ')}.",
            document=document,
        )
        for name, rules, document in documents()
    ]
    return [*shapes, *_positive(), *_negative()]


def _case(
    name: str,
    rules: str,
    comment: str,
    patches: list[list[Plain]],
    repaired: str | None = None,
    refusal: Refusal = "must",
    **changes: Any,
) -> Case:
    return Case(
        name=name,
        rules=tuple(rules.split()),
        comment=comment,
        document={"options": options(**changes), "patches": patches},
        refusal=None if repaired is None else refusal,
        repaired=repaired,
    )


def _names(count: int) -> list[Plain]:
    """Return statements that use names in a varying order."""
    return [
        A(("iri", f"{E}n{n * 7 % 50}"), ("iri", f"{E}v{n % 3}/p{n % 9}"), ("iri", f"{E}o#{n % 40}"))
        for n in range(count)
    ]


def _positive() -> list[Case]:
    quads: dict[str, Any] = {"statement_type": "QUADS"}
    repeats = [A(S, P, O, G), D(S, P, O, G), A(S, P, X, G), ("PA", "n", S, G), A(S, O, X, G),
               D(S, O, X, DEFAULT), ("PD", "n", None, DEFAULT), A(S, P, X, DEFAULT)]  # fmt: skip
    deep: Plain = O
    for _ in range(5):
        deep = ("triple", ("bnode", "b"), P, deep)
    many = [[*(("H", f"k{n}", text(str(n))) for n in range(20)), *_names(300)]]
    literals = [A(S, P, value) for value in (
        text(""), text("", "en"), text("x", "de-CH"), text('"\\\t\r\n\u0000 日本 \U0001f600'),
        text("1", None, XSD + "integer"), text("x", None, XSD + "string"),
    )]  # fmt: skip
    out = [
        _case("lookups/pos_evicted", "lookup-size lookup-reference lookup-next-id",
              "More names, prefixes and datatypes than the lookups hold.",
              [[*_names(200), *(A(S, P, text("x", None, f"urn:d{n % 5}")) for n in range(20))]],
              max_name_table_size=8, max_prefix_table_size=2, max_datatype_table_size=2),
        _case("lookups/pos_no_prefixes", "no-lookup prefix-id-first",
              "A prefix lookup of size 0.", [_names(50)], max_prefix_table_size=0),
        _case("lookups/pos_no_datatypes", "no-lookup simple-literal",
              "A datatype lookup of size 0: literals without a datatype can be written.",
              [[A(S, P, text("x")), A(S, P, text("x", "en"))]], max_datatype_table_size=0),
        _case("lookups/pos_used", "unused-lookup",
              "Many IRIs of one namespace, and a prefix lookup: it should be used.",
              [_names(30)]),
        _case("lookups/pos_one_of_each", "name-lookup-size lookup-size",
              "The smallest possible lookups.", [_names(30)],
              max_name_table_size=8, max_prefix_table_size=1, max_datatype_table_size=1),
        _case("terms/pos_literals", "simple-literal datatype-id empty-literal utf-8",
              "Literals of all kinds.", [literals]),
        _case("terms/pos_deep", "rdf-star-option quoted-repeated-term",
              "Five nested quoted triples, added, deleted, and as a header's value.",
              [[("H", "k", deep), A(S, P, deep), D(deep, P, deep)]], rdf_star=True),
        _case("terms/pos_features_unused", "unused-feature",
              "Features are allowed, but not used: the options stay as requested.",
              [[A(S, P, O)]], rdf_star=True, generalized_statements=True),
        _case("repeats/pos_of_all_rows", "repeated-across-operations repeated-graph terms-set",
              "Rows of several kinds with the terms and graphs of the row before.",
              [repeats], **quads),
        _case("repeats/pos_same_value_of_headers", "header-value",
              "Headers with one value: it is written each time.",
              [[("H", "a", S), ("H", "b", S), ("H", "b", S)]]),
        _case("patches/pos_none", "stream-type options-first",
              "A PUNCTUATED stream without patches: the options alone.", [],
              stream_type="PUNCTUATED"),
        _case("patches/pos_large", "frame-size frame-order", "Three hundred statements.", many),
        _case("namespaces/pos_names", "prefix-name namespace-value",
              "Namespaces added and deleted, the empty name among them, in all graphs.",
              [[("PA", "", S, DEFAULT), ("PA", "ex", O, G), ("PA", "b", X, ("bnode", "g")),
                ("PD", "", None, DEFAULT), ("PD", "ex", O, G)]], **quads),
    ]  # fmt: skip
    for kind in ("FRAME", "FLAT", "PUNCTUATED"):
        out.append(
            _case(f"patches/pos_empty_{kind.lower()}", "stream-type options-first",
                  f"One empty patch in a {kind} stream.", [[]], stream_type=kind)
        )  # fmt: skip
        if kind == "FLAT":
            continue
        out.append(
            _case(f"patches/pos_several_{kind.lower()}", "stream-type transaction-frame"
                  if kind == "FRAME" else "stream-type punctuation-transaction",
                  "Patches with transactions, without, and empty ones.",
                  [[_TX, A(S, P, O), _TC], [], [A(S, P, X)], [_TX, _TA, _TX, D(S, P, X), _TC], []],
                  stream_type=kind)
        )  # fmt: skip
    return out


def _negative() -> list[Case]:
    star = ("triple", S, P, O)
    number = text("1", None, XSD + "integer")
    many: Plain = O
    for n in range(9):
        many = ("triple", ("iri", f"{E}s{n}"), P, many)
    pairs: list[tuple[str, str, str, list[list[Plain]], dict[str, Any], Any, dict[str, Any]]] = [
        # name, rules, comment, patches, options, repaired patches (or None), repaired options
        ("quoted_without_option", "rdf-star-option", "A quoted triple, and no rdf_star.",
         [[A(star, P, O)]], {}, None, {"rdf_star": True}),
        ("quoted_in_header_without_option", "rdf-star-option",
         "A quoted triple in a header, and no rdf_star.",
         [[("H", "k", star)]], {}, None, {"rdf_star": True}),
        ("literal_subject_without_option", "generalized-option",
         "A literal as subject, and no generalized_statements.",
         [[A(text("x"), P, O)]], {}, None, {"generalized_statements": True}),
        ("blank_predicate_without_option", "generalized-option",
         "A blank node as predicate, and no generalized_statements.",
         [[A(S, ("bnode", "b"), O)]], {}, None, {"generalized_statements": True}),
        ("literal_predicate_without_option", "generalized-option",
         "A literal as predicate, and no generalized_statements.",
         [[A(S, text("x"), O)]], {}, None, {"generalized_statements": True}),
        ("literal_graph_without_option", "generalized-option",
         "A literal as graph, and no generalized_statements.",
         [[A(S, P, O, text("x"))]], {"statement_type": "QUADS"}, None,
         {"statement_type": "QUADS", "generalized_statements": True}),
        ("literal_in_quoted_without_option", "generalized-option",
         "A quoted triple with a literal as subject, and no generalized_statements.",
         [[A(S, P, ("triple", text("x"), P, O))]], {"rdf_star": True}, None,
         {"rdf_star": True, "generalized_statements": True}),
        ("graph_in_triples", "graph-in-triples", "A quad in a stream of TRIPLES.",
         [[A(S, P, O, G)]], {}, None, {"statement_type": "QUADS"}),
        ("namespace_graph_in_triples", "graph-in-triples",
         "A namespace of a graph in a stream of TRIPLES.",
         [[("PA", "n", S, G)]], {}, None, {"statement_type": "QUADS"}),
        ("datatype_without_lookup", "no-lookup",
         "A literal with a datatype, and a datatype lookup of size 0.",
         [[A(S, P, number)]], {"max_datatype_table_size": 0}, None, {}),
        ("too_many_names", "lookup-size",
         "A statement with twelve names, and a lookup of eight.",
         [[A(S, P, many)]], {"rdf_star": True, "max_name_table_size": 8}, None,
         {"rdf_star": True}),
        ("seven_names", "name-lookup-size", "A name lookup of seven entries.",
         [[A(S, P, O)]], {"max_name_table_size": 7}, None, {"max_name_table_size": 8}),
        ("version_zero", "version-tag", "Version 0.", [[A(S, P, O)]], {"version": 0}, None, {}),
        ("version_two", "version-tag", "Version 2 of Jelly-Patch, which does not exist yet.",
         [[A(S, P, O)]], {"version": 2}, None, {}),
        ("stream_type_unspecified", "stream-type", "No stream type.",
         [[A(S, P, O)]], {"stream_type": "UNSPECIFIED"}, None, {}),
        ("statement_type_unspecified", "statement-type", "No statement type.",
         [[A(S, P, O)]], {"statement_type": "UNSPECIFIED"}, None, {}),
        ("two_patches_in_flat", "stream-type", "Two patches in a FLAT stream.",
         [[A(S, P, O)], [D(S, P, O)]], {}, None, {"stream_type": "PUNCTUATED"}),
        ("commit_without_start", "transaction-end", "TC without TX.",
         [[A(S, P, O), _TC]], {}, [[_TX, A(S, P, O), _TC]], {}),
        ("abort_without_start", "transaction-end", "TA without TX.",
         [[A(S, P, O), _TA]], {}, [[_TX, A(S, P, O), _TA]], {}),
        ("start_in_a_transaction", "transaction-start", "TX in a transaction.",
         [[_TX, A(S, P, O), _TX, _TC]], {}, [[_TX, A(S, P, O), _TC, _TX, _TC]], {}),
        ("transaction_open", "transaction-open", "TX without an end.",
         [[_TX, A(S, P, O)]], {}, [[_TX, A(S, P, O), _TC]], {}),
        ("transaction_across_patches", "punctuation-transaction",
         "A transaction that goes on in the next patch.",
         [[_TX, A(S, P, O)], [_TC]], {"stream_type": "PUNCTUATED"},
         [[_TX, A(S, P, O), _TC], []], {"stream_type": "PUNCTUATED"}),
        ("transaction_across_frames", "transaction-frame",
         "A transaction of a FRAME stream that goes on in the next patch.",
         [[_TX, A(S, P, O)], [_TC]], {"stream_type": "FRAME"},
         [[_TX, A(S, P, O), _TC], []], {"stream_type": "FRAME"}),
        ("namespace_without_iri", "namespace-value", "An added namespace without an IRI.",
         [[("PA", "n", None, None)]], {}, [[("PA", "n", S, None)]], {}),
        ("header_without_value", "header-value", "A header without a value.",
         [[("H", "k", None)]], {}, [[("H", "k", S)]], {}),
    ]  # fmt: skip
    out = []
    for name, rules, comment, patches, given, repaired, better in pairs:
        twin = f"refused/pos_{name}_repaired"
        refusal = _REFUSALS.get(name, "must")
        out.append(_case(f"refused/neg_{name}", rules, comment, patches, twin, refusal, **given))
        words = f"The fault of neg_{name} repaired."
        out.append(_case(twin, rules, words, repaired or patches, **better))
    return out
