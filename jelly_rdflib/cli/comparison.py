"""Compares a valid input with the expected statements, options and delimiting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import fields
from enum import Enum
from itertools import chain, islice, zip_longest
from typing import Any, NamedTuple

import click
from rdflib.graph import Dataset
from rdflib.term import BNode

from jelly_rdflib.cli.input_errors import check_start
from jelly_rdflib.cli.inputs import StartedInput
from jelly_rdflib.cli.printable import count
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.formats import Format
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.graphs import empty_dataset
from jelly_rdflib.inspection.encoded_input import EncodedInput
from jelly_rdflib.operations import Op
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.terms import TripleTerm, plain


class Expected(NamedTuple):
    """The requirements that an input is checked against; None accepts any value.

    Args:
        file, format: A file that must have the same statements, and its format.
        is_ordered: Whether the statements must come in the same order.
        frames: The frames of the input to compare.
        options_file: A Jelly file that must have the same options.
        is_delimited: Whether each frame must be prefixed with its length.
    """

    file: str | None
    format: str | None
    is_ordered: bool
    frames: range
    options_file: str | None
    is_delimited: bool | None


def find_differences(source: Any, expected: Expected, name: str, **arguments: Any) -> Iterator[str]:
    """Yield a message for each expectation that a source does not meet.

    The source is read once; ``arguments`` are for `EncodedInput`. If the source ends before the
    frames to compare, raise an InputError with its ``name``.
    """
    encoded = EncodedInput(source, **arguments)
    batches = encoded.batches
    with closing(batches):
        first = list(islice(batches, 1))
        if expected.is_delimited is not None:
            yield from _compare_delimiting(encoded, expected.is_delimited)
        if expected.options_file is not None:
            yield from _compare_options(batches.options, expected.options_file)
        if expected.file is not None and encoded.format is not None:
            frames = _frames(chain(first, batches), expected.frames, name)
            yield from _compare_rows(frames, encoded.format, expected)


def _frames(batches: Iterable[Batch], wanted: range, name: str) -> Iterator[Batch]:
    number = 0
    for number, batch in enumerate(batches, 1):
        if number in wanted:
            yield batch
        if number + 1 == wanted.stop:
            return
    check_start(wanted, number, "frame", name)


def _compare_delimiting(encoded: EncodedInput, is_expected: bool) -> Iterator[str]:
    if encoded.statistics is None:
        yield "it is not Jelly, and only Jelly has frames"
    elif encoded.statistics.is_delimited != is_expected:
        yield f"it is {'a bare frame' if is_expected else 'delimited'}"


def _compare_options(options: Any, path: str) -> Iterator[str]:
    expected = StartedInput(path).options
    if expected is None:
        raise click.UsageError(f"{path} has no options: it is not Jelly")
    if type(options) is not type(expected):
        yield f"it does not have the options of {path}, which is in another format"
        return
    for field in fields(options):
        value, wanted = getattr(options, field.name), getattr(expected, field.name)
        if value != wanted:
            yield f"{field.name} is {_show(value)}, but in {path} it is {_show(wanted)}"


def _show(value: Any) -> str:
    return value.name if isinstance(value, Enum) else repr(value)


def _compare_rows(frames: Iterator[Batch], format: Format, expected: Expected) -> Iterator[str]:
    assert expected.file is not None
    other = StartedInput(expected.file, expected.format)
    if other.format.holds_changes != format.holds_changes:
        kinds = ("changes", "statements")
        held, wanted = kinds if format.holds_changes else reversed(kinds)
        yield f"it has {held}, but {other.name} has {wanted}"
    elif expected.is_ordered or format.holds_changes:
        rows, wanted_rows = (
            _rows(each, holds_changes=format.holds_changes) for each in (frames, other.batches())
        )
        yield from _compare_in_order(rows, wanted_rows, other.name)
    else:
        patch = diff(_load(other.batches()), _load(frames), canonical=True)
        for op, words in ((Op.D, "it lacks {} of {}"), (Op.A, "it has {} that {} lacks")):
            number = sum(operation[0] == op for operation in patch)
            if number > 0:
                yield words.format(count(number, "statement"), other.name)


def _rows(batches: Iterable[Batch], *, holds_changes: bool) -> Iterator[tuple[Any, ...]]:
    """Yield operations with terms as in RDF 1.1; for statements, leave out the namespaces."""
    for batch in batches:
        for operation in batch:
            items: tuple[Any, ...] = operation
            if holds_changes or items[0] == Op.A:
                yield tuple(map(plain, items))


def _load(batches: Iterable[Batch]) -> Dataset:
    dataset = empty_dataset()
    apply(_rows(batches, holds_changes=False), dataset, atomic=False)
    return dataset


def _compare_in_order(
    rows: Iterator[tuple[Any, ...]], expected: Iterator[tuple[Any, ...]], name: str
) -> Iterator[str]:
    """Yield the first difference; labels of blank nodes may differ if they do so consistently."""
    labels: dict[BNode, BNode] = {}
    taken: dict[BNode, BNode] = {}

    def is_same(one: Any, two: Any) -> bool:
        if isinstance(one, BNode) and isinstance(two, BNode):
            return labels.setdefault(one, two) == two and taken.setdefault(two, one) == one
        if isinstance(one, TripleTerm) and isinstance(two, TripleTerm):
            return all(map(is_same, (one.s, one.p, one.o), (two.s, two.p, two.o)))
        return bool(one == two)

    for number, (row, wanted) in enumerate(zip_longest(rows, expected), 1):
        if row is None or wanted is None:
            ended, other = ("it", name) if row is None else (name, "it")
            yield f"{ended} ends before row {number}, but {other} goes on"
            return
        if len(row) != len(wanted) or not all(map(is_same, row, wanted)):
            yield f"row {number} is {_text(row)} but in {name} it is {_text(wanted)}"
            return


def _text(row: tuple[Any, ...]) -> str:
    return str(Patch([row]))
