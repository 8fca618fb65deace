"""Converts an input, batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import click

from jelly_rdflib.cli.inputs import Input, InputError
from jelly_rdflib.cli.jelly_options import (
    make_patch_options,
    make_stream_options,
    refuse_options,
)
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats import Encoding
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter

# What the messages of encoders ask for, and how it is given here.
_OPTIONS = {
    "options need rdf_star=True": "give --rdf-star",
    "options need generalized_statements=True": "give --generalized",
    "options need a type with graphs, such as QUADS": "give --stream-type quads",
}


def convert(
    input_: Input, destination: Any, encoding: Encoding, output_options: Mapping[str, Any]
) -> None:
    """Write what an input has in another encoding.

    Args:
        input_: The input.
        destination: What the writers of this package take.
        encoding: The encoding to write.
        output_options: Options of the output, None where one was not given: ``stream_type``,
            ``preset``, ``frame_rows``, ``rdf_star``, ``generalized``.

    Raises:
        UsageError: The encoding does not go with the input, or with the output_options.
        InputError: The input is at fault, or can't be expressed in the encoding, or with these
            options.
    """
    try:
        _convert(input_, destination, encoding, output_options)
    except EncodeError as error:
        message = str(error)
        for wanted, option in _OPTIONS.items():
            message = message.replace(wanted, option)
        raise InputError(input_.name, message) from error


def _convert(
    input_: Input, destination: Any, encoding: Encoding, output_options: Mapping[str, Any]
) -> None:
    batches = input_.batches()
    first = next(batches, None)
    every = itertools.chain([] if first is None else [first], batches)
    if encoding.holds_changes != input_.has_changes():
        raise click.UsageError(_explain_kinds(input_, encoding))
    if encoding.holds_changes:
        write_changes(every, destination, encoding, input_.options, output_options)
    else:
        write_statements(every, destination, encoding, input_, output_options)


def _explain_kinds(input_: Input, encoding: Encoding) -> str:
    if encoding.holds_changes:
        return f"{input_.name} has statements, and {encoding.name} is for changes: see jellyp diff"
    return f"{input_.name} has changes, and {encoding.name} is for statements: see jellyp apply"


def write_changes(
    batches: Iterable[Batch],
    destination: Any,
    encoding: Encoding,
    given: Any,
    output_options: Mapping[str, Any],
) -> None:
    """Write batches of changes.

    Args:
        batches: The batches.
        destination: As for `convert`.
        encoding: The encoding to write.
        given: The options of the input; None if it has none.
        output_options: As for `convert`.
    """
    options = None
    if encoding is JELLY_PATCH:
        options = make_patch_options(given, output_options)
    else:
        refuse_options(encoding, output_options)
    with PatchWriter(destination, options, format=encoding.name) as writer:
        for batch in batches:
            writer.write_all(batch)


def write_statements(
    batches: Iterable[Batch],
    destination: Any,
    encoding: Encoding,
    input_: Input,
    output_options: Mapping[str, Any],
) -> None:
    """Write batches of statements; arguments as for `write_changes`, with the input itself.

    A frame that is a graph or a dataset stays one where the output is of the same type.
    """
    options = None
    if encoding is JELLY:
        assert input_.encoding is not None
        options = make_stream_options(input_.options, output_options, input_.encoding)
    else:
        refuse_options(encoding, output_options)
    with StatementWriter(destination, options, format=encoding.name) as writer:
        is_grouped = options is not None and options.is_grouped
        for batch in batches:
            writer.write_all(batch)
            if is_grouped:
                writer.end_frame(batch.metadata)
