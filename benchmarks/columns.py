"""Compare the draft of Jelly-RDF 1.2 with Jelly-RDF 1.1: the same statements in the same frames.

No writer of Jelly-RDF 1.2 is available, so the input is made here with protobuf's classes, like
that of Jelly-JVM's writer: ids of 0 wherever possible, shortened lists, runs.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import zstandard

import jelly_rdflib as jr
from jelly_rdflib.core.batch import Batch, TermKind

from .data import Inputs
from .works import Work, exhaust, split_frames

__all__ = ["jelly_columns", "protobuf_parse", "read_batches", "sizes"]

SIZES = {"names": 4000, "prefixes": 150, "datatypes": 32}
IRI, LITERAL, BLANK_NODE = range(3)


def _draft() -> Any:
    # An import statement would make mypy check the tests too.
    return import_module("tests.oracle.columns_schema").LATER


class _Lookup:
    """A writer's lookup; when it is full, a new entry replaces the least recently used one.

    The batch must not use the replaced entry, since all new entries precede the columns.
    """

    def __init__(self, size: int) -> None:
        self._ids: OrderedDict[str, int] = OrderedDict()
        self._size = size
        self._last = 0
        self.entries: list[dict[str, Any]] = []

    def find(self, text: str) -> int:
        if text in self._ids:
            self._ids.move_to_end(text)
            return self._ids[text]
        number = len(self._ids) + 1
        if number > self._size:
            number = self._ids.popitem(last=False)[1]
        self._ids[text] = number
        if self.entries and number == self._last + 1:
            self.entries[-1]["values"].append(text)
        else:
            is_next = number == self._last + 1
            self.entries.append({"id": 0 if is_next else number, "values": [text]})
        self._last = number
        return number

    def take(self) -> list[dict[str, Any]]:
        entries, self.entries = self.entries, []
        return entries


class _Writer:
    def __init__(self) -> None:
        self._lookups = {name: _Lookup(size) for name, size in SIZES.items()}

    def batch(self, batch: Batch) -> dict[str, Any]:
        """Return the columns of a frame."""
        terms, kinds, extras = batch.terms, bytes(batch.terms.kinds), list(batch.terms.extras)
        texts = [terms.text_of(number) if number else "" for number in range(len(kinds))]
        names = zip("spog", ("subjects", "predicates", "objects", "graphs"), strict=True)
        columns = {
            name: self._column(list(getattr(batch, letter)), kinds, texts, extras)
            for letter, name in names
        }
        entries = {name: lookup.take() for name, lookup in self._lookups.items()}
        return {"row_count": len(batch), **entries, **columns}

    def _column(
        self, cells: list[int], kinds: bytes, texts: list[str], extras: list[int]
    ) -> dict[str, Any]:
        layouts: list[int] = []
        values: list[int] = []
        skipped = 0
        for term, group in itertools.groupby(cells):
            values.append(term)
            length = len(list(group)) - 2
            if length < 0:
                skipped += 1
                continue
            layouts.append(skipped << 5 | min(length, 15))
            layouts += [length - 15] if length >= 15 else []
            skipped = 0
        column: dict[str, Any] = {"layouts": layouts}
        value_kinds = []
        ids, literal_kinds, tags = [], [], OrderedDict[str, int]()
        for term in values:
            kind, text = kinds[term], texts[term]
            if kind == TermKind.IRI:
                value_kinds.append(IRI)
                cut = max(text.rfind("#"), text.rfind("/")) + 1
                prefix = self._lookups["prefixes"].find(text[:cut])
                ids.append((prefix, self._lookups["names"].find(text[cut:])))
            elif kind == TermKind.BLANK_NODE:
                value_kinds.append(BLANK_NODE)
                column.setdefault("bnodes", []).append(text)
            else:
                value_kinds.append(LITERAL)
                column.setdefault("lex_values", []).append(text)
                literal = 0
                if kind == TermKind.TYPED_LITERAL:
                    literal = 2 * self._lookups["datatypes"].find(texts[extras[term]]) - 1
                elif kind == TermKind.LANGUAGE_LITERAL:
                    literal = 2 * tags.setdefault(texts[extras[term]], len(tags)) + 2
                literal_kinds.append(literal)
        if len(set(value_kinds)) > 1:
            bits = sum(kind << 2 * place for place, kind in enumerate(value_kinds))
            column["kinds"] = bits.to_bytes((len(value_kinds) + 3) // 4, "little")
        column["prefix_ids"] = _cut([prefix for prefix, _ in ids], repeats=True)
        name_ids = [name for _, name in ids]
        before = [0, *name_ids]
        column["name_ids"] = [
            0 if name == last + 1 else name for last, name in zip(before, name_ids, strict=False)
        ]
        column["literal_kinds"] = _cut(literal_kinds)
        column["langtags"] = list(tags)
        return column


def _cut(numbers: list[int], *, repeats: bool = False) -> list[int]:
    """Shorten a list: equal numbers become one, or none if 0; ``repeats`` writes repeats as 0."""
    if len(set(numbers)) <= 1:
        return [number for number in numbers[:1] if number]
    if not repeats:
        return numbers
    before = [0, *numbers]
    return [0 if a == b else b for a, b in zip(before, numbers, strict=False)]


@functools.cache
def jelly_columns(inputs: Inputs) -> bytes:
    """Return the statements of the ``.jelly`` input as Jelly-RDF 1.2, in the same frames."""
    draft, writer = _draft(), _Writer()
    options = {"physical_type": 2, "version": 3, "max_name_table_size": SIZES["names"]}
    options |= {"max_prefix_table_size": SIZES["prefixes"]}
    options |= {"max_datatype_table_size": SIZES["datatypes"]}
    rows = [{"options": options}]
    frames = []
    for batch in jr.read_batches(inputs.jelly):
        frame = draft.Frame(rows=rows, columns=writer.batch(batch)).SerializeToString()
        frames.append(_varint(len(frame)) + frame)
        rows = []
    return b"".join(frames)


def _varint(number: int) -> bytes:
    low, high = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(high) if high else bytes([low])


def batches(inputs: Inputs) -> Iterator[Batch]:
    data = jelly_columns(inputs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Jelly-RDF 1.2 is a draft")
        yield from jr.read_batches(data)


def read_batches(inputs: Inputs) -> Work:
    jelly_columns(inputs)
    return Work("read_batches of Jelly-RDF 1.2", lambda _: exhaust(batches(inputs)))


def protobuf_parse(inputs: Inputs) -> Work:
    frames: Iterable[bytes] = split_frames(jelly_columns(inputs))
    parse = _draft().Frame.FromString
    return Work("protobuf (upb), Jelly-RDF 1.2", lambda _: exhaust(map(parse, frames)))


def sizes(inputs: Inputs) -> list[tuple[str, int, int]]:
    """Return the sizes of both formats in bytes, uncompressed and with zstd."""
    forms = {"Jelly-RDF 1.1": inputs.jelly, "Jelly-RDF 1.2": jelly_columns(inputs)}
    return [(name, len(data), len(zstandard.compress(data))) for name, data in forms.items()]
