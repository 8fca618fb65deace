"""Tests that operations without effect are counted, and that `strict` refuses them."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from rdflib import XSD, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.algebra.strategies import contents, datasets, forms, make_dataset, streams

S, P = URIRef("urn:s"), URIRef("urn:p")
STORES = ["default", "Jelly", "Oxigraph"]


def change(op: Op, text: str, g: Any = None) -> Any:
    return (op, S, P, Literal(text), g)


FORMS: dict[str, Any] = {
    "list": list,
    "iterator": iter,
    "batches": jr.Patch,
    "text": lambda operations: str(jr.Patch(operations)).encode(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("store", STORES)
def test_operations_that_changed_nothing_are_counted(store: str, form: str) -> None:
    dataset = Dataset(store)
    patch = [change(Op.A, "a"), change(Op.A, "a"), change(Op.D, "b"), change(Op.D, "b", P)]
    result = jr.apply(FORMS[form](patch), dataset)
    assert (result.added, result.deleted, result.ineffective) == (1, 0, 3)
    assert list(result.missed) == patch[1:]


@pytest.mark.parametrize("store", STORES)
def test_the_first_ten_of_them_are_named(store: str) -> None:
    patch = [change(Op.D, str(number)) for number in range(200)]
    for source in (patch, jr.Patch(patch)):
        result = jr.apply(source, Dataset(store))
        assert (result.ineffective, list(result.missed)) == (200, patch[:10])


@pytest.mark.parametrize("store", STORES)
def test_those_of_aborted_transactions_do_not_count(store: str) -> None:
    patch = [(Op.TX,), change(Op.D, "a"), (Op.TA,), (Op.TX,), change(Op.D, "b"), (Op.TC,)]
    result = jr.apply(patch, Dataset(store))
    assert (result.ineffective, result.missed) == (1, (change(Op.D, "b"),))


def committed(stream: Any) -> list[Any]:
    """Return the statements that committed transactions change."""
    changes: list[Any] = []
    start = 0
    for operation in stream:
        if operation[0] == Op.TX:
            start = len(changes)
        elif operation[0] == Op.TA:
            del changes[start:]
        elif operation[0] in (Op.A, Op.D):
            changes.append(operation)
    return changes


@pytest.mark.parametrize("store", ["default", "Jelly"])
@given(datasets, streams(), forms)
def test_each_change_of_a_committed_transaction_is_counted_once(
    store: str, content: Any, stream: Any, form: Any
) -> None:
    """`strict` accepts exactly the patches whose operations all have an effect."""
    target, strict = (make_dataset(content, lambda: Dataset(store)) for _ in range(2))
    result = jr.apply(form(stream), target)
    assert result.added + result.deleted + result.ineffective == len(committed(stream))
    if result.ineffective:
        with pytest.raises(jr.ApplyError, match="changes nothing"):
            jr.apply(form(stream), strict, strict=True)
    else:
        jr.apply(form(stream), strict, strict=True)
        assert contents(strict) == contents(target)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("store", STORES)
def test_strict_undoes_the_whole_patch_and_says_where_it_failed(store: str, form: str) -> None:
    patch = [
        *((Op.TX,), change(Op.A, "a"), (Op.TC,)),
        *((Op.TX,), change(Op.A, "b"), (Op.TA,)),
        *((Op.TX,), change(Op.A, "c"), change(Op.A, "a"), (Op.TC,)),
    ]
    dataset = Dataset(store)
    with pytest.raises(jr.ApplyError) as caught:
        jr.apply(FORMS[form](patch), dataset, strict=True)
    assert str(caught.value) == (
        'operation 9, in transaction 3 of patch 1: A <urn:s> <urn:p> "a" changes nothing: the'
        " statement exists already"
    )
    assert len(dataset) == 0
    result = jr.apply(FORMS[form]([*patch[:-2], patch[-1]]), dataset, strict=True)
    assert (len(dataset), result.operations, result.aborted) == (2, 9, 1)


@pytest.mark.parametrize("store", STORES)
def test_a_value_that_cant_be_compared_is_no_other_spelling(store: str) -> None:
    dataset = Dataset(store)
    dataset.add((S, P, Literal("sNaN", datatype=XSD.decimal)))
    with pytest.raises(jr.ApplyError, match="there is no such statement"):
        jr.apply([(Op.D, S, P, Literal(1), None)], dataset, strict=True)


def test_strict_leaves_the_patches_before(tmp_path: Path) -> None:
    dataset = Dataset()
    patches = [change(Op.A, "a"), (Op.END,), change(Op.A, "b"), change(Op.A, "a"), (Op.END,)]
    with pytest.raises(jr.ApplyError, match="operation 2, in patch 2"):
        jr.apply(patches, dataset, strict=True)
    assert [str(o) for o in dataset.objects()] == ["a"]
    with pytest.raises(jr.ApplyError, match="changes nothing"):
        jr.Patch([change(Op.D, "b")]).apply(dataset, strict=True)


@pytest.mark.parametrize("patch", [[(Op.TX,)], [(Op.TA,)], [(Op.TX,), (Op.TX,)]])
def test_strict_says_where_a_transaction_is_wrong(patch: Any) -> None:
    place = f"operation {len(patch)}, in .*patch 1"
    with pytest.raises(jr.ApplyError, match=f"^{place}: .*transaction"):
        jr.apply(patch, Dataset(), strict=True)


@pytest.mark.parametrize(
    ("target", "options"), [(Graph(), {"atomic": False}), ("http://localhost/ds", {})]
)
def test_strict_needs_a_graph_that_can_be_undone(target: Any, options: Any) -> None:
    with pytest.raises(ValueError, match="strict"):
        jr.apply([], target, strict=True, **options)


def test_strict_holds_one_transaction_of_limited_size() -> None:
    patch = [(Op.TX,), *(change(Op.A, str(number)) for number in range(9)), (Op.TC,)]
    text = str(jr.Patch(patch)).encode()
    limits = jr.Limits(max_held_operations=8)
    with pytest.raises(jr.LimitError, match="max_held_operations"):
        jr.apply(text, Dataset("Jelly"), strict=True, limits=limits)


def test_a_squashed_patch_may_delete_what_came_and_went(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    for op, text in ((Op.A, "a"), (Op.A, "b"), (Op.D, "b"), (Op.A, "c")):
        log.append([change(op, text)])
    log.squash(2, 3)
    log.replay(dataset := Dataset(), strict=True)
    assert len(dataset) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert log.verify(deep=True) == []
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(str(log.path), timeout=0.1) as source:
        assert replica.follow(source, strict=True) == 4


def test_copies_of_a_log_refuse_what_changes_nothing(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    log.append([change(Op.A, "a")])
    log.append([change(Op.A, "b"), change(Op.D, "gone")])
    with pytest.raises(jr.ApplyError, match=r'^version 2, operation 2, in patch 1: D .* "gone"'):
        log.replay(dataset := Dataset(), strict=True)
    assert [str(o) for o in dataset.objects()] == ["a"]
    replica = jr.Replica(tmp_path / "replica")
    with pytest.raises(jr.ApplyError, match="version 2"):
        replica.update(log, strict=True)
    assert replica.update(log) == 2
    with pytest.warns(jr.LogWarning, match=r'version 2: 1 of 2 operations .* D .* "gone"'):
        assert log.verify(deep=True) == []
