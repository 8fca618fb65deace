"""Operations and their positions: ends of patches, transactions, namespaces, headers."""

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
    text,
    x,
)

_FIRST = A(S, P, O)
_ROW = b.add(s, p, o)
_TX, _TC, _TA = ("TX",), ("TC",), ("TA",)
_TYPES = ("FRAME", "FLAT", "PUNCTUATED")
_QUADS: dict[str, Any] = {"statement_type": "QUADS"}


def _mark() -> Any:
    return b.punctuation()


def cases() -> list[Case]:
    """Return the cases."""
    return [*_patches(), *_marks(), *_transactions(), *_namespaces(), *_headers()]


def _patches() -> list[Case]:
    every = [*TABLE, b.header("id", s), b.begin(), b.prefix_add("n", s), b.prefix_delete("n"),
             b.add(s, p, o), b.delete(s, p, o), b.commit(), b.begin(), b.abort()]  # fmt: skip
    said = [("H", "id", S), _TX, ("PA", "n", S, None), ("PD", "n", None, None), _FIRST,
            D(S, P, O), _TC, _TX, _TA]  # fmt: skip
    out: list[Case] = []
    for kind in _TYPES:
        out += reads(f"patches/every_row_{kind.lower()}", "row-meaning stream-type",
                     f"Each kind of row in a {kind} stream.", [every], [said],
                     stream_type=kind)  # fmt: skip
    return [
        *out,
        *reads("patches/frames", "stream-type frame-order",
               "In a FRAME stream each frame is a patch, an empty one too.",
               [[*TABLE, _ROW], [], [b.delete()], [b.name("unused")]],
               [[_FIRST], [], [D(S, P, O)], []], stream_type="FRAME"),
        *reads("patches/frame_of_options_alone", "stream-type",
               "A FRAME stream of options alone: one empty patch.", [[]], [[]],
               stream_type="FRAME"),
        *reads("patches/flat", "stream-type", "In a FLAT stream frames mean nothing.",
               [[*TABLE, _ROW], [], [b.delete()]], [[_FIRST, D(S, P, O)]]),
        *reads("patches/punctuated", "stream-type punctuation-place",
               "Marks at the ends of frames; a patch of several frames; an empty patch.",
               [[*TABLE, _ROW], [b.delete(), _mark()], [_mark()], [b.add(o=x), _mark()]],
               [[_FIRST, D(S, P, O)], [], [A(S, P, X)]], stream_type="PUNCTUATED"),
        *reads("patches/punctuated_of_options_alone", "stream-type",
               "A PUNCTUATED stream of options alone: no patch.", [[]], [],
               stream_type="PUNCTUATED"),
        *reads("patches/punctuated_that_starts_with_a_mark", "stream-type punctuation-place",
               "A mark before all operations ends an empty patch.",
               [[_mark()], [*TABLE, _ROW, _mark()]], [[], [_FIRST]], stream_type="PUNCTUATED"),
        *reads("patches/punctuated_without_a_last_mark", "stream-type",
               "Operations after the last mark are the last patch.",
               [[*TABLE, _ROW, _mark()], [b.delete()]], [[_FIRST], [D(S, P, O)]],
               stream_type="PUNCTUATED"),
        *reads("patches/punctuated_with_entries_at_the_end", "stream-type",
               "Entries, and no operations, after the last mark: no further patch.",
               [[*TABLE, _ROW, _mark()], [b.name("unused")]], [[_FIRST]],
               stream_type="PUNCTUATED"),
    ]  # fmt: skip


def _marks() -> list[Case]:
    out: list[Case] = []
    for kind in ("FRAME", "FLAT"):
        out += refuses(f"patches/mark_in_{kind.lower()}", "punctuation-type",
                       f"A mark at the end of a {kind} stream.",
                       [[*TABLE, _ROW, _mark()]], [[*TABLE, _ROW]], [[_FIRST]],
                       stream_type=kind)  # fmt: skip
    return [
        *out,
        *reads("patches/marks_inside_a_frame", "punctuation-place",
               "Marks at the start and in the middle of a frame, which the beta allows; the draft"
               " before it wanted them at the end.",
               [[_mark(), *TABLE, _ROW, _mark(), b.delete(), _mark(), _mark()], [b.add(o=x)]],
               [[], [_FIRST], [D(S, P, O)], [], [A(S, P, X)]], stream_type="PUNCTUATED"),
        *refuses("patches/mark_in_a_transaction", "punctuation-transaction",
                 "A mark between TX and TC, at the end of a frame.",
                 [[*TABLE, b.begin(), _ROW, _mark()], [b.commit(), _mark()]],
                 [[*TABLE, b.begin(), _ROW], [b.commit(), _mark()]], [[_TX, _FIRST, _TC]],
                 stream_type="PUNCTUATED"),
    ]  # fmt: skip


def _transactions() -> list[Case]:
    out: list[Case] = []
    for word, end, code in (("commit", b.commit(), _TC), ("abort", b.abort(), _TA)):
        out += refuses(f"transactions/{word}_without_start", "transaction-end",
                       f"A {word}, and no transaction before. Readers may refuse it.",
                       [[*TABLE, _ROW, end]], [[*TABLE, b.begin(), _ROW, end]],
                       [[_TX, _FIRST, code]], "may", as_read=[[_FIRST, code]])  # fmt: skip
        out += refuses(f"transactions/{word}_twice", "transaction-end",
                       f"A {word} after the end of a transaction. Readers may refuse it.",
                       [[*TABLE, b.begin(), _ROW, b.commit(), end]],
                       [[*TABLE, b.begin(), _ROW, b.commit(), b.begin(), end]],
                       [[_TX, _FIRST, _TC, _TX, code]], "may",
                       as_read=[[_TX, _FIRST, _TC, code]])  # fmt: skip
    for kind in _TYPES:
        out += reads(f"transactions/several_{kind.lower()}", "transactions",
                     "Several transactions in a frame, one of them empty, and changes outside.",
                     [[*TABLE, b.begin(), _ROW, b.commit(), b.begin(), b.abort(), b.delete()]],
                     [[_TX, _FIRST, _TC, _TX, _TA, D(S, P, O)]], stream_type=kind)  # fmt: skip
        out += refuses(f"transactions/open_{kind.lower()}",
                       "transaction-frame" if kind == "FRAME" else "transaction-open",
                       f"A {kind} stream ends inside a transaction.",
                       [[*TABLE, b.begin(), _ROW]], [[*TABLE, b.begin(), _ROW, b.commit()]],
                       [[_TX, _FIRST, _TC]], stream_type=kind)  # fmt: skip
    return [
        *out,
        *refuses("transactions/start_in_a_transaction", "transaction-start",
                 "TX between TX and TC. Readers may refuse it.",
                 [[*TABLE, b.begin(), _ROW, b.begin(), b.delete(), b.commit()]],
                 [[*TABLE, b.begin(), _ROW, b.commit(), b.begin(), b.delete(), b.commit()]],
                 [[_TX, _FIRST, _TC, _TX, D(S, P, O), _TC]], "may",
                 as_read=[[_TX, _FIRST, _TX, D(S, P, O), _TC]]),
        *refuses("transactions/across_frames_of_frame", "transaction-frame",
                 "A transaction of a FRAME stream ends in the next frame.",
                 [[*TABLE, b.begin(), _ROW], [b.commit()]],
                 [[*TABLE, b.begin(), _ROW, b.commit()], []], [[_TX, _FIRST, _TC], []],
                 stream_type="FRAME"),
        *reads("transactions/across_frames_of_flat", "transaction-across-frames",
               "A transaction of a FLAT stream goes on for three frames.",
               [[*TABLE, b.begin(), _ROW], [b.delete()], [b.commit()]],
               [[_TX, _FIRST, D(S, P, O), _TC]]),
        *reads("transactions/across_frames_of_punctuated", "transaction-across-frames",
               "A transaction of a PUNCTUATED stream goes on for three frames.",
               [[*TABLE, b.begin(), _ROW], [b.delete()], [b.commit(), _mark()]],
               [[_TX, _FIRST, D(S, P, O), _TC]], stream_type="PUNCTUATED"),
        *reads("transactions/headers_and_namespaces_anywhere", "transactions",
               "Headers and namespaces in a transaction, between two, and after all.",
               [[*TABLE, b.begin(), b.header("in", s), b.prefix_add("n", s), b.commit(),
                 b.header("between", s), b.prefix_delete("n"), b.begin(), b.commit(),
                 b.header("after", s)]],
               [[_TX, ("H", "in", S), ("PA", "n", S, None), _TC, ("H", "between", S),
                 ("PD", "n", None, None), _TX, _TC, ("H", "after", S)]]),
    ]  # fmt: skip


def _namespaces() -> list[Case]:
    default = pb.RdfDefaultGraph()
    return [
        *reads("namespaces/names", "prefix-name",
               "Names that Turtle has, the empty one among them.",
               [[*TABLE, b.prefix_add("", s), b.prefix_add("ex", s), b.prefix_add("é.1-x", s)]],
               [[("PA", "", S, None), ("PA", "ex", S, None), ("PA", "é.1-x", S, None)]]),
        *refuses("namespaces/name_that_is_none", "prefix-name",
                 "A name that Turtle does not have. It should be one of Turtle's.",
                 [[*TABLE, b.prefix_add("a b:", s)]], [[*TABLE, b.prefix_add("ab", s)]],
                 [[("PA", "ab", S, None)]], "may", as_read=[[("PA", "a b:", S, None)]]),
        *reads("namespaces/graphs", "quads namespace-graph",
               "Namespaces of graphs: named ones, a blank node, the default graph.",
               [[*TABLE, b.prefix_add("n", s, g), b.prefix_add("n", o, "g"),
                 b.prefix_add("n", x, default), b.prefix_delete("n", None, g)]],
               [[("PA", "n", S, G), ("PA", "n", O, ("bnode", "g")), ("PA", "n", X, DEFAULT),
                 ("PD", "n", None, G)]], **_QUADS),
        *reads("namespaces/deleted_with_and_without_iri", "namespace-value",
               "A deleted namespace may have its IRI.",
               [[*TABLE, b.prefix_delete("n", s), b.prefix_delete("n")]],
               [[("PD", "n", S, None), ("PD", "n", None, None)]]),
        *refuses("namespaces/added_without_iri", "namespace-value",
                 "An added namespace has no IRI.",
                 [[*TABLE, b.prefix_add("n"), _ROW]], [[*TABLE, b.prefix_add("n", s), _ROW]],
                 [[("PA", "n", S, None), _FIRST]]),
        *reads("namespaces/iri_of_defaults", "namespace-value name-id-zero",
               "An IRI message without fields is an IRI, and not none.",
               [[*TABLE, b.add(s, p, b.iri(1, 2)), b.prefix_add("n", b.iri())]],
               [[A(S, P, P), ("PA", "n", O, None)]]),
    ]  # fmt: skip


def _headers() -> list[Case]:
    literal = b.literal("une note", "fr")
    return [
        *reads("headers/values", "header-value",
               "Values of each kind; keys of each kind, the empty one among them.",
               [[*TABLE, b.header("id", s), b.header("", "b"), b.header("a key", literal),
                 b.header("ключ", b.literal("x"))]],
               [[("H", "id", S), ("H", "", ("bnode", "b")), ("H", "a key", text("une note", "fr")),
                 ("H", "ключ", text("x"))]]),
        *reads("headers/order", "header-value row-meaning",
               "Headers keep their order, and a key may come again.",
               [[*TABLE, b.header("b", s), b.header("a", o), b.header("b", x), b.header("b", s)]],
               [[("H", "b", S), ("H", "a", O), ("H", "b", X), ("H", "b", S)]]),
        *refuses("headers/without_a_value", "header-value",
                 "A header has no value. The one before it has.",
                 [[*TABLE, b.header("id", s), b.header("prev")]],
                 [[*TABLE, b.header("id", s), b.header("prev", o)]],
                 [[("H", "id", S), ("H", "prev", O)]]),
    ]  # fmt: skip
