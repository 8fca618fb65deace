"""Statements as triples and as quads, and repeated terms."""

from __future__ import annotations

from typing import Any

from conformance import rows as b
from conformance import schema as pb
from conformance.cases.case import (
    DEFAULT,
    TABLE,
    A,
    Case,
    D,
    G,
    O,
    P,
    S,
    X,
    g,
    o,
    p,
    reads,
    refuses,
    s,
    x,
)

_QUADS: dict[str, Any] = {"statement_type": "QUADS"}
_FIRST = A(S, P, O)
_QUAD = A(S, P, O, G)


def _default() -> Any:
    return pb.RdfDefaultGraph()


def cases() -> list[Case]:
    """Return the cases."""
    return [*_types(), *_first(), *_repeated(), *_graphs()]


def _types() -> list[Case]:
    out: list[Case] = []
    for name, message in (
        ("iri", g),
        ("blank_node", "g"),
        ("default", _default()),
    ):
        out += refuses(f"statements/graph_{name}_in_triples", "graph-in-triples",
                       "A statement of TRIPLES has a graph. Readers should ignore it, and may"
                       " refuse it.",
                       [[*TABLE, b.add(s, p, o, message)]], [[*TABLE, b.add(s, p, o)]],
                       [[_FIRST]], "may", as_read=[[_FIRST]])  # fmt: skip
        out += refuses(f"statements/namespace_graph_{name}_in_triples", "graph-in-triples",
                       "A namespace of TRIPLES has a graph. The text says that it must not, and"
                       " not what a reader does with it.",
                       [[*TABLE, b.prefix_add("n", s, message), b.add(s, p, o)]],
                       [[*TABLE, b.prefix_add("n", s), b.add(s, p, o)]],
                       [[("PA", "n", S, None), _FIRST]], "may")  # fmt: skip
    return [
        *out,
        *reads("statements/triples", "triples", "Triples, added and deleted.",
               [[*TABLE, b.add(s, p, o), b.delete(s, p, x)]], [[_FIRST, D(S, P, X)]]),
        *reads("statements/quads", "quads", "Quads in named graphs and in the default graph.",
               [[*TABLE, b.add(s, p, o, g), b.add(s, p, o, "g"), b.add(s, p, o, _default()),
                 b.delete(s, p, o, x)]],
               [[_QUAD, A(S, P, O, ("bnode", "g")), A(S, P, O, DEFAULT), D(S, P, O, X)]],
               **_QUADS),
    ]  # fmt: skip


def _first() -> list[Case]:
    out: list[Case] = []
    for place, terms in (
        ("subject", (None, p, o)),
        ("predicate", (s, None, o)),
        ("object", (s, p, None)),
    ):
        out += refuses(f"repeats/first_{place}", "repeated-term-first terms-set",
                       f"The first statement has no {place}.",
                       [[*TABLE, b.add(*terms)]], [[*TABLE, b.add(s, p, o)]],
                       [[_FIRST]])  # fmt: skip
    out += refuses("repeats/first_graph", "repeated-term-first terms-set",
                   "The first statement of QUADS has no graph. That is not the default graph.",
                   [[*TABLE, b.add(s, p, o)]], [[*TABLE, b.add(s, p, o, _default())]],
                   [[A(S, P, O, DEFAULT)]], **_QUADS)  # fmt: skip
    out += refuses("repeats/first_graph_in_second_statement", "repeated-term-first",
                   "A term that is first left out in the second statement was set; a graph that"
                   " no statement had was not.",
                   [[*TABLE, b.header("k", s),
                     b.add(s, p, o), b.add(o=x)]],
                   [[*TABLE, b.header("k", s), b.add(s, p, o, g), b.add(o=x)]],
                   [[("H", "k", S), _QUAD, A(S, P, X, G)]], **_QUADS)  # fmt: skip
    return out


def _repeated() -> list[Case]:
    start = [*TABLE, b.add(s, p, o)]
    return [
        *reads("repeats/each_term", "terms-set repeated-again",
               "Each term alone repeats, then all three, and all three again.",
               [[*start, b.add(None, p, x), b.add(x, None, o), b.add(s, o, None), b.add(),
                 b.add()]],
               [[_FIRST, A(S, P, X), A(X, P, O), A(S, O, O), A(S, O, O), A(S, O, O)]]),
        *reads("repeats/from_different_rows", "terms-set repeated-again",
               "Each place repeats from the row that set it last.",
               [[*start, b.add(x), b.add(None, s), b.add(None, None, p), b.add()]],
               [[_FIRST, A(X, P, O), A(X, S, O), A(X, S, P), A(X, S, P)]]),
        *reads("repeats/add_and_delete", "repeated-across-operations",
               "Added and deleted statements share the last terms.",
               [[*start, b.delete(), b.delete(o=x), b.add(), b.add(x), b.delete()]],
               [[_FIRST, D(S, P, O), D(S, P, X), A(S, P, X), A(X, P, X), D(X, P, X)]]),
        *reads("repeats/across_frames", "repeated-across-frames",
               "Terms of the first statement of a frame repeat from the frame before.",
               [start, [b.add()], [b.delete(o=x)], [], [b.add()]],
               [[_FIRST, _FIRST, D(S, P, X), A(S, P, X)]]),
        *reads("repeats/across_patches_of_frames", "repeated-across-frames",
               "Terms repeat from an earlier patch of a FRAME stream.",
               [start, [b.add()], [], [b.delete(o=x)]],
               [[_FIRST], [_FIRST], [], [D(S, P, X)]], stream_type="FRAME"),
        *reads("repeats/across_marks", "repeated-across-frames",
               "Terms repeat from an earlier patch of a PUNCTUATED stream.",
               [[*start, b.punctuation()], [b.add(), b.punctuation()]],
               [[_FIRST], [_FIRST]], stream_type="PUNCTUATED"),
        *reads("repeats/across_transactions", "repeated-across-operations",
               "Terms repeat from an aborted transaction.",
               [[*TABLE, b.begin(), b.add(s, p, o), b.abort(), b.begin(), b.add(o=x), b.commit()]],
               [[("TX",), _FIRST, ("TA",), ("TX",), A(S, P, X), ("TC",)]]),
        *reads("repeats/not_from_headers_and_values", "repeated-across-operations header-value",
               "A header's value, and a namespace's IRI, are no terms to repeat.",
               [[*start, b.header("k", x), b.prefix_add("n", x), b.add()]],
               [[_FIRST, ("H", "k", X), ("PA", "n", X, None), _FIRST]]),
        *reads("repeats/not_from_inside_quoted", "quoted-repeated-term terms-set",
               "The terms inside of a quoted triple are no terms to repeat.",
               [[*start, b.add(b.triple(x, x, x)), b.add(x), b.add(o=b.triple(g, g, g)), b.add()]],
               [[_FIRST, A(("triple", X, X, X), P, O), A(X, P, O), A(X, P, ("triple", G, G, G)),
                 A(X, P, ("triple", G, G, G))]], rdf_star=True),
        *reads("repeats/quoted_as_a_whole", "terms-set quoted-repeated-term",
               "A quoted triple repeats as a whole.",
               [[*TABLE, b.add(b.triple(s, p, o), p, b.triple(s, p, x)), b.add(), b.add(x)]],
               [[A(("triple", S, P, O), P, ("triple", S, P, X)),
                 A(("triple", S, P, O), P, ("triple", S, P, X)), A(X, P, ("triple", S, P, X))]],
               rdf_star=True),
    ]  # fmt: skip


def _graphs() -> list[Case]:
    return [
        *reads("repeats/graph", "repeated-graph quads", "Graphs repeat, each kind of them.",
               [[*TABLE, b.add(s, p, o, g), b.add(o=x), b.add(s, p, o, "g"), b.add(o=x),
                 b.add(s, p, o, _default()), b.delete(o=x)]],
               [[_QUAD, A(S, P, X, G), A(S, P, O, ("bnode", "g")), A(S, P, X, ("bnode", "g")),
                 A(S, P, O, DEFAULT), D(S, P, X, DEFAULT)]], **_QUADS),
        *reads("repeats/graph_from_namespace", "repeated-across-operations repeated-graph",
               "A statement's graph repeats that of a namespace.",
               [[*TABLE, b.prefix_add("n", s, g), b.add(s, p, o), b.prefix_delete("n", None, x),
                 b.add()]],
               [[("PA", "n", S, G), _QUAD, ("PD", "n", None, X), A(S, P, O, X)]], **_QUADS),
        *reads("repeats/graph_of_namespace", "repeated-graph",
               "A namespace's graph repeats that of a statement, and of a namespace.",
               [[*TABLE, b.add(s, p, o, g), b.prefix_add("n", s), b.prefix_delete("n"),
                 b.delete(s, p, o, x), b.prefix_add("m", s)]],
               [[_QUAD, ("PA", "n", S, G), ("PD", "n", None, G), D(S, P, O, X),
                 ("PA", "m", S, X)]], **_QUADS),
        *reads("repeats/graph_across_frames", "repeated-across-frames repeated-graph",
               "A graph repeats from an earlier frame and patch, through a mark.",
               [[*TABLE, b.prefix_add("n", s, g), b.punctuation()], [b.add(s, p, o)],
                [b.prefix_add("m", s), b.punctuation()]],
               [[("PA", "n", S, G)], [_QUAD, ("PA", "m", S, G)]], stream_type="PUNCTUATED",
               **_QUADS),
        *refuses("repeats/first_graph_of_namespace", "namespace-graph",
                 "The first row of QUADS with a graph is a namespace without one. The text wants"
                 " it set, and does not say what a reader does.",
                 [[*TABLE, b.prefix_add("n", s)]], [[*TABLE, b.prefix_add("n", s, _default())]],
                 [[("PA", "n", S, DEFAULT)]], "may", **_QUADS),
    ]  # fmt: skip
