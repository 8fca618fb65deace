"""Streams of Jelly-RDF 1.2 with one fault each, which the schema or Jelly-JVM refuses.

Each stream has one or a few statements. `build_stream` builds the stream, and a change makes it
invalid.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracle.build import delimited
from tests.oracle.columns_decoder import LANGUAGE_DATATYPES, LIMITS
from tests.oracle.columns_producer import options
from tests.oracle.columns_schema import (
    EARLIER,
    LATER,
    MAX_ROWS,
    MESSAGES,
    QUADS,
    RDF_1_1,
    RDF_1_2_BASIC,
    Draft,
)
from tests.oracle.wire import LEN, read_varint

_MOST = (1 << 32) - 1
_IRI = {"name_id": 1}
_TERM = {"s_bnode": "s", "p_iri": _IRI, "o_bnode": "o"}
_TAGGED = {"lex_values": ["x"], "literal_kinds": [2], "langtags": ["ar"]}
_DIRECTED = {**_TAGGED, "langtag_directions": [2]}


@dataclass(frozen=True)
class Fault:
    """A stream that is refused.

    Attributes:
        name: The name of the fault.
        rule: The rule that the stream breaks.
        data: The stream, delimited.
        frame: The number of the frame with the fault.
        place: The bytes of the stream with the fault: a field with its tag, or the
            whole column, options row or batch if the fault is not in a single field.
    """

    name: str
    rule: str
    data: bytes
    frame: int
    place: range


def build_options(**changes: Any) -> dict[str, Any]:
    """Return a row with options: TRIPLES, FLAT and small lookups, then ``changes``."""
    return {"options": options(**changes)}


def build_batch(**changes: Any) -> dict[str, Any]:
    """Return a batch of ``_:s <urn:p> _:o`` with ``changes``; None removes a field."""
    fields = {
        "row_count": 1,
        "names": [{"values": ["urn:p", "urn:q"]}],
        "subjects": {"bnodes": ["s"]},
        "predicates": {"name_ids": [1]},
        "objects": {"bnodes": ["o"]},
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def build_stream(draft: Draft, frames: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a delimited stream of `frames`, which are given as fields."""
    return delimited(draft.Frame(**frame).SerializeToString() for frame in frames)


def find_field(draft: Draft, data: bytes, frame: int, path: str) -> range:
    """Return the byte range of a field in a frame, or of its last occurrence if it is repeated.

    Args:
        draft: The draft of the stream.
        data: The stream; none of its fields has a fixed size.
        frame: The number of the frame.
        path: The names of the enclosing messages and of the field: "columns.subjects.layouts".
    """
    at = end = 0
    for _ in range(frame + 1):
        size, at = read_varint(data, end)
        end = at + size
    descriptor = draft.Frame.DESCRIPTOR
    start = at
    for name in path.split("."):
        wanted = descriptor.fields_by_name[name]
        found = None
        while at < end:
            tag_at = at
            key, at = read_varint(data, at)
            size, after = read_varint(data, at)
            content = after if key & 7 == LEN else at
            at = after + size if key & 7 == LEN else after
            if key >> 3 == wanted.number:
                found = (tag_at, content, at)
        assert found is not None, f"{path} is not there"
        start, at, end = found
        descriptor = wanted.message_type
    return range(start, end)


def _options_faults() -> Iterable[tuple[Any, ...]]:
    """Yield faults of the first options: their name, rule, field and changes."""
    for field in ("generalized_statements", "rdf_star"):
        yield field, "column-options", {field: True}
    yield "logical-type", "column-options", {"logical_type": 1}
    yield "physical-type-graphs", "physical-type", {"physical_type": 3}
    yield "physical-type-missing", "physical-type", {"physical_type": 0}
    yield "stream-type-unknown", "stream-type", {"stream_type": 2}
    yield "rdf-version-unknown", "rdf-version", {"rdf_version": 4}
    for size in (0, 8, 127):
        yield f"name-lookup-of-{size}", "name-lookup-size", {"max_name_table_size": size}
    for kind, size in LIMITS.items():
        yield f"{kind}-lookup-too-large", "limit", {f"max_{kind}_table_size": size + 1}
    for version in (0, 4, 9999):
        yield f"version-{version}", "version-tag", {"version": version}


def _batch_faults() -> Iterable[tuple[Any, ...]]:
    """Yield faults of the first batch: name, rule, path, changes to the batch and options."""
    for count in (MAX_ROWS + 1, _MOST):
        yield f"row-count-{count}", "row-count", "row_count", {"row_count": count}
    yield from _layout_faults()
    yield from _position_faults()
    yield from _list_faults()
    yield from _literal_faults()
    yield from _triple_term_faults()
    yield from _lookup_faults()
    quads = {"physical_type": QUADS}
    messages = {"stream_type": MESSAGES}
    yield "graphs-in-triples", "row-type", "graphs", {"graphs": {"bnodes": ["g"]}}
    yield "empty-graphs-in-triples", "row-type", "graphs", {"graphs": {}}
    yield "graphs-left-over", "column-values", "graphs", {"graphs": {"bnodes": ["g", "h"]}}, quads
    for lengths in ([1], [0]):
        name = f"message-of-{lengths[0]}-in-flat"
        yield name, "message-lengths", "message_lengths", {"message_lengths": lengths}
    for name, lengths in (("long", [2]), ("sum-long", [1, 1]), ("sum-beyond-32-bits", [_MOST, 2])):
        changes = {"message_lengths": lengths}
        yield f"message-{name}", "message-lengths", "message_lengths", changes, messages
    namespace = {"namespaces": [{"name": "ex"}]}
    yield "namespace-without-iri", "namespace-value", "namespaces", namespace


def _layout_faults() -> Iterable[tuple[Any, ...]]:
    def fault(name: str, count: int, layouts: list[int], labels: str = "s") -> tuple[Any, ...]:
        column = {"layouts": layouts, "bnodes": list(labels)}
        objects = {"layouts": [15, count - 17] if count > 16 else [count - 2], "bnodes": ["o"]}
        predicates = {"layouts": objects["layouts"], "name_ids": [1]}
        changes = {"row_count": count, "predicates": predicates, "objects": objects}
        path, rule = "subjects.layouts", "column-layout"
        return f"layout-{name}", rule, path, {"subjects": column, **changes}

    yield fault("skip-beyond-values", 9, [2 << 5])
    yield fault("skip-as-far-as-it-goes", 9, [_MOST & ~31])
    yield fault("repeat-beyond-values", 3, [1 << 5])
    yield fault("repeat-without-values", 2, [0], "")
    yield fault("length-missing", 17, [15])
    yield fault("second-length-missing", 40, [15, 0, 15], "st")
    yield fault("run-beyond-rows", 4, [3])
    yield fault("run-far-beyond-rows", 4, [15, _MOST])
    yield fault("second-run-beyond-rows", 4, [1, 0], "st")
    yield fault("skip-and-run-beyond-rows", 3, [2 << 5], "stu")
    column = {"layouts": [16 + 1]}
    quads = {"physical_type": QUADS}
    yield "layout-cells-beyond-rows", "column-layout", "graphs.layouts", {"graphs": column}, quads
    none = {"row_count": None, "predicates": None, "objects": None}
    changes = {**none, "subjects": {"layouts": [0], "bnodes": ["s"]}}
    yield "layout-without-rows", "column-layout", "subjects.layouts", changes
    for position, values in (("subjects", {"bnodes": ["s"]}), ("predicates", {"name_ids": [1]})):
        alone = {**none, "subjects": None, position: values}
        yield f"{position}-without-rows", "column-values", position, alone


def _position_faults() -> Iterable[tuple[Any, ...]]:
    for column in ("subjects", "predicates", "objects"):
        yield f"{column}-missing", "column-unbound", "", {column: None}
        yield f"{column}-empty", "column-unbound", column, {column: {}}
        value = {"name_ids": [1]}
        two = {name: {"name_ids": [1, 1]} for name in ("subjects", "predicates", "objects")}
        short = {**two, "row_count": 2, column: value}
        yield f"{column}-short", "column-unbound", column, short
        for place, layouts in (("first", [16]), ("last", [(1 << 5) + 16])):
            cells = {**short, column: {**value, "layouts": layouts}}
            yield f"{column}-without-{place}-cell", "column-unbound", column, cells
        yield f"{column}-left-over", "column-values", column, {column: {"name_ids": [1, 1]}}
    terms: dict[str, Any] = {
        "literal": {"lex_values": ["x"]},
        "triple-term": {"triple_terms": [_TERM]},
        "blank-node": {"bnodes": ["x"]},
    }
    quads = {"physical_type": QUADS}
    for column in ("subjects", "predicates", "graphs"):
        for kind, value in terms.items():
            if kind != "blank-node" or column == "predicates":
                name = f"{kind}-in-{column}"
                yield name, "column-position", column, {column: value}, quads


def _list_faults() -> Iterable[tuple[Any, ...]]:
    mixed: dict[str, Any] = {"bnodes": ["o"], "lex_values": ["x"]}
    two: dict[str, Any] = {"subjects": {"bnodes": ["s"], "layouts": [0]}, "row_count": 2}
    two["predicates"] = {"name_ids": [1], "layouts": [0]}
    for name, kinds in (
        ("missing", b""),
        ("too-long", b"\x06\x00"),
        ("spare-bits", b"\x16"),
        ("of-others", b"\x0a"),
        ("of-others-in-number", b"\x05"),
    ):
        yield (
            f"kinds-{name}",
            "column-kinds",
            "objects",
            {**two, "objects": {**mixed, "kinds": kinds}},
        )
    five = {"bnodes": ["o"] * 4, "lex_values": ["x"], "kinds": b"\xaa"}
    many: dict[str, Any] = {"subjects": {"bnodes": ["s"], "layouts": [3]}, "row_count": 5}
    many["predicates"] = {"name_ids": [1], "layouts": [3]}
    yield "kinds-too-short", "column-kinds", "objects", {**many, "objects": five}
    alike = {"objects": {"bnodes": ["o"], "kinds": b"\x00"}}
    yield "kinds-of-others-all-alike", "column-kinds", "objects.kinds", alike
    yield "kinds-without-values", "column-kinds", "objects.kinds", {"objects": {"kinds": b"\x00"}}

    five_iris: dict[str, Any] = {"objects": {"name_ids": [1] * 5}, "prefixes": [{"values": ["a"]}]}
    five_texts: dict[str, Any] = {"objects": {"lex_values": ["x"] * 5, "langtags": ["en", "de"]}}
    for name, values, numbers in (
        ("prefix_ids", five_iris, [1]),
        ("literal_kinds", five_texts, [2]),
    ):
        for size in (2, 4, 6):
            objects = {**values["objects"], name: numbers * size}
            changes = {**many, **values, "objects": objects}
            yield f"{size}-{name}-for-5", "column-lists", f"objects.{name}", changes
    for size in (1, 3):
        objects = {**five_texts["objects"], "langtag_directions": [1] * size}
        changes = {**many, "objects": objects}
        path = "objects.langtag_directions"
        yield f"{size}-directions-for-2-tags", "column-lists", path, changes
    untagged = {"objects": {"lex_values": ["x"], "langtag_directions": [1]}}
    yield "direction-without-tags", "column-lists", "objects.langtag_directions", untagged


def _literal_faults() -> Iterable[tuple[Any, ...]]:
    for kind in (4, 6, _MOST - 1):
        changes = {"objects": {**_TAGGED, "literal_kinds": [kind]}}
        yield f"tag-index-of-{kind}", "language-tag-index", "objects", changes
    no_tags = {"objects": {"lex_values": ["x"], "literal_kinds": [2]}}
    yield "tag-index-without-tags", "language-tag-index", "objects", no_tags
    for tag in ("", "e n", "1"):
        yield f"tag-{tag!r}", "format", "objects", {"objects": {**_TAGGED, "langtags": [tag]}}
    for datatype in LANGUAGE_DATATYPES:
        name = datatype.rpartition("#")[2]
        for number, values in enumerate(([datatype], ["urn:d", datatype]), 1):
            objects = {"lex_values": ["x"], "literal_kinds": [2 * number - 1]}
            entries = {"datatypes": [{"values": values}], "objects": objects}
            yield f"datatype-{name}-{number}", "language-datatype", "datatypes", entries
    for direction in (3, _MOST):
        changes = {"objects": {**_DIRECTED, "langtag_directions": [direction]}}
        yield f"direction-{direction}", "direction", "objects", changes
    # The schema also forbids a bad direction of an unused tag. Jelly-JVM checks only used tags.
    unused = {**_TAGGED, "langtags": ["ar", "he"]}
    for name, direction, rule, version in (
        ("unknown", 3, "direction", 0),
        ("in-rdf-1.1", 2, "rdf-version-terms", RDF_1_1),
    ):
        objects = {**unused, "langtag_directions": [0, direction]}
        changed = {"rdf_version": version}
        yield f"unused-direction-{name}", rule, "objects", {"objects": objects}, changed
    old = {"rdf_version": RDF_1_1}
    yield "direction-in-rdf-1.1", "rdf-version-terms", "objects", {"objects": _DIRECTED}, old


def _triple_term_faults() -> Iterable[tuple[Any, ...]]:
    def fault(name: str, rule: str, **changes: Any) -> tuple[Any, ...]:
        term = {field: v for field, v in {**_TERM, **changes}.items() if v is not None}
        objects = {"triple_terms": [term]}
        return f"triple-term-{name}", rule, "objects.triple_terms", {"objects": objects}

    for field in _TERM:
        part = {"s": "subject", "p": "predicate", "o": "object"}[field[0]]
        yield fault(f"without-{part}", "quoted-repeated-term", **{field: None})
        inner = {name: value for name, value in _TERM.items() if name != field}
        nested = {"o_bnode": None, "o_triple_term": inner}
        yield fault(f"nested-without-{part}", "quoted-repeated-term", **nested)
    for name, rule, literal in (
        ("datatype-0", "datatype-id", {"datatype": 0}),
        ("datatype-not-set", "lookup-reference", {"datatype": 1}),
        ("direction-unknown", "direction", {"langtag": "ar", "direction": 3}),
        ("direction-of-plain-text", "direction", {"direction": 1}),
        ("direction-of-datatype", "direction", {"datatype": 1, "direction": 1}),
        ("tag-empty", "format", {"langtag": ""}),
    ):
        fields = {"o_bnode": None, "o_literal": {"lex": "x", **literal}}
        if name == "direction-of-datatype":
            *start, changes = fault(name, rule, **fields)
            yield *start, {**changes, "datatypes": [{"values": ["urn:d"]}]}
        else:
            yield fault(name, rule, **fields)
    yield fault("name-not-set", "lookup-reference", p_iri={"name_id": 3})
    yield fault("prefix-not-set", "lookup-reference", p_iri={"prefix_id": 1, "name_id": 1})
    for version in (RDF_1_1, RDF_1_2_BASIC):
        yield *fault(f"in-rdf-version-{version}", "rdf-version-terms"), {"rdf_version": version}


def _lookup_faults() -> Iterable[tuple[Any, ...]]:
    sizes = {"names": 128, "prefixes": 16, "datatypes": 16}
    none = {"max_prefix_table_size": 0, "max_datatype_table_size": 0}
    good = [{"values": ["urn:p"]}]
    for table, size in sizes.items():
        for name, entry in (
            ("beyond-lookup", {"id": size + 1, "values": ["x"]}),
            ("running-out-of-lookup", {"id": size, "values": ["x", "y"]}),
            ("as-far-as-it-goes", {"id": _MOST, "values": ["x", "y"]}),
        ):
            entries = [*good, entry]
            yield f"{table}-{name}", "lookup-size", table, {table: entries}
        following = [*good, {"id": size, "values": ["x"]}, {"values": ["y"]}]
        yield f"{table}-following-the-last", "lookup-size", table, {table: following}
        if table != "names":
            yield f"{table}-without-lookup", "no-lookup", table, {table: good}, none
    for name, rule, column, changed in (
        ("name-not-set", "lookup-reference", {"name_ids": [3]}, {}),
        ("name-beyond-lookup", "lookup-size", {"name_ids": [129]}, {}),
        ("name-far-beyond-lookup", "lookup-size", {"name_ids": [_MOST]}, {}),
        ("prefix-not-set", "lookup-reference", {"name_ids": [1], "prefix_ids": [1]}, {}),
        ("prefix-beyond-lookup", "lookup-size", {"name_ids": [1], "prefix_ids": [17]}, {}),
        ("prefix-without-lookup", "no-lookup", {"name_ids": [1], "prefix_ids": [1]}, none),
        ("datatype-not-set", "lookup-reference", {"lex_values": ["x"], "literal_kinds": [1]}, {}),
        ("datatype-beyond-lookup", "lookup-size", {"lex_values": ["x"], "literal_kinds": [33]}, {}),
        ("datatype-far-beyond", "lookup-size", {"lex_values": ["x"], "literal_kinds": [_MOST]}, {}),
        ("datatype-without-lookup", "no-lookup", {"lex_values": ["x"], "literal_kinds": [1]}, none),
    ):
        yield f"object-{name}", rule, "objects", {"objects": column}, changed
    two: dict[str, Any] = {
        "row_count": 2,
        "subjects": {"bnodes": ["s"], "layouts": [0]},
        "predicates": {"name_ids": [1], "layouts": [0]},
        "objects": {"name_ids": [2, 0]},
    }
    yield "object-name-behind-the-last", "lookup-reference", "objects", two
    for name, value in (("name", {"name_id": 3}), ("prefix", {"prefix_id": 1, "name_id": 1})):
        changes = {"namespaces": [{"name": "ex", "value": value}]}
        yield f"namespace-{name}-not-set", "lookup-reference", "namespaces", changes


def _frames_faults(draft: Draft) -> Iterable[tuple[Any, ...]]:
    """Yield faults in rows and in later frames: name, rule, frame number, path and frames."""
    first = {"rows": [build_options()], "columns": build_batch()}
    again = {"row_count": 1, "subjects": {"name_ids": [1]}, "predicates": {"name_ids": [1]}}
    again["objects"] = {"name_ids": [1]}
    row = {"name": {"value": "urn:x"}}
    triple = {"triple": {"s_bnode": "s", "p_bnode": "p", "o_bnode": "o"}}
    for name, other in (("name", row), ("triple", triple)):
        behind = {"rows": [build_options(), other]}
        yield f"{name}-row-behind-options", "mixed-layouts", 0, "rows", [behind]
        yield f"{name}-row-later", "mixed-layouts", 1, "rows", [first, {"rows": [other]}]
        before = {"rows": [other, build_options()]}
        yield f"{name}-row-before-options", "options-first", 0, "rows", [before]
    yield "row-of-no-kind", "row-kinds", 1, "rows", [first, {"rows": [{}]}]
    yield "no-options", "options-first", 0, "columns", [{"columns": build_batch()}]
    late = [{"columns": build_batch()}, first]
    yield "options-behind-columns", "options-first", 0, "columns", late
    twice = {"rows": [build_options(), build_options()]}
    yield "options-twice", "options-twice", 0, "rows", [twice]
    yield "options-twice-later", "options-twice", 1, "rows", [first, twice]
    for field, value in (("version", 2), ("physical_type", QUADS), ("stream_type", MESSAGES)):
        changed = {"rows": [build_options(**{field: value})]}
        yield f"{field}-changed", "options-same", 1, "rows.options", [first, changed]
    for name, rule, changes in (
        ("name-lookup-small-again", "name-lookup-size", {"max_name_table_size": 127}),
        ("rdf-version-unknown-again", "rdf-version", {"rdf_version": 4}),
        ("rdf-star-again", "column-options", {"rdf_star": True}),
    ):
        yield name, rule, 1, "rows.options", [first, {"rows": [build_options(**changes)]}]
    emptied = {"rows": [build_options()], "columns": again}
    yield "lookups-emptied", "lookup-reference", 1, "columns.subjects", [first, emptied]
    shrunk = build_batch(prefixes=[{"id": 16, "values": ["x"]}])
    smaller = {"rows": [build_options(max_prefix_table_size=15)], "columns": shrunk}
    yield "lookup-made-smaller", "lookup-size", 1, "columns.prefixes", [first, smaller]
    directed = {"rows": [build_options()], "columns": build_batch(objects=_DIRECTED)}
    older = {"rows": [build_options(rdf_version=RDF_1_1)], "columns": directed["columns"]}
    frames = [directed, older]
    yield "direction-in-rdf-1.1-later", "rdf-version-terms", 1, "columns.objects", frames
    rows = {"rows": [build_options(version=2)], "columns": build_batch()}
    if draft is LATER:
        # In the other draft, version 2 options have no statement type.
        yield "columns-in-version-2", "mixed-layouts", 0, "columns", [rows]
        for field in ("stream_type", "rdf_version"):
            for version in (1, 2):
                changes = {"version": version, field: 1}
                name = f"{field}-in-version-{version}"
                alone = [{"rows": [build_options(**changes)]}]
                yield name, "column-options", 0, "rows.options", alone


def _mixed_drafts(draft: Draft) -> Fault:
    """Return a stream of `draft`, followed by a stream of the other draft, which is the fault."""
    frame = {"rows": [build_options()], "columns": build_batch()}
    other = EARLIER if draft is LATER else LATER
    start = build_stream(draft, [frame])
    end = build_stream(other, [frame])
    place = find_field(other, end, 0, "rows.options")
    place = range(len(start) + place.start, len(start) + place.stop)
    return Fault("draft-changed", "options-same", start + end, 1, place)


def fault_streams(draft: Draft) -> list[Fault]:
    """Return all streams with a fault, with the field numbers of `draft`."""
    faults = []

    def add(name: str, rule: str, frame: int, path: str, frames: list[Any]) -> None:
        data = build_stream(draft, frames)
        faults.append(Fault(name, rule, data, frame, find_field(draft, data, frame, path)))

    for name, rule, changes in _options_faults():
        frame = {"rows": [build_options(**changes)], "columns": build_batch()}
        add(name, rule, 0, "rows.options", [frame])
    for name, rule, path, batch, *changed in _batch_faults():
        rows = [build_options(**(changed[0] if changed else {}))]
        frames = [{"rows": rows, "columns": build_batch(**batch)}]
        add(name, rule, 0, f"columns.{path}".rstrip("."), frames)
    for fault in _frames_faults(draft):
        add(*fault)
    return [*faults, _mixed_drafts(draft)]
