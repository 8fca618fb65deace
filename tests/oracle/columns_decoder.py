"""The reference decoder of the Jelly-RDF 1.2 draft: columns to statements, rule by rule.

It reads both versions of the draft, and refuses what the schema or Jelly-JVM refuses. It first
makes all values of a column one by one, and then all cells of the column.
"""

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError

from tests.oracle.columns_schema import (
    DIRECTIONS,
    EARLIER,
    FLAT,
    LATER,
    MAX_ROWS,
    MESSAGES,
    QUADS,
    RDF_1_1,
    RDF_1_2,
    RDF_1_2_BASIC,
    TRIPLES,
    UNSPECIFIED,
    VERSION,
    Draft,
)
from tests.oracle.rdf_decoder import Frame
from tests.oracle.reference import LANGUAGE_TAG, Doubt, Lookup, RuleError, parse_as
from tests.oracle.terms import DEFAULT_GRAPH, XSD_STRING, Plain
from tests.oracle.wire import WireError, looks_bare, split

LIMITS = {"name": 4096, "prefix": 1024, "datatype": 256}
"""The largest lookups that the decoder reads: those of `jelly_rdflib.Limits`."""

MOST_ROWS = 1 << 17
"""The largest number of rows in a batch that this decoder can read in reasonable time."""

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LANGUAGE_DATATYPES = (_RDF + "langString", _RDF + "dirLangString")

IRI, LITERAL, BLANK_NODE, TRIPLE_TERM = range(4)
"""The kinds of values in a column."""

POSITIONS = {
    "subjects": (IRI, BLANK_NODE),
    "predicates": (IRI,),
    "objects": (IRI, LITERAL, BLANK_NODE, TRIPLE_TERM),
    "graphs": (IRI, BLANK_NODE),
}
"""The term kinds that each column allows."""


class _Iris:
    """Reads IRIs, whose ids may depend on the previous ids."""

    def __init__(self, lookups: dict[str, Lookup]) -> None:
        self.lookups = lookups
        self.prefix_id = 0
        self.name_id = 0

    def next(self, prefix_id: int, name_id: int) -> Plain:
        self.prefix_id = prefix_id or self.prefix_id
        self.name_id = name_id or self.name_id + 1
        prefix = self.lookups["prefix"].get(self.prefix_id) if self.prefix_id else ""
        return ("iri", prefix + self.lookups["name"].get(self.name_id))


class Reference:
    """A decoder of one stream.

    Attributes:
        draft: The draft of the stream, or None before the options.
        options: The last options, or None before them.
    """

    def __init__(self) -> None:
        self.draft: Draft | None = None
        self.options: Any = None
        self.lookups: dict[str, Lookup] = {}
        # The number of rows in the unfinished message.
        self.open_rows = 0
        self.frames = 0

    def frame(self, data: bytes) -> Frame:
        """Return the operations of the frame `data`, which has no length prefix.

        The operations are ``("A", s, p, o, g or None)``, ``("PA", name, iri, None)``, and
        ``("END",)`` where a message ends.
        """
        try:
            return self._frame(data)
        except RuleError as error:
            error.frame = self.frames
            raise
        finally:
            self.frames += 1

    def _frame(self, data: bytes) -> Frame:
        draft = self.draft or _find_draft(data)
        frame = parse_as(draft.Frame, data)
        operations: list[Plain] = []
        for number, row in enumerate(frame.rows):
            kind = row.WhichOneof("row")
            if kind is None:
                raise RuleError("row of no known kind", "row-kinds")
            if kind != "options":
                rule = "options-first" if self.options is None else "mixed-layouts"
                raise RuleError(f"row of {kind}", rule)
            if number > 0:
                raise RuleError("options twice in a frame", "options-twice")
            operations += self._end_if_open()
            self._set_options(row.options, frame)
            self.draft = draft
        if frame.HasField("columns"):
            if self.options is None:
                raise RuleError("columns before the options", "options-first")
            operations += self._batch(frame.columns)
        return Frame(operations, dict(frame.metadata))

    def finish(self) -> list[Plain]:
        """Return the operations that the end of the input adds."""
        if self.options is None:
            raise RuleError("no options row", "options-first")
        return self._end_if_open()

    def _end_if_open(self) -> list[Plain]:
        is_open = self.open_rows > 0 and self.options.stream_type == MESSAGES
        self.open_rows = 0
        return [("END",)] if is_open else []

    def _set_options(self, options: Any, frame: Any) -> None:
        if self.options is None and options.version in (1, 2):
            _refuse_columns_of_rows(options, frame)
        for field in ("version", "physical_type", "stream_type"):
            if self.options and getattr(options, field) != getattr(self.options, field):
                raise RuleError(f"{field} changed", "options-same")
        if options.version != VERSION:
            raise RuleError(f"version {options.version}", "version-tag")
        if options.physical_type not in (TRIPLES, QUADS):
            raise RuleError("physical type", "physical-type")
        if options.stream_type not in (FLAT, MESSAGES):
            raise RuleError("stream type", "stream-type")
        if options.rdf_version not in (UNSPECIFIED, RDF_1_1, RDF_1_2_BASIC, RDF_1_2):
            raise RuleError("RDF version", "rdf-version")
        for field in ("generalized_statements", "rdf_star", "logical_type"):
            if getattr(options, field):
                raise RuleError(f"{field} in a stream of columns", "column-options")
        if options.max_name_table_size < 128:
            raise RuleError("name lookup of less than 128", "name-lookup-size")
        for kind, most in LIMITS.items():
            size = getattr(options, f"max_{kind}_table_size")
            if size > most:
                raise RuleError(f"{kind} lookup of {size}", "limit")
            self.lookups[kind] = Lookup(size)
        self.options = options

    def _batch(self, batch: Any) -> list[Plain]:
        count = batch.row_count
        if count > MAX_ROWS:
            raise RuleError(f"{count} rows", "row-count")
        if batch.message_lengths and self.options.stream_type == FLAT:
            raise RuleError("messages in a FLAT stream", "message-lengths")
        if sum(batch.message_lengths) > count:
            raise RuleError("messages of more rows than the batch has", "message-lengths")
        if count > MOST_ROWS:
            raise Doubt(f"{count} rows are too many to try")
        for kind, entries in (
            ("name", batch.names),
            ("prefix", batch.prefixes),
            ("datatype", batch.datatypes),
        ):
            for entry in entries:
                self._define(kind, entry)
        operations = self._namespaces(batch.namespaces)
        if self.options.physical_type == TRIPLES and batch.HasField("graphs"):
            raise RuleError("graphs in a stream of TRIPLES", "row-type")
        cells = {name: self._column(getattr(batch, name), name, count) for name in POSITIONS}
        if self.options.physical_type == TRIPLES:
            graphs: list[Plain | None] = [None] * count
        else:
            graphs = [DEFAULT_GRAPH if graph is None else graph for graph in cells["graphs"]]
        triples = zip(cells["subjects"], cells["predicates"], cells["objects"], strict=True)
        rows = [("A", *triple, graph) for triple, graph in zip(triples, graphs, strict=True)]
        at = 0
        for length in batch.message_lengths:
            operations += [*rows[at : at + length], ("END",)]
            at += length
        operations += rows[at:]
        self.open_rows = count - at + (0 if batch.message_lengths else self.open_rows)
        return operations

    def _define(self, kind: str, entry: Any) -> None:
        number = entry.id
        for value in entry.values:
            if kind == "datatype" and value in LANGUAGE_DATATYPES:
                raise RuleError(f"{value} in the datatype lookup", "language-datatype")
            self.lookups[kind].define(number, value)
            number = 0

    def _namespaces(self, namespaces: Any) -> list[Plain]:
        iris = _Iris(self.lookups)
        operations: list[Plain] = []
        for namespace in namespaces:
            if not namespace.HasField("value"):
                raise RuleError("namespace without a value", "namespace-value")
            iri = iris.next(namespace.value.prefix_id, namespace.value.name_id)
            operations.append(("PA", namespace.name, iri, None))
        return operations

    def _column(self, column: Any, position: str, count: int) -> list[Plain | None]:
        """Return the cells of a column; an empty cell is None."""
        values = self._values(column, position)
        cells: list[Plain | None] = []
        at = 0
        layouts = iter(column.layouts)
        for token in layouts:
            skip, is_unbound, length = token >> 5, token >> 4 & 1, token & 15
            if length == 15:
                more = next(layouts, None)
                if more is None:
                    raise RuleError("no length behind a code of 15", "column-layout")
                length += more
            length += 1 if is_unbound else 2
            if skip > len(values) - at:
                raise RuleError(f"a code of {skip} values, but fewer are left", "column-layout")
            if len(cells) + skip + length > count:
                raise RuleError("more cells than rows", "column-layout")
            cells += values[at : at + skip]
            at += skip
            if is_unbound:
                cells += [None] * length
            elif at == len(values):
                raise RuleError("no value to repeat", "column-layout")
            else:
                cells += [values[at]] * length
                at += 1
        if len(cells) + len(values) - at > count:
            raise RuleError("values behind the last row", "column-values")
        cells += values[at:]
        cells += [None] * (count - len(cells))
        if None in cells and position != "graphs":
            raise RuleError(f"a cell of {position} without a value", "column-unbound")
        return cells

    def _values(self, column: Any, position: str) -> list[Plain]:
        lists = {
            IRI: self._iris(column),
            LITERAL: self._literals(column),
            BLANK_NODE: (("bnode", label) for label in column.bnodes),
            TRIPLE_TERM: self._triple_terms(column),
        }
        counts = {
            IRI: len(column.name_ids),
            LITERAL: len(column.lex_values),
            BLANK_NODE: len(column.bnodes),
            TRIPLE_TERM: len(column.triple_terms),
        }
        present = [kind for kind in counts if counts[kind]]
        if not set(present) <= set(POSITIONS[position]):
            raise RuleError(f"a term that is none for {position}", "column-position")
        total = sum(counts.values())
        if column.kinds:
            if len(column.kinds) != (total + 3) // 4:
                raise RuleError(f"{len(column.kinds)} bytes of kinds", "column-kinds")
            bits = int.from_bytes(column.kinds, "little")
            if bits >> 2 * total:
                raise RuleError("spare bits of kinds", "column-kinds")
            kinds = [bits >> 2 * n & 3 for n in range(total)]
            if any(kinds.count(kind) != counts[kind] for kind in counts):
                raise RuleError("kinds of other values", "column-kinds")
        elif len(present) > 1:
            raise RuleError("values of several kinds without kinds", "column-kinds")
        else:
            kinds = present * total
        for name, size in (("prefix_ids", counts[IRI]), ("literal_kinds", counts[LITERAL])):
            if len(getattr(column, name)) not in (0, 1, size):
                raise RuleError(f"{len(getattr(column, name))} {name}", "column-lists")
        if len(column.langtag_directions) not in (0, len(column.langtags)):
            raise RuleError("langtag_directions", "column-lists")
        if not all(LANGUAGE_TAG.fullmatch(tag) for tag in column.langtags):
            raise RuleError("no language tag", "format")
        for direction in column.langtag_directions:
            self._direction(direction)
        return [next(lists[kind]) for kind in kinds]

    def _iris(self, column: Any) -> Iterator[Plain]:
        iris = _Iris(self.lookups)
        for prefix_id, name_id in zip(
            _for_each(column.prefix_ids, len(column.name_ids)), column.name_ids, strict=True
        ):
            yield iris.next(prefix_id, name_id)

    def _literals(self, column: Any) -> Iterator[Plain]:
        directions = _for_each(column.langtag_directions, len(column.langtags))
        for kind, lex in zip(
            _for_each(column.literal_kinds, len(column.lex_values)), column.lex_values, strict=True
        ):
            if kind == 0:
                yield ("literal", lex, None, None)
            elif kind % 2:
                yield self._typed(lex, (kind + 1) // 2)
            else:
                number = kind // 2 - 1
                if number >= len(column.langtags):
                    raise RuleError(f"language tag {number}", "language-tag-index")
                yield self._tagged(lex, column.langtags[number], directions[number])

    def _typed(self, lex: str, number: int) -> Plain:
        datatype = self.lookups["datatype"].get(number)
        return ("literal", lex, None, None if datatype == XSD_STRING else datatype)

    def _tagged(self, lex: str, language: str, number: int) -> Plain:
        if not LANGUAGE_TAG.fullmatch(language):
            raise RuleError("no language tag", "format")
        direction = self._direction(number)
        return ("literal", lex, language, None, *([direction] if direction else []))

    def _direction(self, number: int) -> str:
        if not 0 <= number < len(DIRECTIONS):
            raise RuleError(f"direction {number}", "direction")
        if number and self.options.rdf_version == RDF_1_1:
            raise RuleError("a direction in a stream of RDF 1.1", "rdf-version-terms")
        return DIRECTIONS[number]

    def _triple_terms(self, column: Any) -> Iterator[Plain]:
        iris = _Iris(self.lookups)
        for term in column.triple_terms:
            if self.options.rdf_version not in (UNSPECIFIED, RDF_1_2):
                raise RuleError("a triple term before RDF 1.2", "rdf-version-terms")
            yield self._triple_term(term, iris)

    def _triple_term(self, term: Any, iris: _Iris) -> Plain:
        fields = (
            term.WhichOneof("subject"),
            "p_iri" if term.HasField("p_iri") else None,
            term.WhichOneof("object"),
        )
        parts: list[Plain] = []
        for field in fields:
            if field is None:
                raise RuleError("a triple term without a term", "quoted-repeated-term")
            value = getattr(term, field)
            kind = field[2:]
            if kind == "iri":
                parts.append(iris.next(value.prefix_id, value.name_id))
            elif kind == "bnode":
                parts.append(("bnode", value))
            elif kind == "literal":
                parts.append(self._full_literal(value))
            else:
                parts.append(self._triple_term(value, iris))
        return ("triple", *parts)

    def _full_literal(self, literal: Any) -> Plain:
        kind = literal.WhichOneof("literalKind")
        if kind == "langtag":
            return self._tagged(literal.lex, literal.langtag, literal.direction)
        if literal.direction:
            raise RuleError("a direction without a language", "direction")
        if kind is None:
            return ("literal", literal.lex, None, None)
        if literal.datatype == 0:
            raise RuleError("datatype 0", "datatype-id")
        return self._typed(literal.lex, literal.datatype)


def _for_each(numbers: Any, count: int) -> list[int]:
    """Return a number for each of `count` values; the list may be empty, or have one for all."""
    return list(numbers) if len(numbers) == count else list(numbers or [0]) * count


def _find_draft(data: bytes) -> Draft:
    """Return the draft of the options in a frame, or the later draft if the frame has none."""
    try:
        rows = LATER.Frame.FromString(data).rows
    except ProtobufError:
        # Both drafts refuse the data, so the choice does not matter.
        return LATER
    if rows and rows[0].options.version == VERSION:
        options = rows[0].options
        if not options.physical_type and options.stream_type:
            return EARLIER
    return LATER


def _refuse_columns_of_rows(options: Any, frame: Any) -> None:
    """Refuse what a stream of rows must not contain; this decoder does not decode such a stream."""
    if options.stream_type or options.rdf_version:
        raise RuleError("options of columns in a stream of rows", "column-options")
    if frame.HasField("columns"):
        raise RuleError("columns in a stream of rows", "mixed-layouts")
    raise Doubt("this is a stream of rows")


def is_bare(data: bytes) -> bool:
    """Return whether `data` is a bare frame, not a delimited stream.

    A frame that starts with its columns is bare if all of `data` is one frame with options of this
    version.
    """
    if data[:1] != b"\x12":
        return looks_bare(data)
    try:
        rows = parse_as(LATER.Frame, data).rows
    except (RuleError, Doubt):
        return False
    return any(row.options.version == VERSION for row in rows)


def read(data: bytes, *, with_end: bool = True) -> list[Frame]:
    """Return the frames of `data`, delimited or bare.

    With `with_end`, the last frame also includes the operations that the end of the input adds.

    Raises:
        RuleError: The input breaks a rule.
        Doubt: Readers differ about the input.
    """
    try:
        parts = [data] if is_bare(data) else split(data)
    except WireError as error:
        raise RuleError(str(error)) from error
    reference = Reference()
    result = [reference.frame(part) for part in parts]
    # The input has at least one frame, since an input without frames has no options.
    end = reference.finish()
    if with_end:
        result[-1].operations.extend(end)
    return result


def messages(frames: list[Frame]) -> list[list[Plain]]:
    """Return the statements of each message of a stream, without namespaces."""
    result: list[list[Plain]] = [[]]
    for frame in frames:
        for operation in frame.operations:
            if operation == ("END",):
                result.append([])
            elif operation[0] == "A":
                result[-1].append(operation[1:])
    return result if result[-1] else result[:-1]
