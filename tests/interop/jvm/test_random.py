"""Random streams, there and back again, in every form."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests import strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.interop.jvm import test_statements, test_text_and_thrift
from tests.interop.jvm.forms import can_both_have, seen_by_jena
from tests.interop.jvm.inputs import PRESETS
from tests.interop.jvm.peer import Peer
from tests.interop.jvm.test_patches import check_ours, check_theirs
from tests.interop.jvm.test_sizes import check_patch_sizes
from tests.oracle.terms import Plain, with_default_graph

Drawn: TypeAlias = tuple[dict[str, Any], list[Plain]]
"""Options, and operations or statements."""

STATEMENTS = {1: "TRIPLES", 2: "QUADS"}
STREAMS = {1: "FRAME", 2: "FLAT", 3: "PUNCTUATED"}


def _preset(draw: Any, fields: dict[str, Any]) -> str:
    """Return a preset with the features of an options row."""
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
    operations = [operation for operation in stream.operations if can_both_have(operation)]
    if options["statements"] == "QUADS":
        operations = list(map(with_default_graph, operations))
    # A stream without a row is none to Jelly-JVM.
    return options, [("H", "first", ("bnode", "b")), *operations]


@given(_patches())
def test_any_patches(peer: Peer, drawn: Drawn) -> None:
    options, operations = drawn
    check_ours(peer, operations, **options)
    check_theirs(peer, operations, **options)


@given(_patches(), st.sampled_from([1, 7, 512]))
def test_sizes_of_any_patches(peer: Peer, drawn: Drawn, rows: int) -> None:
    options, drawn_operations = drawn
    operations = [row for row in seen_by_jena(drawn_operations) if _has_schemes(row)]
    check_patch_sizes(peer, operations, rows=rows, **options)


def _has_schemes(value: Any) -> bool:
    """Tell whether the IRIs start with ASCII, as schemes do: where they are cut is counted from it.

    Jelly-JVM counts in halves of UTF-16, and we in bytes.
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
    }
    return options, [row for row in stream.statements if can_both_have(row)]


@given(_statements())
def test_any_statements(peer: Peer, drawn: Drawn) -> None:
    options, statements = drawn
    if statements:
        test_statements.check(peer, statements, **options)


@given(_patches())
def test_any_patches_in_thrift(peer: Peer, drawn: Drawn) -> None:
    _, operations = drawn
    test_text_and_thrift.check(peer, operations, "rdfpb")


def _is_fit_for_text(value: Any) -> bool:
    """Tell whether Jena's text can have a term or an operation.

    It has labels of blank nodes and keys of headers as they are, without quotes or escapes. A
    prefix is not deleted from a graph whose name is a literal: its IRI would stand there.
    """
    if isinstance(value, str):
        return value.isascii() and not set(value) & set(' <>"{}|^`\\') and value.isprintable()
    if not isinstance(value, tuple):
        return True
    if value[0] == "H" and not value[1].isalpha():
        return False
    if value[0] == "PD" and value[3] is not None and value[3][0] == "literal":
        return False
    if value[0] == "literal":
        return value[3] is None or _is_fit_for_text(value[3])
    if value[0] == "bnode":
        return bool(value[1]) and _is_fit_for_text(value[1])
    return all(map(_is_fit_for_text, value))


@given(_patches())
def test_any_patches_in_text(peer: Peer, drawn: Drawn) -> None:
    operations = [operation for operation in drawn[1] if _is_fit_for_text(operation)]
    test_text_and_thrift.check(peer, operations, "rdfp")
