"""Tests the laws of the inverse."""

from typing import Any

import pytest
from hypothesis import given
from rdflib import Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, Patch, PatchError
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.algebra.invert import invert
from tests.algebra.strategies import (
    FORMS,
    contents,
    datasets,
    forms,
    make_dataset,
    patches,
    same_graphs,
    streams,
    write,
    write_text,
)

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
A, D = (Op.A, S, P, O, None), (Op.D, S, P, O, None)
ONE, TWO = URIRef("urn:1"), URIRef("urn:2")


def invertible(operations: Any) -> list[Any]:
    """Leave out operations without an inverse."""
    return [op for op in operations if op[0] != Op.PD or op[2] is not None]


@given(datasets, streams())
def test_undoes_an_effective_patch(content: Any, stream: Any) -> None:
    dataset = make_dataset(content)
    before = contents(dataset)
    operations = list(effective(stream, dataset))
    jr.apply(operations, dataset)
    # Write frames, since RDF Patch text omits the IRI of a deleted prefix.
    for form in (list, write):
        inverse = list(invert(form(operations)))
        after = make_dataset(content)
        jr.apply(operations, after)
        jr.apply(inverse, after)
        assert contents(after) == before
    jr.apply(inverse, dataset)
    assert contents(dataset) == before


@given(patches())
def test_inverse_of_the_inverse_is_the_patch(patch: Any) -> None:
    operations = invertible(patch)
    twice = list(invert(invert(operations)))
    kept: list[Any] = []
    for operation in operations:
        if operation[0] == Op.TX:
            start = len(kept)
        if operation[0] == Op.TA:
            del kept[start:]
        elif operation[0] != Op.H:
            kept.append(operation)
    assert twice == kept


@given(streams(), forms)
def test_form_of_the_source_does_not_matter(stream: Any, form: Any) -> None:
    # Text without operations is one patch.
    stream = [operation for operation in stream if operation[0] != Op.PD] or [(Op.END,)]
    assert same_graphs(invert(form(stream))) == same_graphs(invert(stream))


@given(streams())
def test_patches_are_inverted_one_by_one_the_last_one_first(stream: Any) -> None:
    stream = invertible(stream)
    patches: list[Any] = [[]]
    for operation in stream:
        patches[-1].append(operation)
        if operation[0] == Op.END:
            patches.append([])
    each = [operation for patch in reversed(patches) for operation in invert(patch)]
    assert list(invert(stream)) == each


@given(streams())
def test_long_patches_are_kept_in_a_file(stream: Any) -> None:
    stream = invertible(stream)
    expected = list(invert(stream))
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(spool, "_MAX_SIZE", 100)
        assert same_graphs(invert(iter(stream))) == same_graphs(expected)


def test_headers() -> None:
    header = [(Op.H, "id", TWO), (Op.H, "prev", ONE), (Op.H, "by", O)]
    assert list(invert([*header, A])) == [(Op.H, "prev", TWO), D]
    # The header may be anywhere in the patch.
    assert list(invert([A, *header])) == [(Op.H, "prev", TWO), D]
    assert list(invert([(Op.TX,), *header, A, (Op.TA,)])) == [(Op.H, "prev", TWO)]
    assert list(invert([(Op.H, "prev", ONE), A])) == [D]
    stream = [(Op.H, "id", ONE), A, (Op.END,), (Op.H, "id", TWO), (Op.H, "prev", ONE), D, (Op.END,)]
    assert list(invert(stream)) == [
        *[(Op.H, "prev", TWO), A, (Op.END,)],
        *[(Op.H, "prev", ONE), D, (Op.END,)],
    ]
    # A missing END stays missing.
    assert list(invert(stream[:-1])) == list(invert(stream))[:-1]
    assert list(invert([])) == []


def test_transactions_stay_but_aborted_ones() -> None:
    patch = [(Op.TX,), A, (Op.TC,), (Op.TX,), D, A, (Op.TA,), (Op.TX,), D, (Op.TC,), A]
    assert list(invert(patch)) == [D, (Op.TX,), A, (Op.TC,), (Op.TX,), D, (Op.TC,)]
    # The END before an aborted transaction is the last END that is kept.
    assert list(invert([A, (Op.END,), (Op.TX,), D, (Op.TA,)])) == [D, (Op.END,)]


def test_prefix_without_an_iri() -> None:
    prefix = (Op.PD, "ex", None, None)
    with pytest.raises(PatchError, match="prefix 'ex' is deleted without the IRI"):
        list(invert([A, prefix]))
    # RDF Patch text never includes this IRI.
    with pytest.raises(PatchError, match="effective"):
        list(invert(write_text([(Op.PD, "ex", URIRef("urn:x#"), None)])))
    # `effective` drops the operation if the prefix is not bound; otherwise it adds the IRI.
    graph = Graph()
    assert list(invert(effective([prefix], graph))) == []
    jr.apply([(Op.PA, "ex", "urn:x#", None)], graph)
    assert list(invert(effective([prefix], graph))) == [(Op.PA, "ex", URIRef("urn:x#"), None)]


def test_method_of_a_patch() -> None:
    assert isinstance(Patch([A]).invert(), Patch)
    assert list(Patch([A]).invert()) == [D]
    patch, *_ = jr.read_patches(FORMS["jellyp"]([A, (Op.END,), D]))
    assert same_graphs(patch.invert()) == same_graphs([D])


def test_what_a_patch_has_and_its_reader_lacks_says_how_to_make_a_patch() -> None:
    reader = invert(Patch([A]))
    with pytest.raises(AttributeError, match=r"'apply': convert it with jelly_rdflib\.Patch\("):
        reader.apply(Graph())  # type: ignore[attr-defined]
    graph = Graph().add(A[1:4])
    assert Patch(reader).apply(graph).deleted == 1
