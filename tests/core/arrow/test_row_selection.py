"""Tests `RowSelection`: the rows that a filter selects, with the rows that belong to them."""

import io
import random
from itertools import chain
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.core.arrow import RowFilter, RowSelection, TermCondition
from jelly_rdflib.nodes import make_node_factory
from tests.support import encode

S, P = URIRef("urn:s"), URIRef("urn:p")
WANTED = Literal("wanted")
PREFIX = (Op.PA, "ex", URIRef("urn:ex"), None)


def statement(value: Any, op: Op = Op.A) -> tuple[Any, ...]:
    return (op, S, P, value, None)


def header(number: int) -> tuple[Any, ...]:
    return (Op.H, f"key{number}", URIRef(f"urn:{number}"))


def wanted_objects() -> RowFilter:
    condition = TermCondition(make_node_factory(False), jr.Limits(), ['"wanted"'])
    return RowFilter(ops=(Op.A, Op.D), o=[condition])


def read(operations: list[Any], frame_rows: int) -> list[Any]:
    data = encode(operations, frame_rows=frame_rows, statement_type="TRIPLES")
    return list(jr.read_batches(data))


def select(batches: list[Any], selection: RowSelection) -> list[Any]:
    found = chain.from_iterable(selection.select(batch, 0, len(batch)) for batch in batches)
    return [operation for batch in found for operation in batch]


def is_wanted(operation: Any) -> bool:
    return operation[0] in (Op.A, Op.D) and operation[3] == WANTED


def expected(operations: list[Any]) -> list[Any]:
    """Return the selected operations, computed patch by patch as the documentation describes."""
    kept: list[Any] = []
    patch: list[Any] = []
    for operation in operations:
        patch.append(operation)
        if operation == (Op.END,):
            kept += expected_of_patch(patch)
            patch = []
    return kept


def expected_of_patch(patch: list[Any]) -> list[Any]:
    if not any(map(is_wanted, patch)):
        return []
    first = next(i for i, operation in enumerate(patch) if is_wanted(operation))
    kept = [operation for operation in patch[:first] if operation[0] == Op.H]
    waiting: list[Any] = []
    for i, operation in enumerate(patch):
        if operation == (Op.TX,):
            waiting = [operation]
        elif operation[0] in (Op.TC, Op.TA):
            kept += [] if waiting else [operation]
            waiting = []
        elif is_wanted(operation):
            kept += [*waiting, operation]
            waiting = []
        elif operation == (Op.END,) or (operation[0] == Op.H and i > first):
            kept.append(operation)
    return kept


@pytest.mark.parametrize("seed", range(40))
def test_selected_rows_and_what_belongs_to_them(seed: int) -> None:
    rng = random.Random(seed)
    operations: list[Any] = []
    for patch in range(rng.randrange(1, 6)):
        operations += [header(patch * 10 + n) for n in range(rng.randrange(3))]
        for _ in range(rng.randrange(4)):
            values = rng.choices([WANTED, Literal("other")], [1, rng.choice([1, 20])], k=4)
            rows = [statement(value, rng.choice([Op.A, Op.D])) for value in values]
            if rng.random() < 0.3:
                rows.insert(rng.randrange(5), PREFIX)
            if rng.random() < 0.3:
                rows.insert(rng.randrange(5), header(patch * 10 + 7))
            ends = [(Op.TC,), (Op.TA,)]
            operations += rows if rng.random() < 0.2 else [(Op.TX,), *rows, rng.choice(ends)]
        operations.append((Op.END,))
    batches = read(operations, rng.randrange(1, 30))
    written = [operation for batch in batches for operation in batch]
    selection = RowSelection(wanted_objects(), 1000)
    assert select(batches, selection) == expected(written)
    # The selected rows again form a legal stream, without empty transactions.
    selection = RowSelection(wanted_objects(), 1000)
    file = io.BytesIO()
    with jr.PatchWriter(file, jr.PatchOptions(statement_type="TRIPLES")) as writer:
        for batch in batches:
            for part in selection.select(batch, 0, len(batch)):
                writer.write_all(part)
    again = list(jr.read_operations(file.getvalue(), normalize=False))
    assert [each for each in again if is_wanted(each)] == list(filter(is_wanted, written))


def test_without_a_filter_all_rows_of_the_range_are_selected() -> None:
    operations = [header(1), (Op.TX,), PREFIX, (Op.TC,), (Op.END,), (Op.TX,), (Op.TA,), (Op.END,)]
    batches = read(operations, 100)
    assert select(batches, RowSelection(None, 1)) == operations
    selection = RowSelection(None, 1)
    (part,) = selection.select(batches[0], 2, 3)
    assert list(part) == [PREFIX]
    assert selection.select(batches[0], 99, 999) == []


def test_prefixes_are_kept_where_they_are_asked_for() -> None:
    batches = read([PREFIX, statement(WANTED), statement(P)], 1)
    selection = RowSelection(wanted_objects(), 1, keeps_prefixes=True)
    assert select(batches, selection)[:2] == [PREFIX, statement(WANTED)]


def test_headers_that_wait_are_limited() -> None:
    batches = read([header(n) for n in range(4)], 1)
    selection = RowSelection(wanted_objects(), 3)
    with pytest.raises(jr.LimitError, match="more than 3 headers") as caught:
        select(batches, selection)
    assert (caught.value.limit, caught.value.value) == ("max_held_operations", 3)


def test_a_batch_that_no_reader_made_is_refused() -> None:
    batch = jr.Batch.__new__(jr.Batch)
    with pytest.raises(TypeError, match="not made by a reader"):
        RowSelection(None, 1).select(batch, 0, 1)
