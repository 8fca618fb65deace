"""Write documents as streams in two ways: as short as the rules allow, or with nothing left out.

This is not an encoder for production: lookup entries are replaced in turn, and only ids of 0 and
repeated terms make streams shorter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from conformance import rows as b
from conformance import schema as pb
from conformance.document import DEFAULT, STATEMENT_TYPES, STREAM_TYPES, Document, Plain

__all__ = ["frames", "options_row"]


def options_row(options: dict[str, Any]) -> Any:
    """Return the options row for a document's options."""
    fields = {
        **options,
        "stream_type": STREAM_TYPES.index(options["stream_type"]),
        "statement_type": STATEMENT_TYPES.index(options["statement_type"]),
    }
    return pb.RdfPatchRow(options=pb.RdfPatchOptions(**fields))


def frames(document: Document, *, compact: bool, rows: int | None = None) -> list[list[Any]]:
    """Return the frames of a document, each a list of rows.

    Args:
        document: The document to write.
        compact: Whether to leave out all optional ids and terms; otherwise none is left out.
        rows: The maximum number of rows of a frame, unless frames are patches.

    Raises:
        ValueError: A row needs more entries than a lookup has.
    """
    options = document["options"]
    speller = _Speller(options, compact)
    kind = options["stream_type"]
    out = [[options_row(options)]]
    for number, patch in enumerate(document["patches"]):
        if kind == "FRAME" and number:
            out.append([])
        for operation in patch:
            for row in speller.rows(operation):
                if rows is not None and kind != "FRAME" and len(out[-1]) >= rows:
                    out.append([])
                out[-1].append(row)
        if kind == "PUNCTUATED":
            out[-1].append(b.punctuation())
            if number < len(document["patches"]) - 1:
                out.append([])
    return out


class _Lookup:
    def __init__(self, size: int, make: Any, compact: bool) -> None:
        self.size, self.make, self.compact = size, make, compact
        self.ids: dict[str, int] = {}
        self.values: dict[int, str] = {}
        self.last = 0

    def provide(self, wanted: list[str]) -> Iterator[Any]:
        """Yield the missing entries of ``wanted``; none of them replaces another wanted entry."""
        if len(set(wanted)) > self.size:
            raise ValueError(f"{len(set(wanted))} entries of a lookup of {self.size} in one row")
        for value in dict.fromkeys(wanted):
            if value in self.ids:
                continue
            number = self.last % self.size + 1
            while self.values.get(number) in wanted:
                number = number % self.size + 1
            if number in self.values:
                del self.ids[self.values[number]]
            self.ids[value], self.values[number] = number, value
            follows = number == self.last + 1
            self.last = number
            yield self.make(value, 0 if follows and self.compact else number)


class _Speller:
    def __init__(self, options: dict[str, Any], compact: bool) -> None:
        self.compact = compact
        self.quads = options["statement_type"] == "QUADS"
        self.names = _Lookup(options["max_name_table_size"], b.name, compact)
        self.prefixes = _Lookup(options["max_prefix_table_size"], b.prefix, compact)
        self.datatypes = _Lookup(options["max_datatype_table_size"], b.datatype, compact)
        self.last: dict[str, Plain | None] = dict.fromkeys("spog")
        self.prefix_id = self.name_id = 0
        # The positions at which the IRIs of a row are split into prefix and name.
        self.cuts: dict[str, int] = {}

    def rows(self, operation: Plain) -> Iterator[Any]:
        code = operation[0]
        if code in ("TX", "TC", "TA"):
            yield {"TX": b.begin, "TC": b.commit, "TA": b.abort}[code]()
            return
        terms = self._written(operation)
        yield from self._entries(terms.values())
        said = {place: self._message(term) for place, term in terms.items()}
        if code == "H":
            yield b.header(operation[1], said.get("h"))
        elif code in ("PA", "PD"):
            make = b.prefix_add if code == "PA" else b.prefix_delete
            yield make(operation[1], said.get("v"), said.get("g"))
        else:
            yield (b.add if code == "A" else b.delete)(*map(said.get, "spog"))

    def _written(self, operation: Plain) -> dict[str, Plain]:
        code, *items = operation
        if code == "H":
            return {} if items[1] is None else {"h": items[1]}
        places = (
            dict(zip("vg", items[1:], strict=True))
            if code in ("PA", "PD")
            else dict(zip("spog", items, strict=True))
        )
        out = {}
        for place, term in places.items():
            if term is None:
                continue
            repeats = place in self.last and self.last[place] == term
            self.last[place] = term
            if not (repeats and self.compact):
                out[place] = term
        return out

    def _entries(self, terms: Iterable[Plain]) -> Iterator[Any]:
        terms = list(terms)
        iris = [iri for term in terms for iri in _iris(term)]
        self.cuts = {iri: max(iri.rfind("#"), iri.rfind("/")) + 1 for iri in iris}
        if len({iri[:at] for iri, at in self.cuts.items()}) > self.prefixes.size:
            self.cuts = dict.fromkeys(iris, 0)
        if self.prefixes.size:
            yield from self.prefixes.provide([iri[:at] for iri, at in self.cuts.items()])
        yield from self.names.provide([iri[at:] for iri, at in self.cuts.items()])
        yield from self.datatypes.provide([d for term in terms for d in _datatypes(term)])

    def _message(self, term: Plain) -> Any:
        if term == DEFAULT:
            return pb.RdfDefaultGraph()
        if term[0] == "bnode":
            return term[1]
        if term[0] == "literal":
            number = None if term[3] is None else self.datatypes.ids[term[3]]
            return b.literal(term[1], term[2], number)
        if term[0] == "triple":
            return b.triple(*map(self._message, term[1:]))
        at = self.cuts[term[1]]
        prefix_id = self.prefixes.ids[term[1][:at]] if self.prefixes.size else 0
        name_id = self.names.ids[term[1][at:]]
        said = b.iri(
            0 if self.compact and prefix_id == self.prefix_id else prefix_id,
            0 if self.compact and name_id == self.name_id + 1 else name_id,
        )
        self.prefix_id, self.name_id = prefix_id, name_id
        return said


def _iris(term: Plain) -> Iterator[str]:
    if term[0] == "iri":
        yield term[1]
    elif term[0] == "triple":
        for part in term[1:]:
            yield from _iris(part)


def _datatypes(term: Plain) -> Iterator[str]:
    if term[0] == "literal" and term[3] is not None:
        yield term[3]
    elif term[0] == "triple":
        for part in term[1:]:
            yield from _datatypes(part)
