"""A foreign producer of the Jelly-RDF 1.2 draft: turns a stream into frames of columns.

Where the format leaves a choice, this producer decides at random: where frames end, whether it
writes runs or repeats a value, unneeded kinds, ids as numbers or 0, lists in full or shortened,
packed entries, repeated options, the lookup choices of `term_producer`, and the byte choices of
`wire.spell`.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tests.oracle.columns_decoder import (
    BLANK_NODE,
    IRI,
    LITERAL,
    POSITIONS,
    TRIPLE_TERM,
    is_bare,
)
from tests.oracle.columns_schema import (
    DIRECTIONS,
    LATER,
    MESSAGES,
    QUADS,
    RDF_1_1,
    RDF_1_2,
    RDF_1_2_BASIC,
    UNSPECIFIED,
    VERSION,
    Draft,
)
from tests.oracle.term_producer import ProducerLookup, cut, datatypes_of, iris_of, spelled
from tests.oracle.terms import DEFAULT_GRAPH, XSD_STRING, Plain

_KINDS = {"iri": IRI, "literal": LITERAL, "bnode": BLANK_NODE, "triple": TRIPLE_TERM}
_TABLES = {"name": "names", "prefix": "prefixes", "datatype": "datatypes"}


@dataclass
class Stream:
    """A stream that the producer can write.

    Attributes:
        options: Fields of the options row. The name lookup has space for at least 128 names, and
            the datatype lookup for at least one datatype if a literal has a datatype.
        operations: ``("A", s, p, o, g or None)`` and ``("PA", name, iri, None)``. A stream of
            MESSAGES also has ``("END",)``, at least once after the last statement.
        draft: The draft whose field numbers are used.
    """

    options: dict[str, Any]
    operations: list[Plain]
    draft: Draft = LATER

    @property
    def statements(self) -> list[Plain]:
        """The triples or quads of the stream."""
        return [op[1:] if op[4] is not None else op[1:4] for op in self.operations if op[0] == "A"]


def options(**changes: Any) -> dict[str, Any]:
    """Return fields of an options row: TRIPLES, FLAT and small lookups, then ``changes``."""
    fields = {
        "physical_type": 1,
        "max_name_table_size": 128,
        "max_prefix_table_size": 16,
        "max_datatype_table_size": 16,
        "version": VERSION,
    }
    return {**fields, **changes}


def rdf_versions(operations: Iterable[Plain]) -> list[int]:
    """Return the RDF versions that a stream with `operations` may declare in its options."""
    objects = [operation[3] for operation in operations if operation[0] == "A"]
    if any(term[0] == "triple" for term in objects):
        return [UNSPECIFIED, RDF_1_2]
    if any(len(term) == 5 for term in objects):
        return [UNSPECIFIED, RDF_1_2_BASIC, RDF_1_2]
    return [UNSPECIFIED, RDF_1_1, RDF_1_2_BASIC, RDF_1_2]


@dataclass
class _Batch:
    """The content of the next frame, and the prefixes and names into which its IRIs are split."""

    namespaces: list[Plain] = field(default_factory=list)
    rows: list[Plain] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    cuts: dict[str, tuple[str, str]] = field(default_factory=dict)
    datatypes: set[str] = field(default_factory=set)

    def wanted(self) -> dict[str, set[str]]:
        """Return the entries that the lookups must have."""
        prefixes = {prefix for prefix, _ in self.cuts.values()}
        return {
            "name": {name for _, name in self.cuts.values()},
            # If the empty prefix is the only one, it needs no entry.
            "prefix": set() if prefixes == {""} else prefixes,
            "datatype": self.datatypes,
        }


class _Iris:
    """Finds the ids of IRIs, some of which may depend on the previous ids."""

    def __init__(self, producer: "_Producer", cuts: dict[str, tuple[str, str]]) -> None:
        self.producer = producer
        self.cuts = cuts
        self.prefix_id = 0
        self.name_id = 0

    def next(self, iri: str) -> tuple[int, int]:
        """Return the id of the prefix, as a number, and the id of the name."""
        prefix, name = self.cuts[iri]
        tables, rng = self.producer.tables, self.producer.rng
        has_entry = bool(tables["prefix"].entries_of(prefix))
        if prefix or self.prefix_id or (has_entry and rng.random() < 0.5):
            self.prefix_id = tables["prefix"].find(prefix)
        follows = tables["name"].entries.get(self.name_id + 1) == name
        if follows and self.producer.chance("zero"):
            self.name_id += 1
            return self.prefix_id, 0
        self.name_id = tables["name"].find(name)
        return self.prefix_id, self.name_id

    def message(self, iri: str) -> dict[str, int]:
        before = self.prefix_id
        prefix_id, name_id = self.next(iri)
        if prefix_id == before and self.producer.chance("zero"):
            prefix_id = 0
        return {"prefix_id": prefix_id, "name_id": name_id}


class _Producer:
    def __init__(self, stream: Stream, rng: random.Random) -> None:
        self.rng = rng
        self.draft = stream.draft
        self.options = self.base_options = stream.options
        self.is_messages = stream.options.get("stream_type") == MESSAGES
        self.versions = rdf_versions(stream.operations)
        habits = ("runs", "cells", "kinds", "zero", "short", "join", "graphs", "tag", "end")
        # A producer that always or never follows a habit may show faults that a mixture hides.
        self.habits = {habit: rng.choice([0.0, 0.5, 1.0]) for habit in habits}
        self.most_rows = rng.choice([1, 2, 7, 40, 1000])
        self.restates = rng.choice([0.0, 0.0, 0.3])
        self.frames: list[Any] = []
        self.batch = _Batch()
        self.open_rows = 0
        self.set_tables()

    def chance(self, habit: str) -> bool:
        return self.rng.random() < self.habits[habit]

    def set_tables(self) -> None:
        self.tables = {
            kind: ProducerLookup(self.rng, self.options[f"max_{kind}_table_size"], _entry)
            for kind in _TABLES
        }

    def write(self, operations: list[Plain]) -> None:
        for number, operation in enumerate(operations):
            if operation == ("END",):
                is_last = number + 1 == len(operations)
                if self.open_rows and is_last and self.chance("end"):
                    break
                self.batch.lengths.append(len(self.batch.rows) - sum(self.batch.lengths))
                self.open_rows = 0
            elif operation[0] == "PA":
                if self.batch.rows or self.batch.lengths or not self.take([operation[2]]):
                    self.flush()
                    self.take([operation[2]])
                self.batch.namespaces.append(operation)
            else:
                *triple, graph = operation[1:]
                terms = triple if graph in (None, DEFAULT_GRAPH) else [*triple, graph]
                if len(self.batch.rows) >= self.most_rows or not self.take(terms):
                    self.flush()
                    self.take(terms)
                self.batch.rows.append(operation[1:])
                self.open_rows += 1
        self.flush()

    def take(self, terms: list[Plain]) -> bool:
        """Add terms to the batch if there is space for them; return whether there was."""
        batch = self.batch
        cuts, datatypes = dict(batch.cuts), set(batch.datatypes)
        for term in terms:
            for iri in iris_of(term):
                if iri not in cuts:
                    has_prefixes = self.tables["prefix"].size > 0
                    cuts[iri] = cut(self.rng, iri) if has_prefixes else ("", iri)
            datatypes.update(datatypes_of(term))
        if len(datatypes) < self.tables["datatype"].size and self.rng.random() < 0.1:
            # For a literal, this datatype is equivalent to no datatype.
            datatypes.add(XSD_STRING)
        tried = _Batch(cuts=cuts, datatypes=datatypes)
        is_empty = not (batch.rows or batch.namespaces or batch.lengths)
        if is_empty and len(tried.wanted()["prefix"]) > self.tables["prefix"].size:
            tried.cuts = {iri: ("", iri) for iri in cuts}
        if any(len(w) > self.tables[kind].size for kind, w in tried.wanted().items()):
            assert not is_empty, "a statement needs more entries than the lookups have"
            return False
        batch.cuts, batch.datatypes = tried.cuts, tried.datatypes
        return True

    def flush(self) -> None:
        """Make a frame from the batch."""
        batch = self.batch
        rows = []
        if not self.frames or self.may_restate():
            if self.frames:
                self.restate()
            rows = [{"options": self.options}]
        columns = None
        if batch.rows or batch.namespaces or batch.lengths or self.rng.random() < 0.5:
            columns = self.columns()
        metadata = self.rng.choice([{}, {}, {"k": b"\x00\xff"}])
        self.frames.append(self.draft.Frame(rows=rows, columns=columns, metadata=metadata))
        self.batch = _Batch()
        while self.rng.random() < 0.05:
            self.frames.append(self.draft.Frame(columns=self.rng.choice([None, {}])))

    def may_restate(self) -> bool:
        """Return whether to repeat the options; in MESSAGES they end a message that has rows."""
        if self.rng.random() >= self.restates:
            return False
        batch = self.batch
        before = self.open_before()
        if not self.is_messages or before == 0:
            return True
        if batch.lengths[:1] == [0]:
            # The options end the message, so its length of 0 is not written.
            del batch.lengths[0]
            return True
        return False

    def open_before(self) -> int:
        """Return the number of rows in earlier frames that belong to an unfinished message."""
        count = 0
        for frame in self.frames:
            batch = frame.columns
            if frame.rows:
                count = 0
            if batch.message_lengths:
                count = batch.row_count - sum(batch.message_lengths)
            else:
                count += batch.row_count
        return count

    def restate(self) -> None:
        self.options = {
            **self.base_options,
            "stream_name": self.rng.choice(["", "again"]),
            "rdf_version": self.rng.choice(self.versions),
            "max_name_table_size": self.base_options["max_name_table_size"]
            + self.rng.randint(0, 3),
        }
        self.set_tables()

    def columns(self) -> dict[str, Any]:
        batch = self.batch
        columns: dict[str, Any] = {"row_count": len(batch.rows), "message_lengths": batch.lengths}
        for kind, wanted in batch.wanted().items():
            rows = self.tables[kind].provide(sorted(wanted))
            columns[_TABLES[kind]] = self.packed(rows)
        iris = _Iris(self, batch.cuts)
        columns["namespaces"] = [
            {"name": name, "value": iris.message(iri[1])} for _, name, iri, _ in batch.namespaces
        ]
        for number, name in enumerate(POSITIONS):
            if name == "graphs" and self.options["physical_type"] != QUADS:
                continue
            cells = [row[number] for row in batch.rows]
            if name == "graphs":
                cells = [None if graph == DEFAULT_GRAPH else graph for graph in cells]
            if any(cells) or self.chance("graphs"):
                columns[name] = self.column(cells)
        return columns

    def packed(self, rows: list[Any]) -> list[Any]:
        """Return the entries, with some consecutive ones joined."""
        entries: list[Any] = []
        for row in rows:
            if entries and row["id"] == 0 and self.chance("join"):
                entries[-1]["values"] += row["values"]
            else:
                entries.append(row)
        return entries

    def column(self, cells: list[Plain | None]) -> dict[str, Any]:
        values, layouts = self.runs(cells)
        of_kind: list[list[Any]] = [[], [], [], []]
        for value in values:
            of_kind[_KINDS[value[0]]].append(value)
        kinds = [_KINDS[value[0]] for value in values]
        column: dict[str, Any] = {"layouts": layouts, "bnodes": [v[1] for v in of_kind[BLANK_NODE]]}
        if len(set(kinds)) > 1 or self.chance("kinds"):
            bits = sum(kind << 2 * n for n, kind in enumerate(kinds))
            column["kinds"] = bits.to_bytes((len(kinds) + 3) // 4, "little")
        iris = _Iris(self, self.batch.cuts)
        ids = [iris.next(value[1]) for value in of_kind[IRI]]
        column["name_ids"] = [name_id for _, name_id in ids]
        column["prefix_ids"] = self.cut_short([prefix_id for prefix_id, _ in ids], self.zeros)
        column.update(self.literals(of_kind[LITERAL]))
        iris = _Iris(self, self.batch.cuts)
        column["triple_terms"] = [self.triple(value, iris) for value in of_kind[TRIPLE_TERM]]
        return column

    def runs(self, cells: list[Plain | None]) -> tuple[list[Plain], list[int]]:
        """Return the values and the layouts of a column."""
        values: list[Plain] = []
        layouts: list[int] = []
        skipped = 0
        groups = [(term, len(list(group))) for term, group in groupby(cells)]
        for number, (term, size) in enumerate(groups):
            if term is None and number + 1 == len(groups) and self.chance("cells"):
                # The producer may omit all or some of the empty cells at the end.
                size = self.rng.choice([0, self.rng.randint(0, size)])
            while size:
                part = size if self.chance("runs") else self.rng.randint(1, size)
                size -= part
                if term is not None:
                    values.append(term)
                if term is not None and part == 1:
                    skipped += 1
                    continue
                length = part - (1 if term is None else 2)
                layouts.append(skipped << 5 | (term is None) << 4 | min(length, 15))
                layouts += [length - 15] if length >= 15 else []
                skipped = 0
        return values, layouts

    def cut_short(
        self, numbers: list[int], spell: Callable[[list[int]], list[int]] = list
    ) -> list[int]:
        """Return a list of numbers in one of its forms: empty, one for all, or one for each."""
        if self.chance("short"):
            if not any(numbers):
                return self.rng.choice([[], [0]])
            if len(set(numbers)) == 1:
                return numbers[:1]
        return spell(numbers)

    def zeros(self, numbers: list[int]) -> list[int]:
        """Return `numbers`, with 0 for some that equal the previous number."""
        before = [0, *numbers]
        return [
            0 if number == last and self.chance("zero") else number
            for number, last in zip(numbers, before, strict=False)
        ]

    def literals(self, literals: list[Plain]) -> dict[str, Any]:
        tags: list[tuple[str, int]] = []
        kinds = []
        for _, _, language, *rest in literals:
            if language is None:
                kinds.append(max(2 * self.datatype(rest[0]) - 1, 0))
                continue
            tag = (language, DIRECTIONS.index(rest[1]) if len(rest) == 2 else 0)
            if tag not in tags or (self.chance("tag") and self.rng.random() < 0.1):
                tags.append(tag)
            kinds.append(2 * tags.index(tag) + 2)
        directions = [direction for _, direction in tags]
        if not any(directions) and self.chance("tag"):
            directions = []
        return {
            "lex_values": [literal[1] for literal in literals],
            "literal_kinds": self.cut_short(kinds),
            "langtags": [tag for tag, _ in tags],
            "langtag_directions": directions,
        }

    def datatype(self, datatype: str | None) -> int:
        """Return the id of a datatype, or 0 for none."""
        table = self.tables["datatype"]
        if datatype is None:
            ids = table.entries_of(XSD_STRING)
            return ids[0] if ids and self.chance("tag") else 0
        return table.find(datatype)

    def triple(self, term: Plain, iris: _Iris) -> dict[str, Any]:
        message: dict[str, Any] = {}
        for letter, part in zip("spo", term[1:], strict=True):
            kind = part[0]
            if kind == "iri":
                message[f"{letter}_iri"] = iris.message(part[1])
            elif kind == "bnode":
                message[f"{letter}_bnode"] = part[1]
            elif kind == "triple":
                message["o_triple_term"] = self.triple(part, iris)
            else:
                message["o_literal"] = self.full_literal(part)
        return message

    def full_literal(self, literal: Plain) -> dict[str, Any]:
        _, lex, language, *rest = literal
        if language is not None:
            direction = DIRECTIONS.index(rest[1]) if len(rest) == 2 else 0
            return {"lex": lex, "langtag": language, "direction": direction}
        number = self.datatype(rest[0])
        return {"lex": lex, "datatype": number} if number else {"lex": lex}


def _entry(value: str, number: int = 0) -> dict[str, Any]:
    return {"id": number, "values": [value]}


def frames(stream: Stream, rng: random.Random) -> list[Any]:
    """Return one or more frames (messages) with the content of `stream`."""
    producer = _Producer(stream, rng)
    producer.write(stream.operations)
    return producer.frames


def write_columns(stream: Stream, rng: random.Random) -> bytes:
    """Return `stream` as bytes; the same state of `rng` produces the same bytes.

    The stream is delimited; if it has only one frame, it may be bare.
    """
    messages = frames(stream, rng)
    single = len(messages) == 1 and rng.random() < 0.5
    return spelled(messages, rng, single=single, is_bare=is_bare)
