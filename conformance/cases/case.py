"""The class of cases, and short functions to make them.

The stream of most cases starts with `TABLE`, the entries of five names. `s`, `p`, `o`, `g`, `x` are
IRI messages with explicit ids; `S`, `P`, `O`, `G`, `X` are the same IRIs as terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from conformance import rows as b
from conformance.document import DEFAULT, OPTIONS, Document, Plain
from conformance.spelling import options_row
from conformance.wire import field

__all__ = [
    "DEFAULT", "TABLE", "XSD", "A", "Case", "D", "E", "G", "O", "P", "Refusal", "S", "X",
    "bytes_of", "g", "o", "options", "p", "reads", "refuses", "s", "stream", "text", "x",
]  # fmt: skip

Refusal = Literal["must", "should", "may", "lossy"]

E = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
S, P, O, G, X = (("iri", E + name) for name in "spogx")  # noqa: E741
TABLE = [b.prefix(E), *map(b.name, "spogx")]
s, p, o, g, x = (b.iri(1, number) for number in range(1, 6))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A case.

    Args:
        name: A folder and a name; the name starts with ``pos_`` or ``neg_``.
        rules: The names of the rules to test; a negative case breaks the first one.
        comment: The feature or fault that the case shows.
        data: The stream to read; None for a case about writing.
        document: The expected document, or the document to write. For a stream to be refused: the
            document of a reader that accepts it, or None if the stream makes no sense.
        refusal: Whether the case must, should or may be refused; None if it must not. "lossy" is
            "must" for a document that can't be written without loss.
        repaired: The name of the same case without its fault.
    """

    name: str
    rules: tuple[str, ...]
    comment: str
    data: bytes | None = None
    document: Document | None = None
    refusal: Refusal | None = None
    repaired: str | None = None


def options(**changes: Any) -> dict[str, Any]:
    """Return a document's options: FLAT, TRIPLES, lookups of 16 entries, changed by ``changes``."""
    base: dict[str, Any] = dict.fromkeys(OPTIONS, False)
    base |= {"stream_type": "FLAT", "statement_type": "TRIPLES", "version": 1}
    base |= {f"max_{name}_table_size": 16 for name in ("name", "prefix", "datatype")}
    return base | changes


def bytes_of(rows: list[Any]) -> bytes:
    """Return a frame of rows, each given as a message or as its bytes."""
    return b"".join(
        field(1, row if isinstance(row, bytes) else row.SerializeToString()) for row in rows
    )


def stream(frames: list[list[Any]], **changes: Any) -> bytes:
    """Return a delimited stream; an options row is put before the first row."""
    first, *others = frames
    rows = [options_row(options(**changes)), *first]
    return b.delimited(map(bytes_of, [rows, *others]))


def A(s: Plain, p: Plain, o: Plain, g: Plain | None = None) -> Plain:
    """Return the operation that adds a statement."""
    return ("A", s, p, o, g)


def D(s: Plain, p: Plain, o: Plain, g: Plain | None = None) -> Plain:
    """Return the operation that deletes a statement."""
    return ("D", s, p, o, g)


def text(lex: str, language: str | None = None, datatype: str | None = None) -> Plain:
    """Return a literal."""
    return ("literal", lex, language, datatype)


def reads(
    name: str,
    rules: str,
    comment: str,
    frames: list[list[Any]] | bytes,
    patches: list[list[Plain]],
    **changes: Any,
) -> list[Case]:
    """Return the case of a stream that must be read; ``rules`` are separated by spaces.

    ``frames`` are lists of rows without the options row, which is made from ``changes``, or the
    bytes of the whole stream.
    """
    folder, _, last = name.rpartition("/")
    data = frames if isinstance(frames, bytes) else stream(frames, **changes)
    document = {"options": options(**changes), "patches": patches}
    return [
        Case(
            name=f"{folder}/pos_{last}",
            rules=tuple(rules.split()),
            comment=comment,
            data=data,
            document=document,
        )
    ]


def refuses(
    name: str,
    rules: str,
    comment: str,
    broken: list[list[Any]] | bytes,
    repaired: list[list[Any]] | bytes,
    patches: list[list[Plain]],
    refusal: Refusal = "must",
    *,
    broken_options: dict[str, Any] | None = None,
    as_read: list[list[Plain]] | None = None,
    **changes: Any,
) -> list[Case]:
    """Return a case of a stream with one fault, and a case with the fault repaired.

    Args:
        name, rules, comment: As for `reads`.
        broken, repaired: The two streams, as for `reads`.
        patches: The patches of the repaired stream.
        refusal: The strength of the demand to refuse the broken stream.
        broken_options: The options of the broken stream that differ.
        as_read: The patches of the broken stream for a reader that does not refuse it.
        changes: The options of the repaired stream, and by default of the broken one.
    """
    folder, _, last = name.rpartition("/")
    other = changes | (broken_options or {})
    document = None
    if as_read is not None:
        document = {"options": options(**other), "patches": as_read}
    (twin,) = reads(
        f"{folder}/{last}_repaired",
        rules,
        f"The fault of neg_{last} repaired.",
        repaired,
        patches,
        **changes,
    )
    case = Case(
        name=f"{folder}/neg_{last}",
        rules=tuple(rules.split()),
        comment=comment,
        data=broken if isinstance(broken, bytes) else stream(broken, **other),
        document=document,
        refusal=refusal,
        repaired=twin.name,
    )
    return [case, twin]
