"""Tests round trips of random streams between both sides, in every format."""

from typing import Any, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests import strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.interop.jvm import test_statements
from tests.interop.jvm.forms import can_both_have, seen_by_jena
from tests.interop.jvm.inputs import PRESETS, preset_fields
from tests.interop.jvm.peer import Peer
from tests.interop.jvm.test_patches import check_ours, check_size, check_theirs, marks_of
from tests.oracle.terms import Plain, with_default_graph
from tests.support import write

Drawn: TypeAlias = tuple[dict[str, Any], list[Plain]]
"""The options and the operations or statements of a stream."""

STATEMENTS = {1: "TRIPLES", 2: "QUADS"}
STREAMS = {1: "FRAME", 2: "FLAT", 3: "PUNCTUATED"}


def _preset(draw: Any, fields: dict[str, Any]) -> str:
    """Return a Jelly-JVM preset with the features of an options row."""
    size = draw(st.sampled_from(["SMALL", "BIG"]))
    features = {name: fields[name] for name in ("rdf_star", "generalized_statements")}
    (name,) = (name for name, has in PRESETS.items() if name.startswith(size) and has == features)
    return name


@st.composite
def _patches(draw: st.DrawFn) -> Drawn:
    stream = draw(strategies.streams())
    options = {
        "preset": _preset(draw, stream.options),
        "stream": STREAMS[stream.options["stream_type"]],
        "statements": STATEMENTS[stream.options["statement_type"]],
    }
    # A bare frame is one patch of a FRAME stream.
    options["delimited"] = options["stream"] == "FRAME" or draw(st.booleans())
    operations = [operation for operation in stream.operations if can_both_have(operation)]
    if options["statements"] == "QUADS":
        operations = list(map(with_default_graph, operations))
    # Jelly-JVM does not accept a stream without rows.
    return options, [("H", "first", ("bnode", "b")), *operations]


@given(_patches())
def test_any_patches(peer: Peer, drawn: Drawn) -> None:
    options, operations = drawn
    check_ours(peer, operations, **options)
    check_theirs(peer, operations, **options)


@given(_patches(), st.sampled_from([1, 7, 512]))
def test_sizes_of_any_patches(peer: Peer, drawn: Drawn, rows: int) -> None:
    """For the same input and the same options, our stream is not larger."""
    options, drawn_operations = drawn
    operations = [row for row in seen_by_jena(drawn_operations) if _has_schemes(row)]
    options["delimited"] = True
    ours = jr.PatchOptions(
        stream_type=options["stream"],
        statement_type=options["statements"],
        frame_rows=rows,
        **preset_fields(options["preset"]),
    )
    theirs = peer.write_changes(operations, "jellyp", rows=rows, **options)
    check_size(write(operations, ours), theirs, marks_of(operations, options["stream"]))


def _has_schemes(value: Any) -> bool:
    """Return whether all IRIs start with ASCII characters, as schemes do.

    Jelly-JVM finds the position to split an IRI in UTF-16 code units; we find it in bytes.
    """
    if not isinstance(value, tuple):
        return True
    if value[0] == "iri":
        return value[1][:8].isascii()
    return all(map(_has_schemes, value))


@st.composite
def _statements(draw: st.DrawFn) -> Drawn:
    stream = draw(rdf_strategies.streams(logical="flat"))
    options = {
        "preset": _preset(draw, stream.options),
        "physical": jr.PhysicalStreamType(stream.options["physical_type"]).name,
        "delimited": draw(st.booleans()),
    }
    return options, [row for row in stream.statements if can_both_have(row)]


@given(_statements())
def test_any_statements(peer: Peer, drawn: Drawn) -> None:
    options, statements = drawn
    if statements:
        test_statements.check(peer, statements, **options)
