"""The shared part of the foreign producers: lookups and terms, with every choice they have.

Where a producer has a choice, this one decides at random: whether an id is a number or 0, the slots
and the order of entries, where an IRI is split, whether a term is repeated or written again, and
whether to write unneeded entries. The bytes are always legal.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.oracle import build, wire
from tests.oracle import schema as pb
from tests.oracle.terms import DEFAULT_GRAPH, Plain


def iris_of(term: Plain | None) -> Iterator[str]:
    """Yield the IRIs of a term in the order in which the producer writes them."""
    if term is not None and term[0] == "iri":
        yield term[1]
    elif term is not None and term[0] == "triple":
        for part in term[1:]:
            yield from iris_of(part)


def datatypes_of(term: Plain | None) -> Iterator[str]:
    if term is not None and term[0] == "literal" and term[3] is not None:
        yield term[3]
    elif term is not None and term[0] == "triple":
        for part in term[1:]:
            yield from datatypes_of(part)


def _terms(operation: Plain) -> list[Plain]:
    return [item for item in operation[1:] if isinstance(item, tuple)]


def needs(operations: list[Plain]) -> tuple[int, int]:
    """Return the largest numbers of names and of datatypes that a single row needs."""
    names = datatypes = 0
    for operation in operations:
        terms = _terms(operation)
        names = max(names, sum(1 for term in terms for _ in iris_of(term)))
        datatypes = max(datatypes, len({d for term in terms for d in datatypes_of(term)}))
    return names, datatypes


class ProducerLookup:
    """The producer's table of a lookup.

    Args:
        rng: The random generator.
        size: The largest number of entries.
        make_row: Makes the row of an entry from its value and its id, which may be 0.
    """

    def __init__(self, rng: random.Random, size: int, make_row: Any) -> None:
        self.rng = rng
        self.size = size
        self.make_row = make_row
        self.entries: dict[int, str] = {}
        self.last = 0

    def row(self, number: int, value: str) -> Any:
        self.entries[number] = value
        follows = number == self.last + 1
        self.last = number
        return self.make_row(value, 0 if follows and self.rng.random() < 0.7 else number)

    def provide(self, wanted: list[str]) -> list[Any]:
        """Return rows in random order that add all `wanted` entries to the table."""
        rng = self.rng
        wanted = list(dict.fromkeys(wanted))
        rng.shuffle(wanted)
        rows = []
        for value in [*wanted, None]:
            kept = {self.entries_of(w)[0] for w in wanted if self.entries_of(w)}
            free = [n for n in range(1, self.size + 1) if n not in kept]
            near = [n for n in free if n <= len(self.entries) + 3]
            missing = value is not None and not self.entries_of(value)
            if not free or not (missing or rng.random() < 0.05):
                assert not missing, "the row needs more entries than the table has"
                continue
            if self.last + 1 in free and rng.random() < 0.5:
                number = self.last + 1
            else:
                number = rng.choice(near if near and rng.random() < 0.9 else free)
            idle = rng.choice(["idle", "", "é"])
            rows.append(self.row(number, idle if value is None else value))
        return rows

    def entries_of(self, value: str) -> list[int]:
        return [number for number, entry in self.entries.items() if entry == value]

    def find(self, value: str) -> int:
        return self.rng.choice(self.entries_of(value))


def cut(rng: random.Random, iri: str) -> tuple[str, str]:
    """Return a prefix and a name that together form the IRI."""
    if rng.random() < 0.7:
        at = max(iri.rfind("#"), iri.rfind("/")) + 1
    else:
        at = rng.choice([0, len(iri), rng.randint(0, len(iri))])
    return iri[:at], iri[at:]


class TermProducer:
    """Makes rows for terms, and for the entries that the terms need.

    Args:
        rng: The random generator.
        options: Fields of the options row.
        rows: The module that builds the rows of entries.
    """

    def __init__(self, rng: random.Random, options: dict[str, Any], rows: Any) -> None:
        self.rng = rng
        self.names = ProducerLookup(rng, options["max_name_table_size"], rows.name)
        self.prefixes = ProducerLookup(rng, options["max_prefix_table_size"], rows.prefix)
        self.datatypes = ProducerLookup(rng, options["max_datatype_table_size"], rows.datatype)
        self.last: dict[str, Plain | None] = dict.fromkeys("spog")
        self.last_prefix_id = 0
        self.last_name_id = 0
        self.cuts: dict[str, tuple[str, str]] = {}

    def _unless_repeated(self, terms: Mapping[str, Plain | None]) -> dict[str, Plain]:
        """Return the terms to write, in order; an omitted position repeats its last term."""
        written: dict[str, Plain] = {}
        for position, term in terms.items():
            if term is None:
                continue
            if position in self.last:
                repeats = self.last[position] == term
                self.last[position] = term
                if repeats and self.rng.random() < 0.8:
                    continue
            written[position] = term
        return written

    def _entries(self, written: dict[str, Plain]) -> list[Any]:
        terms = [t for p, t in written.items() if p != "g" or t != DEFAULT_GRAPH]
        iris = [iri for term in terms for iri in iris_of(term)]
        datatypes = [datatype for term in terms for datatype in datatypes_of(term)]
        self.cuts = {iri: self._cut(iri) for iri in iris}
        prefixes = {prefix for prefix, _ in self.cuts.values()}
        if len(prefixes) > self.prefixes.size:
            self.cuts = {iri: ("", iri) for iri in iris}
            prefixes = {""}
        if prefixes == {""} and self.last_prefix_id == 0:
            # No IRI has had a prefix yet, so 0 means the empty prefix, which needs no entry.
            prefixes = set()
        return _riffle(
            self.rng,
            self.names.provide([name for _, name in self.cuts.values()]),
            self.prefixes.provide(sorted(prefixes)),
            self.datatypes.provide(datatypes),
        )

    def _cut(self, iri: str) -> tuple[str, str]:
        return cut(self.rng, iri) if self.prefixes.size else ("", iri)

    def _message(self, term: Plain) -> Any:
        kind = term[0]
        if kind == "iri":
            return self._iri(term[1])
        if kind == "bnode":
            return term[1]
        if kind == "literal":
            _, lex, language, datatype = term
            number = None if datatype is None else self.datatypes.find(datatype)
            return build.literal(lex, language, number)
        return build.triple(*map(self._message, term[1:]))

    def _iri(self, iri: str) -> Any:
        prefix, name = self.cuts[iri]
        lazy = self.rng.random() < 0.7
        last = self.prefixes.entries.get(self.last_prefix_id)
        if self.last_prefix_id == 0 and not self.prefixes.entries_of(prefix):
            assert prefix == ""
            prefix_id = 0
        elif last == prefix and lazy:
            prefix_id = 0
        else:
            prefix_id = self.last_prefix_id = self.prefixes.find(prefix)
        if self.names.entries.get(self.last_name_id + 1) == name and lazy:
            name_id = 0
            self.last_name_id += 1
        else:
            name_id = self.last_name_id = self.names.find(name)
        return build.iri(prefix_id, name_id)

    def _written(self, written: dict[str, Plain], position: str) -> Any:
        """Return the message of a position, or None if its term is not written."""
        if position not in written:
            return None
        if position == "g" and written["g"] == DEFAULT_GRAPH:
            return pb.RdfDefaultGraph()
        return self._message(written[position])


def _riffle(rng: random.Random, *sequences: list[Any]) -> list[Any]:
    """Return the items of the sequences in random order; each sequence keeps its own order."""
    order = [n for n, sequence in enumerate(sequences) for _ in sequence]
    rng.shuffle(order)
    iterators = [iter(sequence) for sequence in sequences]
    return [next(iterators[n]) for n in order]


def spelled(
    messages: list[Any],
    rng: random.Random,
    *,
    single: bool = False,
    is_bare: Callable[[bytes], bool] = wire.looks_bare,
) -> bytes:
    """Return frames as bytes, delimited or (``single``) bare, encoded in odd but legal ways.

    Args:
        messages: The frames.
        rng: The random generator.
        single: Write the only frame as a bare frame.
        is_bare: Returns whether bytes are a bare frame, as readers determine it.
    """
    for mess in (rng.choice([0.0, 0.02, 0.1, 0.3]), 0.0):
        parts = [wire.spell(message, rng, mess) for message in messages]
        if single:
            (data,) = parts
        else:
            size = rng.choice([0, 0, 5])
            data = b"".join(wire.varint(len(part), size if mess else 0) + part for part in parts)
        if is_bare(data) == single:
            return data
    raise AssertionError("a plain stream must be told from a bare frame")
