"""Checks that a producer wastes no bytes."""

from typing import Any

from tests.oracle.terms import Plain


class Economy:
    """Checks row by row that zero ids and repeated terms are used wherever possible.

    Args:
        is_tight: Whether a row may need more prefixes than the lookup has entries. The writer
            notices that only while it writes, so it may leave unused entries.
    """

    def __init__(self, is_tight: bool) -> None:
        self.is_tight = is_tight
        self.last_entry = dict.fromkeys(("name", "prefix", "datatype"), 0)
        self.tables: dict[str, dict[int, str]] = {kind: {} for kind in self.last_entry}
        self.unused: dict[str, set[int]] = {kind: set() for kind in self.last_entry}
        self.last_prefix = self.last_name = 0
        self.last: dict[str, Plain | None] = dict.fromkeys("spog")

    def check(self, row: Any, written: Plain | None) -> None:
        """Check a row; ``written`` is the operation that the reference decoder reads from it."""
        kind = row.WhichOneof("row")
        content = getattr(row, kind)
        if kind in self.last_entry:
            self.entry(kind, content)
            return
        if kind in ("options", "graph_end"):
            return
        self.terms(content)
        for name, idle in self.unused.items():
            assert not idle or self.is_tight, f"{name} entries {idle} are not used by their row"
        if written is not None and written[0] in ("A", "D", "PA", "PD"):
            terms = written[1:] if written[0] in ("A", "D") else (None, None, None, written[3])
            for position, oneof, term in zip(
                "spog", ("subject", "predicate", "object", "graph"), terms, strict=True
            ):
                if oneof in content.DESCRIPTOR.oneofs_by_name:
                    self.repeat(position, content.WhichOneof(oneof), term)

    def repeat(self, position: str, field: str | None, term: Plain | None) -> None:
        if term is None:
            return
        if term == self.last[position]:
            assert field is None, f"{position} repeats {term}, but is written again"
        self.last[position] = term

    def entry(self, kind: str, entry: Any) -> None:
        follows = self.last_entry[kind] + 1
        assert entry.id != follows, f"{kind} entry {follows} follows the last one: its id is 0"
        number = entry.id or follows
        self.last_entry[kind] = number
        table = self.tables[kind]
        assert entry.value not in table.values(), f"{kind} {entry.value!r} is in the table already"
        assert number in table or number == len(table) + 1, "a slot is left empty"
        table[number] = entry.value
        self.unused[kind].add(number)

    def terms(self, message: Any) -> None:
        for field, value in message.ListFields():
            if field.message_type is None:
                continue
            if field.message_type.name == "RdfIri":
                self.iri(value)
            elif field.message_type.name == "RdfLiteral":
                self.unused["datatype"].discard(value.datatype)
            else:
                self.terms(value)

    def iri(self, iri: Any) -> None:
        assert iri.prefix_id == 0 or iri.prefix_id != self.last_prefix, "prefix_id repeats"
        self.last_prefix = iri.prefix_id or self.last_prefix
        assert iri.name_id != self.last_name + 1, "name_id follows the last one"
        self.last_name = iri.name_id or self.last_name + 1
        self.unused["name"].discard(self.last_name)
        self.unused["prefix"].discard(self.last_prefix)
