"""Tests the laws of merging two patches, and which changes conflict."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Conflict, MergeConflict, Op, Patch, PatchError
from tests.algebra.strategies import (
    contents,
    datasets,
    forms,
    make_dataset,
    patches,
    same_graphs,
)

S, P = URIRef("urn:s"), URIRef("urn:p")


def add(value: str, g: Any = None) -> Any:
    return (Op.A, S, P, Literal(value), g)


def delete(value: str, g: Any = None) -> Any:
    return (Op.D, S, P, Literal(value), g)


def bind(prefix: str, iri: str, g: Any = None) -> Any:
    return (Op.PA, prefix, URIRef(iri), g)


def changes(patch: Patch) -> list[Any]:
    """Return the operations of the only transaction."""
    operations = [each for each in patch if each[0] != Op.H]
    if operations:
        assert operations[0] == (Op.TX,)
        assert operations[-1] == (Op.TC,)
    return operations[1:-1]


def apply_to(content: Any, *several: Any) -> Any:
    dataset = make_dataset(content)
    for each in several:
        jr.apply(each, dataset)
    return contents(dataset)


def try_merge(*arguments: Any, **options: Any) -> Patch:
    try:
        return jr.merge(*arguments, **options)
    except MergeConflict:
        assume(False)
        raise


@settings(max_examples=20)
@given(datasets, patches(), patches(), forms, forms)
def test_does_what_one_after_the_other_does_in_either_order(
    content: Any, ours: Any, theirs: Any, form: Any, other: Any
) -> None:
    merged = try_merge(form(ours), other(theirs))
    expected = apply_to(content, merged)
    assert apply_to(content, ours, theirs) == expected
    assert apply_to(content, theirs, ours) == expected


@given(patches(), patches(), st.booleans())
def test_sides_can_be_exchanged(ours: Any, theirs: Any, by_value: bool) -> None:
    def outcome(one: Any, two: Any) -> Any:
        try:
            return set(same_graphs(jr.merge(one, two, by_value=by_value)))
        except MergeConflict as error:
            return {(each.kind, each.ours, each.theirs) for each in error.conflicts}

    found, other = outcome(ours, theirs), outcome(theirs, ours)
    if any(isinstance(each[0], str) for each in found):
        found = {(kind, theirs, ours) for kind, ours, theirs in found}
    assert found == other


@given(patches(), patches())
def test_a_conflict_without_which_order_would_not_matter_is_none(ours: Any, theirs: Any) -> None:
    """If only statements conflict, there is a dataset for which the patches' order matters."""
    try:
        jr.merge(ours, theirs)
    except MergeConflict as error:
        kinds = {conflict.kind for conflict in error.conflicts}
        if kinds == {"statement"}:
            empty: Any = (set(), {})
            assert apply_to(empty, ours, theirs) != apply_to(empty, theirs, ours)


@given(datasets, patches(), patches())
def test_a_favoured_side_wins_whatever_conflicts(content: Any, ours: Any, theirs: Any) -> None:
    def statements(*several: Any) -> Any:
        return apply_to(content, *several)[0]

    assert statements(jr.merge(ours, theirs, favor="ours")) == statements(theirs, ours)
    assert statements(jr.merge(ours, theirs, favor="theirs")) == statements(ours, theirs)


@given(patches(), patches())
def test_favouring_a_side_changes_nothing_without_conflicts(ours: Any, theirs: Any) -> None:
    merged = try_merge(ours, theirs)
    for favor in ("ours", "theirs"):
        assert set(jr.merge(ours, theirs, favor=favor)) == set(merged)


@given(datasets, patches(), patches())
def test_with_a_base_only_what_changes_something_counts(
    content: Any, ours: Any, theirs: Any
) -> None:
    dataset = make_dataset(content)
    merged = try_merge(ours, theirs, base=dataset)
    assert contents(dataset) == contents(make_dataset(content))
    both = [list(jr.effective(jr.compact(each), dataset)) for each in (ours, theirs)]
    result = apply_to(content, merged)
    assert apply_to(content, *both) == apply_to(content, *reversed(both)) == result
    statements = [each for each in merged if each[0] in (Op.A, Op.D)]
    assert statements == [each for each in merged.effective(dataset) if each[0] in (Op.A, Op.D)]


@given(datasets, patches(), patches())
def test_with_a_base_no_statement_conflicts(content: Any, ours: Any, theirs: Any) -> None:
    conflicts: Any = ()
    try:
        jr.merge(ours, theirs, base=make_dataset(content))
    except MergeConflict as error:
        conflicts = error.conflicts
    assert {conflict.kind for conflict in conflicts} <= {"prefix"}


@given(patches())
def test_with_itself_a_patch_is_compacted(patch: Any) -> None:
    merged = jr.merge(patch, patch)
    assert set(changes(merged)) == set(changes(Patch(jr.compact(patch))))


@given(datasets, datasets, datasets)
def test_differences_of_datasets(base: Any, one: Any, two: Any) -> None:
    """The result has the statements that both versions kept and those that either version added."""
    datasets = [make_dataset(each) for each in (base, one, two)]
    patches = [jr.diff(datasets[0], each) for each in datasets[1:]]
    merged = jr.merge(*patches, favor="ours")
    merged.apply(datasets[0])
    before, ours, theirs = (contents(make_dataset(each))[0] for each in (base, one, two))
    assert contents(datasets[0])[0] == (ours & theirs) | (ours - before) | (theirs - before)


def test_a_statement_that_one_adds_and_the_other_deletes() -> None:
    ours, theirs = [add("a"), add("x")], [delete("a"), delete("y")]
    with pytest.raises(MergeConflict, match=r"^1 conflict, the first: ours has A") as info:
        jr.merge(ours, theirs)
    assert info.value.conflicts == [Conflict("statement", (add("a"),), (delete("a"),))]
    assert changes(jr.merge(ours, theirs, favor="ours")) == [add("a"), add("x"), delete("y")]
    assert changes(jr.merge(ours, theirs, favor="theirs")) == [delete("a"), delete("y"), add("x")]


def test_a_value_that_both_replace() -> None:
    ours, theirs = [delete("old"), add("a")], [delete("old"), add("b"), add("c", URIRef("urn:g"))]
    merged = jr.merge(ours, theirs)
    assert changes(merged) == [delete("old"), add("a"), add("b"), theirs[2]]
    with pytest.raises(MergeConflict) as info:
        jr.merge(ours, theirs, by_value=True)
    # The same statement in another graph does not conflict.
    assert info.value.conflicts == [Conflict("value", tuple(ours), tuple(theirs[:2]))]
    merged = jr.merge(ours, theirs, by_value=True, favor="ours")
    assert changes(merged) == [*ours, theirs[2]]
    merged = jr.merge(ours, theirs, by_value=True, favor="theirs")
    assert changes(merged) == theirs


def test_a_value_that_one_deletes_and_the_other_replaces() -> None:
    ours, theirs = [delete("old")], [delete("old"), add("new")]
    with pytest.raises(MergeConflict) as info:
        jr.merge(ours, theirs, by_value=True)
    assert [conflict.kind for conflict in info.value.conflicts] == ["value"]
    assert changes(jr.merge(ours, theirs, by_value=True, favor="ours")) == ours


def test_the_same_replacement_is_no_conflict() -> None:
    patch = [delete("old"), add("new")]
    assert changes(jr.merge(patch, patch, by_value=True)) == patch
    # The patches delete different values, so they do not replace the same value.
    both = [delete("a"), add("b")], [delete("c"), add("d")]
    assert changes(jr.merge(*both, by_value=True)) == [*both[0], *both[1]]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([bind("ex", "urn:a#")], [bind("ex", "urn:b#")]),
        ([bind("ex", "urn:a#")], [bind("other", "urn:a#")]),
        ([bind("ex", "urn:a#")], [(Op.PD, "ex", None, None)]),
        # Both prefixes of `ours` conflict: "a" is in both patches, and "b" has the same IRI.
        ([bind("a", "urn:a#"), bind("b", "urn:a#")], [bind("a", "urn:b#")]),
    ],
)
def test_prefixes_that_are_bound_differently(ours: Any, theirs: Any) -> None:
    with pytest.raises(MergeConflict) as info:
        jr.merge([*ours, bind("free", "urn:free#")], theirs)
    (conflict,) = info.value.conflicts
    assert (conflict.kind, list(conflict.theirs)) == ("prefix", theirs)
    assert set(conflict.ours) == set(ours)
    merged = jr.merge([*ours, bind("free", "urn:free#")], theirs, favor="theirs")
    assert set(changes(merged)) == {*theirs, bind("free", "urn:free#")}


def test_prefixes_that_are_bound_alike() -> None:
    deleted = [(Op.PD, "ex", URIRef("urn:a#"), None)]
    assert changes(jr.merge(deleted, [(Op.PD, "ex", None, None)])) == [
        *deleted,
        (Op.PD, "ex", None, None),
    ]
    assert changes(jr.merge([bind("ex", "urn:a#")], [bind("ex", "urn:a#")])) == [
        bind("ex", "urn:a#")
    ]


def test_prefixes_that_are_bound_alike_in_several_graphs() -> None:
    g, h = URIRef("urn:g"), URIRef("urn:h")
    one, two, three = (bind("ex", "urn:a#", graph) for graph in (g, h, None))
    deleted = (Op.PD, "ex", None, h)
    assert changes(jr.merge([one], [one, two])) == [one, two]
    assert changes(jr.merge([one, two], [two])) == [one, two]
    assert changes(jr.merge([one, deleted], [three, deleted])) == [one, three, deleted]
    # Only the last occurrence of an effect counts.
    with pytest.raises(MergeConflict):
        jr.merge([one, deleted, three], [one, deleted])
    # The default graph ends with different bindings.
    ours = [bind("ex", "urn:1#"), bind("ex", "urn:0#", h)]
    with pytest.raises(MergeConflict):
        jr.merge(ours, [bind("ex", "urn:1#"), bind("ex", "urn:0#")])


def header(key: str, value: str) -> Any:
    return (Op.H, key, URIRef(value))


def test_headers_of_a_merge() -> None:
    ours = [header("id", "urn:1"), header("prev", "urn:0"), header("by", "urn:me"), add("a")]
    theirs = [header("ID", "urn:2"), header("previous", "urn:0"), header("by", "urn:you")]
    merged = jr.merge(ours, [*theirs, header("by", "urn:me")])
    assert [each for each in merged if each[0] == Op.H] == [
        header("prev", "urn:0"),
        header("by", "urn:me"),
        header("by", "urn:you"),
    ]
    assert jr.merge(ours, [add("b")]).header["prev"] == URIRef("urn:0")
    assert list(jr.merge([], [header("by", "urn:x")])) == [header("by", "urn:x")]


def test_patches_for_different_bases_are_refused() -> None:
    ours, theirs = [header("prev", "urn:0"), add("a")], [header("prev", "urn:1"), add("b")]
    with pytest.raises(PatchError, match="different bases: ours comes after <urn:0>"):
        jr.merge(ours, theirs, favor="ours")


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match="'mine'"):
        jr.merge([], [], favor="mine")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="operations are given"):
        jr.merge([], [], format="rdf-patch")
    with pytest.raises(TypeError, match="Graph or Dataset"):
        jr.merge([], [], base="graph")  # type: ignore[arg-type]
    assert changes(jr.merge([add("a")], b'A <urn:s> <urn:p> "b" .', format="rdf-patch"))


def test_a_base_without_prefixes_of_its_own() -> None:
    graph = Graph(bind_namespaces="none")
    jr.apply([bind("ex", "urn:old#"), add("a")], graph)
    ours, theirs = [bind("ex", "urn:a#"), add("a")], [bind("ex", "urn:b#"), delete("a")]
    with pytest.raises(MergeConflict) as info:
        jr.merge(ours, theirs, base=graph)
    assert [conflict.kind for conflict in info.value.conflicts] == ["prefix"]
    merged = changes(jr.merge(ours, theirs, base=graph, favor="ours"))
    assert merged == [(Op.PD, "ex", URIRef("urn:old#"), None), bind("ex", "urn:a#"), delete("a")]


def test_the_patch_has_rows() -> None:
    """Code that uses the patch need not encode its operations again."""
    one, two = ([(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(n), None)] for n in range(2))
    merged = jr.merge(one, two)
    assert merged.slices is not None
    assert [*one, *two] == changes(merged)
