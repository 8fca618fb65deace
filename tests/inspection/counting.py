"""Counts the parts of a stream in its protobuf messages, as an oracle for `inspect`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

LOOKUPS = ("name", "prefix", "datatype")
ONEOFS = ("subject", "predicate", "object", "graph")


class Counts:
    """Counts of a stream.

    Args:
        sizes: The sizes of the lookups of names, prefixes and datatypes.
        has_graphs: Whether graphs in an RdfQuad and an RdfPatchNamespace have a meaning.
    """

    def __init__(self, sizes: tuple[int, int, int], *, has_graphs: bool) -> None:
        self.has_graphs = has_graphs
        self.rows: Counter[str] = Counter()
        self.terms: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.metadata = 0
        self.sizes = dict(zip(LOOKUPS, sizes, strict=True))
        self.entries: Counter[str] = Counter()
        self.replaced: Counter[str] = Counter()
        self.references: Counter[str] = Counter()
        self.text_size: Counter[str] = Counter()
        self.last: Counter[str] = Counter()
        # For each lookup and id: whether the entry was used.
        self.slots: dict[str, dict[int, bool]] = {kind: {} for kind in LOOKUPS}
        # For each lookup: the number of entries that were replaced before they were used.
        self.wasted: Counter[str] = Counter()
        self.last_name = self.last_prefix = 0

    def lookup(self, kind: str) -> dict[str, int]:
        """Return the counts of a lookup, as a `LookupReport` names them."""
        slots = self.slots[kind]
        return {
            "size": self.sizes[kind],
            "entries": self.entries[kind],
            "replaced": self.replaced[kind],
            "unused": self.wasted[kind] + list(slots.values()).count(False),
            "highest_id": max(slots, default=0),
            "references": self.references[kind],
            "text_size": self.text_size[kind],
        }

    def frame(self, frame: Any) -> None:
        for row in frame.rows:
            kind = row.WhichOneof("row")
            if kind is not None:
                self.rows[kind] += 1
                self.row(kind, getattr(row, kind))
        self.metadata += len(getattr(frame, "metadata", ()))

    def row(self, kind: str, content: Any) -> None:
        if kind in LOOKUPS:
            self.entry(kind, content)
        elif kind in ("statement_add", "statement_delete", "quad"):
            self.statement(content, ONEOFS if self.has_graphs else ONEOFS[:3])
        elif kind == "triple":
            self.statement(content, ONEOFS[:3])
        elif kind == "graph_start":
            self.term(content, "graph")
        elif kind == "header":
            self.term(content, "value")
        elif kind in ("namespace_add", "namespace_delete", "namespace"):
            if content.HasField("value"):
                self.terms["iri"] += 1
                self.iri(content.value)
            if kind != "namespace" and self.has_graphs:
                self.statement(content, ("graph",))
            elif kind != "namespace" and content.WhichOneof("graph") == "g_iri":
                # This graph is ignored, but ids of 0 in the next IRI refer to the ids of this one.
                self.term(content, "graph")

    def entry(self, kind: str, entry: Any) -> None:
        number = entry.id or self.last[kind] + 1
        slots = self.slots[kind]
        self.last[kind] = number
        self.entries[kind] += 1
        self.replaced[kind] += number in slots
        self.wasted[kind] += slots.get(number) is False
        self.text_size[kind] += len(entry.value.encode())
        slots[number] = False

    def statement(self, message: Any, oneofs: Iterable[str]) -> None:
        for oneof in oneofs:
            if message.WhichOneof(oneof) is None:
                self.repeated[oneof[0]] += 1
            else:
                self.term(message, oneof)

    def term(self, message: Any, oneof: str) -> None:
        member = message.WhichOneof(oneof)
        content = getattr(message, member)
        kind = member.split("_", 1)[1]
        if kind == "iri":
            self.terms["iri"] += 1
            self.iri(content)
        elif kind == "bnode":
            self.terms["blank_node"] += 1
        elif kind == "default_graph":
            self.terms["default_graph"] += 1
        elif kind == "literal":
            which = content.WhichOneof("literalKind")
            names = {None: "simple", "langtag": "language", "datatype": "typed"}
            self.terms[f"{names[which]}_literal"] += 1
            if which == "datatype":
                self.refer("datatype", content.datatype)
        else:
            assert kind == "triple_term"
            self.terms["triple_term"] += 1
            for inner in ONEOFS[:3]:
                self.term(content, inner)

    def iri(self, iri: Any) -> None:
        self.last_name = iri.name_id or self.last_name + 1
        self.last_prefix = iri.prefix_id or self.last_prefix
        self.refer("name", self.last_name)
        if self.last_prefix:
            self.refer("prefix", self.last_prefix)

    def refer(self, kind: str, number: int) -> None:
        self.references[kind] += 1
        self.slots[kind][number] = True


def count(messages: Iterable[Any], options: dict[str, Any], *, has_graphs: bool) -> Counts:
    """Count the parts of frames.

    Args:
        messages: The frames.
        options: Fields of the options row.
        has_graphs: As for `Counts`.
    """
    names, prefixes, datatypes = (options[f"max_{kind}_table_size"] for kind in LOOKUPS)
    counts = Counts((names, prefixes, datatypes), has_graphs=has_graphs)
    for message in messages:
        counts.frame(message)
    return counts
