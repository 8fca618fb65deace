"""Frames and rows as bytes: lengths, sizes, kinds, unknown fields."""

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
    X,
    bytes_of,
    o,
    options,
    p,
    reads,
    refuses,
    s,
    stream,
    x,
)
from conformance.spelling import options_row
from conformance.wire import GROUP_END, GROUP_START, I32, I64, LEN, VARINT, field, tag, varint

_FIRST = A(S, P, O)
_PLAIN = [[*TABLE, b.add(s, p, o)]]
_ROW = options_row(options())


def _frame(*rows: Any) -> bytes:
    return bytes_of([_ROW, *rows])


def cases() -> list[Case]:
    """Return the cases."""
    return [*_lengths(), *_sizes(), *_rows(), *_fields()]


def _lengths() -> list[Case]:
    whole, more = stream(_PLAIN), stream([[*_PLAIN[0], b.delete(o=x)]])
    tagged = stream([[*TABLE, b.add(s, p, b.literal("x", "en"))]])
    first, second = _frame(*TABLE), bytes_of([b.add(s, p, o)])
    ten = options_row(options(max_prefix_table_size=0, max_datatype_table_size=0))
    # In a bare frame, an options row of ten bytes looks like a frame length.
    assert len(ten.SerializeToString()) == 10
    tiny = {"max_prefix_table_size": 0, "max_datatype_table_size": 0}
    named = bytes_of([ten, b.name(E + "p"), b.add("s", b.iri(0, 1), "o")])
    assert named[:3] == b"\n\n\n"
    said = [[A(("bnode", "s"), P, ("bnode", "o"))]]
    return [
        *reads("frames/delimited", "frame-length delimited", "A frame with its length.", whole,
               [[_FIRST]]),
        *reads("frames/bare", "frame-length", "One frame without its length.",
               _frame(*TABLE, b.add(s, p, o)), [[_FIRST]]),
        *reads("frames/bare_whose_first_row_has_ten_bytes", "frame-length",
               "A bare frame with 0A 0A 0A first, unlike delimited ones.", named, said, **tiny),
        *reads("frames/length_in_more_bytes_than_it_needs", "frame-length",
               "The length is a varint of five bytes.",
               varint(len(first), 5) + first + varint(len(second), 3) + second, [[_FIRST]]),
        *reads("frames/empty_frames", "frame-order",
               "Frames without rows before, between and after the others.",
               b.delimited([b"", first, b"", b"", second, b""]), [[_FIRST]]),
        *reads("frames/many", "frame-order", "Each row in a frame of its own.",
               stream([[row] for row in (*TABLE, b.add(s, p, o), b.delete(s, p, o), b.add(o=x))]),
               [[_FIRST, D(S, P, O), A(S, P, X)]]),
        *refuses("frames/cut_off", "frame-length", "The last byte of the last frame is missing.",
                 whole[:-1], whole, [[_FIRST]]),
        *refuses("frames/cut_off_behind_a_row", "frame-length",
                 "The last row of the last frame is missing. The rows before it are whole.",
                 more[: -len(bytes_of([b.delete(o=x)]))], more, [[_FIRST, D(S, P, X)]]),
        *refuses("frames/cut_off_before_a_language", "frame-length",
                 "The last field of the last literal is missing: without it, it is a simple one.",
                 tagged[: -len(field(2, b"en"))], tagged,
                 [[A(S, P, ("literal", "x", "en", None))]]),
        *refuses("frames/length_cut_off", "frame-length",
                 "After the last frame there is a byte of a longer length.",
                 whole + b"\x80", whole, [[_FIRST]]),
        *refuses("frames/bytes_behind", "frame-length",
                 "After the last frame there is a length, and no frame.",
                 whole + b"\x05", whole, [[_FIRST]]),
    ]  # fmt: skip


def _sizes() -> list[Case]:
    # The entry is replaced before it is used, so the frame is large but encodes little.
    large = _frame(b.prefix("x" * 1_000_000), b.prefix(E, 1), *TABLE[1:], b.add(s, p, o))
    assert len(large) > 1_000_000
    many = [b.add(o=x if number % 2 else o) for number in range(1500)]
    return [
        *reads("frames/of_a_megabyte", "frame-size",
               "A frame of more than 1 MB, nearly all of it an entry that is not used. Producers"
               " should write smaller ones; none is too large by the text.",
               b.delimited([large]), [[_FIRST]]),
        *reads("frames/of_many_rows", "frame-size", "A frame of 1,500 statements.",
               [[*TABLE, b.add(s, p, o), *many]],
               [[_FIRST, *(A(S, P, X if number % 2 else O) for number in range(1500))]]),
    ]  # fmt: skip


def _rows() -> list[Case]:
    both = b.add(s, p, o).SerializeToString() + b.delete(s, p, x).SerializeToString()
    return [
        *refuses("rows/empty", "row-kinds", "A row without any field.",
                 [[*TABLE, b"", b.add(s, p, o)]], _PLAIN, [[_FIRST]]),
        *refuses("rows/reserved", "row-kinds", "A row of field 9 alone, which is reserved.",
                 [[*TABLE, field(9, b""), b.add(s, p, o)]], _PLAIN, [[_FIRST]]),
        *refuses("rows/of_two_kinds", "row-kinds",
                 "A row that adds one statement and deletes another one. Protobuf keeps the last"
                 " of a oneof's members, so most readers can't see it.",
                 [[*TABLE, both]], [[*TABLE, b.delete(s, p, x)]], [[D(S, P, X)]], "may",
                 as_read=[[D(S, P, X)]]),
    ]  # fmt: skip


def _unknown(row: Any) -> bytes:
    """Return a row with unknown fields of each wire type before and after its content."""
    group = tag(99, GROUP_START) + field(1, 7) + tag(99, GROUP_END)
    numbers = tag(100, I32) + b"\1\2\3\4" + tag(101, I64) + b"\1\2\3\4\5\6\7\x08"
    return field(2000, b"later") + bytes(row.SerializeToString()) + field(98, 5) + numbers + group


def _in_two_halves(row: Any) -> bytes:
    """Return a row with its message in two parts: the first field, then all others."""
    ((known, message),) = row.ListFields()
    halves = [type(message)(), type(message)()]
    for number, (inner, value) in enumerate(message.ListFields()):
        half = halves[number > 0]
        if inner.message_type is None:
            setattr(half, inner.name, value)
        else:
            getattr(half, inner.name).CopyFrom(value)
    return b"".join(field(known.number, half.SerializeToString()) for half in halves)


def _fields() -> list[Case]:
    term = b.iri(1, 1).SerializeToString() + field(50, b"later")
    statement = field(1, term) + field(5, p.SerializeToString()) + field(9, o.SerializeToString())
    latin1 = field(1, b"caf\xe9")
    label = field(2, b"caf\xe9")
    good = field(2, "café".encode())
    rest = field(5, p.SerializeToString()) + field(9, o.SerializeToString())
    entry = field(13, field(2, b"urn:caf\xe9"))
    padded = (
        field(1, field(1, 1)) + tag(5, LEN, 5) + varint(8, 2) + tag(2, VARINT, 3) + varint(2, 5)
    )
    padded += field(9, b"")
    blank = A(("bnode", "café"), P, O)
    return [
        *reads("fields/unknown_in_rows", "unknown-field",
               "Each row has fields of numbers that are not in the schema, of all wire types.",
               [[*map(_unknown, TABLE), _unknown(b.add(s, p, o))]], [[_FIRST]]),
        *reads("fields/unknown_in_frames", "unknown-field",
               "A frame has fields that are not in the schema.",
               b.delimited([field(15, b"later") + _frame(*TABLE, b.add(s, p, o)) + field(77, 1)]),
               [[_FIRST]]),
        *reads("fields/unknown_in_terms", "unknown-field",
               "An IRI and a statement have fields that are not in the schema.",
               [[*TABLE, field(2, statement + field(90, 3))]], [[_FIRST]]),
        *reads("fields/in_any_order", "wire term-order",
               "The object stands before the subject in the bytes; the order of IRIs is that of"
               " the terms, not of the bytes.",
               [[*TABLE, field(2, field(9, b"") + field(5, b"") + field(1, b"\x08\x01"))]],
               [[_FIRST]]),
        *reads("fields/defaults_spelled_out", "wire",
               "Ids of 0 are spelled out.",
               [[*TABLE, field(2, field(1, field(1, 1) + field(2, 0)) + field(5, field(2, 0))
                               + field(9, field(1, 0)))]], [[_FIRST]]),
        *reads("fields/messages_in_two_halves", "wire",
               "The message of each row stands twice, with some of its fields each time: protobuf"
               " merges the two.",
               [[*map(_in_two_halves, (*TABLE, b.header("k", s), b.prefix_add("n", s),
                                       b.add(s, p, o)))]],
               [[("H", "k", S), ("PA", "n", S, None), _FIRST]]),
        *reads("fields/terms_in_two_halves", "wire",
               "An IRI, a literal and a quoted triple stand twice: protobuf merges the two.",
               [[*TABLE, field(2, field(1, field(1, 1)) + field(1, field(2, 1))
                               + field(5, p.SerializeToString())
                               + field(11, field(1, b"x")) + field(11, field(2, b"en"))),
                 field(2, field(12, field(1, s.SerializeToString()))
                       + field(12, rest))]],
               [[A(S, P, ("literal", "x", "en", None)), A(S, P, ("triple", S, P, O))]],
               rdf_star=True),
        *reads("fields/numbers_and_strings_twice", "wire",
               "Ids and strings stand twice: protobuf takes the last one.",
               [[field(12, field(2, b"urn:not:") + field(2, E.encode())), *TABLE[1:],
                 field(2, field(1, field(1, 1) + field(2, 3) + field(2, 1))
                       + field(5, p.SerializeToString()) + field(10, b"not") + field(10, b"b"))]],
               [[A(S, P, ("bnode", "b"))]]),
        *reads("fields/varints_in_more_bytes_than_they_need", "wire",
               "Tags, lengths and ids have more bytes than they need.",
               [[*TABLE, tag(2, LEN, 3) + varint(len(padded), 4) + padded]], [[_FIRST]]),
        *refuses("fields/label_not_utf8", "utf-8 wire", "A blank node's label is in Latin-1.",
                 [[*TABLE, field(2, label + rest)]], [[*TABLE, field(2, good + rest)]], [[blank]]),
        *refuses("fields/literal_not_utf8", "utf-8 wire", "A literal is in Latin-1.",
                 [[*TABLE, field(2, field(2, b"b") + field(5, p.SerializeToString())
                                 + field(11, latin1))]],
                 [[*TABLE, field(2, field(2, b"b") + field(5, p.SerializeToString())
                                 + field(11, field(1, "café".encode())))]],
                 [[A(("bnode", "b"), P, ("literal", "café", None, None))]]),
        *refuses("fields/entry_not_utf8", "utf-8 wire",
                 "An entry of the datatype lookup is in Latin-1; nothing uses it.",
                 [[*TABLE, entry, b.add(s, p, o)]],
                 [[*TABLE, b.datatype("urn:café"), b.add(s, p, o)]], [[_FIRST]]),
        *refuses("fields/key_not_utf8", "utf-8 wire", "A header's key is in Latin-1.",
                 [[*TABLE, field(14, field(1, b"caf\xe9") + field(3, b"b"))]],
                 [[*TABLE, b.header("café", "b")]], [[("H", "café", ("bnode", "b"))]]),
        *refuses("fields/name_not_utf8", "utf-8 wire", "A namespace's name is in Latin-1.",
                 [[*TABLE, field(4, field(1, b"caf\xe9") + field(2, s.SerializeToString()))]],
                 [[*TABLE, b.prefix_add("café", s)]], [[("PA", "café", S, None)]]),
        *refuses("fields/language_not_utf8", "utf-8 wire", "A language tag is in Latin-1.",
                 [[*TABLE, field(2, field(2, b"b") + field(5, p.SerializeToString())
                                 + field(11, field(1, b"x") + field(2, b"\xe9")))]],
                 [[*TABLE, b.add("b", p, b.literal("x", "fr"))]],
                 [[A(("bnode", "b"), P, ("literal", "x", "fr", None))]]),
        *refuses("fields/cut_off", "wire", "A row is shorter than the length before its content.",
                 [[*TABLE, b"\x12\x7f", b.add(s, p, o)]], _PLAIN, [[_FIRST]]),
        *refuses("fields/cut_off_in_the_last_frame", "wire",
                 "In the last of three frames a row is shorter than the length before its content.",
                 [TABLE, [b.add(s, p, o)], [b"\x12\x7f"]], [TABLE, [b.add(s, p, o)], []],
                 [[_FIRST]]),
        *refuses("fields/no_wire_type", "wire", "A field has the unknown wire type 7.",
                 [[*TABLE, b.add(s, p, o).SerializeToString() + tag(20, 7) + b"\1"]], _PLAIN,
                 [[_FIRST]]),
        *refuses("fields/number_zero", "wire", "A field has the number 0.",
                 [[*TABLE, b.add(s, p, o).SerializeToString() + field(0, 1)]], _PLAIN, [[_FIRST]]),
        *refuses("fields/of_another_wire_type", "header-value wire",
                 "The value of a header is a number where the schema has a message. Protobuf takes"
                 " such a field for one that it does not know, and so there is no value.",
                 [[field(14, field(1, b"k") + tag(3, VARINT) + varint(5))]],
                 [[b.header("k", "b")]], [[("H", "k", ("bnode", "b"))]]),
    ]  # fmt: skip
