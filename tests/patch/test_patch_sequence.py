"""Tests a `Patch` as a sequence, as text, as a file, and as HTML."""

import operator
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, BNode, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.display.cells import Cells
from tests.oracle import build

S, P, G = URIRef("http://example.org/s"), URIRef("http://example.org/p#1"), URIRef("urn:g")
OPERATIONS: list[jr.Operation] = [
    (Op.H, "id", URIRef("urn:uuid:1")),
    (Op.TX,),
    (Op.PA, "ex", URIRef("http://example.org/"), None),
    (Op.A, S, P, Literal("a <b> & 'c'"), G),
    (Op.D, S, P, Literal("x", lang="en"), None),
    (Op.A, BNode("b"), P, Literal("1", datatype=XSD.integer), None),
    (Op.TC,),
]


def of_batches(operations: list[jr.Operation]) -> jr.Patch:
    """Return a patch like one from a reader: rows of two batches, so one batch ends inside it."""
    encoder = jr.PatchEncoder()
    frames = [encoder.encode_frame(operations[:3]), encoder.encode_frame(operations[3:])]
    [patch] = jr.read_patches(build.delimited(frames))
    assert patch.slices is not None
    return patch


MAKERS: list[Callable[[list[jr.Operation]], jr.Patch]] = [jr.Patch, of_batches]


@pytest.mark.parametrize("make", [jr.Patch, lambda operations: jr.Patch.of_slices([])])
def test_empty_patch(make: Any) -> None:
    patch = make([])
    assert (len(patch), list(patch), str(patch), patch[:]) == (0, [], "", jr.Patch())
    with pytest.raises(IndexError):
        patch[0]


@pytest.mark.parametrize("make", MAKERS)
@given(
    index=st.integers(-9, 9),
    start=st.none() | st.integers(-9, 9),
    stop=st.none() | st.integers(-9, 9),
    step=st.sampled_from([None, 1, 2, -1, -3]),
)
def test_indexes_and_slices_are_those_of_a_list(
    make: Any, index: int, start: int | None, stop: int | None, step: int | None
) -> None:
    patch = make(OPERATIONS)
    expected = list(patch)
    part = patch[start:stop:step]
    assert type(part) is jr.Patch
    assert list(part) == expected[start:stop:step]
    assert len(part) == len(expected[start:stop:step])
    try:
        wanted = expected[index]
    except IndexError:
        with pytest.raises(IndexError):
            patch[index]
    else:
        assert patch[index] == wanted


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_made_of_a_patch_has_rows_as_it_has(make: Any) -> None:
    patch = make(OPERATIONS)
    for made in (patch[1:3], patch[::2], patch[::-1], pickle.loads(pickle.dumps(patch))):
        assert (made.slices is None) == (patch.slices is None)
    assert pickle.loads(pickle.dumps(patch)) == patch


@pytest.mark.parametrize("make", MAKERS)
def test_other_methods_of_sequences(make: Any) -> None:
    patch = make(OPERATIONS)
    assert patch.index((Op.TX,)) == 1
    assert patch.count((Op.TC,)) == 1
    assert (Op.TA,) not in patch
    assert list(reversed(patch)) == list(patch)[::-1]
    with pytest.raises(TypeError):
        patch["id"]


def test_equality() -> None:
    some = [*OPERATIONS[:2], OPERATIONS[3], OPERATIONS[6]]
    assert of_batches(some) == jr.Patch(some)
    assert jr.Patch(OPERATIONS) != jr.Patch(OPERATIONS[:-1])
    assert jr.Patch(OPERATIONS) != jr.Patch([*OPERATIONS[:-1], (Op.TA,)])
    assert jr.Patch() != []
    with pytest.raises(TypeError, match="unhashable"):
        hash(jr.Patch())


def test_sum_is_that_of_concat() -> None:
    one = jr.Patch([(Op.TX,), (Op.A, S, P, Literal(1), None), (Op.TC,)])
    two = jr.Patch([(Op.TX,), (Op.D, S, P, Literal(1), None), (Op.TC,)])
    assert one + two == jr.Patch(jr.concat(one, two))
    with pytest.raises(TypeError):
        operator.add(one, [(Op.TX,)])


@pytest.mark.parametrize("make", MAKERS)
def test_text(make: Any) -> None:
    patch = make(OPERATIONS)
    assert (
        list(jr.read_operations(patch.to_text().encode(), format="rdf-patch"))[:-1]
        == list(jr.read_operations(patch.serialize(format="rdf-patch"), format="rdf-patch"))[:-1]
    )
    assert str(patch) == patch.to_text().rstrip("\n")
    # Part of a transaction can be shown, but can't be saved as a patch.
    assert str(patch[1:3]) == 'TX .\nPA "ex" "http://example.org/" .'
    with pytest.raises(jr.EncodeError):
        patch[1:3].to_text()


def test_what_no_text_can_express_is_shown_all_the_same() -> None:
    patch = jr.Patch([(Op.TX,), (Op.A, S, P, Literal(1), URIRef("_:no")), (Op.TC,)])
    lines = str(patch).splitlines()
    assert lines[0] == "TX ."
    assert lines[1].startswith("... (A, ")
    assert len(lines) == 3
    with pytest.raises(jr.DecodeError, match="expected the code of a row"):
        list(jr.read_operations(str(patch).encode(), format="rdf-patch"))


def test_long_text_is_shortened() -> None:
    patch = jr.Patch([(Op.TX,), *((Op.A, S, P, Literal(n), None) for n in range(3000)), (Op.TC,)])
    lines = str(patch).splitlines()
    assert len(lines) == 26
    assert lines[20] == "... 2,977 more operations: to_text() has all of them ..."
    assert (lines[0], lines[-1]) == ("TX .", "TC .")
    assert len(patch.to_text().splitlines()) == 3002


def test_shortened_text_is_no_patch_for_a_reader() -> None:
    patch = jr.Patch((Op.A, S, P, Literal(n), None) for n in range(26))
    with pytest.raises(jr.DecodeError, match="expected the code of a row"):
        list(jr.read_operations(str(patch).encode(), format="rdf-patch"))
    for format in ("rdf-patch", "patch"):
        with pytest.raises(ValueError, match=r"expected the code of a row|no Operation found"):
            Dataset().parse(data=str(patch), format=format)


@pytest.mark.parametrize("name", ["x.jellyp", "x.rdfp", "x.rdfpb", "x.jellyp.gz", "x.rdfp.zst"])
@pytest.mark.parametrize("make", MAKERS)
def test_saved_patch_is_read_again(make: Any, name: str, tmp_path: Path) -> None:
    patch = make(OPERATIONS)
    patch.save(tmp_path / name)
    [again] = jr.read_patches(tmp_path / name)
    dataset, other = Dataset(), Dataset()
    patch[2:6].apply(dataset)
    again.apply(other)
    assert len(again) == len(patch)
    assert {quad[:3] for quad in dataset.quads()} == {quad[:3] for quad in other.quads()}


def test_bytes_of_a_format() -> None:
    patch = jr.Patch(OPERATIONS)
    options = jr.PatchOptions.small()
    assert len(patch.serialize(options=options)) <= len(patch.serialize())
    [again] = jr.read_patches(patch.serialize())
    assert len(again) == len(patch)
    with pytest.raises(LookupError):
        patch.serialize(format="turtle")


@pytest.mark.parametrize("make", MAKERS)
def test_html(make: Any) -> None:
    patch = make(OPERATIONS)
    text = patch._repr_html_()
    cells = Cells(text)
    assert cells.rows[0] == ["header", "id", "<urn:uuid:1>"]
    assert cells.rows[2] == ["+ prefix", "ex", "<http://example.org/>"]
    assert cells.rows[3] == ["+", "ex:s", "<http://example.org/p#1>", "\"a <b> & 'c'\"", "<urn:g>"]
    assert cells.rows[4][3] == '"x"@en'
    assert cells.rows[5][3] == '"1"^^xsd:integer'
    assert cells.rows[6] == ["TC"]
    assert "2 added, 1 deleted" in text
    assert cells.details == ["open"]


@given(st.text(), st.text(), st.text())
def test_html_of_strangers_is_no_markup(a: str, b: str, c: str) -> None:
    evil = "<script>'\"</script>"
    patch = jr.Patch(
        [
            (Op.H, a + evil, URIRef(b + evil)),
            (Op.PA, b + evil, URIRef(c + evil), None),
            (Op.A, URIRef(a + evil), BNode(b + evil), Literal(c + evil, lang="en"), None),
            (
                Op.A,
                jr.TripleTerm(S, URIRef(a), BNode(evil)),
                P,
                Literal(evil, datatype=URIRef(c)),
                None,
            ),
        ]
    )
    text = patch._repr_html_()
    assert "<script" not in text
    Cells(text)


def test_html_has_the_prefixes_of_the_graphs_that_a_patch_is_of() -> None:
    old, new = Dataset(), Dataset()
    for each in (old, new):
        each.bind("ours", "http://example.org/")
    new.add((S, P, S))
    patch = jr.diff(old, new)
    with jr.record(new) as recorder:
        new.add((P, P, S))
    for shown in (
        patch,
        patch[1:2],
        patch.invert(),
        patch.compact(),
        patch + patch,
        recorder.patch,
    ):
        assert any("ours:s" in row for row in Cells(shown._repr_html_()).rows)


@pytest.mark.parametrize("arguments", [{}, {"atomic": True}, {"atomic": False}])
def test_apply_undoes_unless_told_otherwise(arguments: dict[str, bool]) -> None:
    graph = Graph()
    patch = jr.Patch([(Op.TX,), (Op.A, S, S, S, None), (Op.A, S, S, S, G), (Op.TC,)])
    with pytest.raises(jr.ApplyError, match="no named graphs"):
        patch.apply(graph, **arguments)
    assert len(graph) == (0 if arguments.get("atomic", True) else 1)
