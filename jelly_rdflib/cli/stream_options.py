"""The options of a Jelly stream that a command writes: from the user, or else from its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import click

from jelly_rdflib.cli.inputs import StartedInput
from jelly_rdflib.formats import Format
from jelly_rdflib.options import (
    LogicalStreamType,
    PatchOptions,
    PatchStatementType,
    PatchStreamType,
    PhysicalStreamType,
    StreamOptions,
)

# The types that allow everything that the other types allow.
_WIDEST = {
    "statement_type": PatchStatementType.QUADS,
    "stream_type": PatchStreamType.PUNCTUATED,
    "physical_type": PhysicalStreamType.QUADS,
    "stream_name": "",
}
_SIZES = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
# The fields of options that a writer copies from a stream that was read. (The version follows
# from them.)
_KEPT = {
    PatchOptions: ("statement_type", "stream_type"),
    StreamOptions: ("stream_name", "physical_type", "logical_type", "namespace_declarations"),
}


def join_options(several: Sequence[Any], *, is_joined: bool = False) -> dict[str, Any]:
    """Return fields of options that allow what the options of several streams allow.

    All options are of one kind. ``is_joined`` means that the patches of several streams become one
    stream.
    """
    joined: dict[str, Any] = {}
    for name in ("rdf_star", "generalized_statements", *_SIZES, *_KEPT[type(several[0])]):
        values = {getattr(each, name) for each in several}
        if len(values) == 1:
            joined |= {name: values.pop()}
        elif name in _WIDEST:
            joined[name] = _WIDEST[name]
        elif name != "logical_type":
            joined[name] = max(values)
    if is_joined and joined.get("stream_type") == PatchStreamType.FLAT:
        # A FLAT stream has one patch.
        joined["stream_type"] = PatchStreamType.PUNCTUATED
    return joined


def make_options(
    inputs: Sequence[Any],
    format: Format,
    chosen: Mapping[str, Any],
    *,
    has_graphs: bool = True,
    has_prefixes: bool = True,
    is_joined: bool = False,
) -> PatchOptions | StreamOptions | None:
    """Make the options of an output; None for a format without options.

    Args:
        inputs: The options of the inputs that are Jelly of the output's kind.
        format: The format of the output.
        chosen: The values of `jelly_options`.
        has_graphs, has_prefixes: Whether the other inputs may have graphs, or prefixes.
        is_joined: As for `join_options`.
    """
    chosen = {name: value for name, value in chosen.items() if value is not None}
    kind: Any = format.options_type
    type_field = "physical_type" if kind is StreamOptions else "stream_type"
    known = {"options_from", "stream_type", "preset"}
    if kind is not None:
        known |= {field.name for field in fields(kind)}
    for name in chosen.keys() - (known if kind is not None else set()):
        jelly = "Jelly" if kind is None else "Jelly-RDF"
        raise click.UsageError(
            f"{_spelling(name)} is for {jelly}: {format.name} has no such option"
        )
    if kind is None:
        return None

    # A stream should declare only features that it may use, so these are False if the inputs don't
    # declare them.
    made: dict[str, Any] = {"rdf_star": False, "generalized_statements": False}
    if kind is StreamOptions:
        types = PhysicalStreamType
        made["physical_type"] = types.QUADS if has_graphs else types.TRIPLES
        made["namespace_declarations"] = has_prefixes
    path = chosen.pop("options_from", None)
    if path is not None:
        inputs = [StartedInput(path).options]
        if type(inputs[0]) is not kind:
            raise click.UsageError(f"{path} has no {format.title} options")
    if inputs:
        made |= join_options(inputs, is_joined=is_joined and path is None)
    preset = chosen.pop("preset", None)
    if preset is not None:
        for name in _SIZES:
            made.pop(name, None)
    if "stream_type" in chosen:
        enum = PatchStreamType if kind is PatchOptions else PhysicalStreamType
        made[type_field] = _find_type(enum, chosen.pop("stream_type"), "stream_type")
    if "logical_type" in chosen:
        chosen["logical_type"] = _find_type(
            LogicalStreamType, chosen["logical_type"], "logical_type"
        )
    elif not LogicalStreamType.is_consistent(
        made.get("logical_type") or 0, made.get("physical_type", 0)
    ):
        # Drop the logical type: with another physical type frames lose their meaning.
        del made["logical_type"]
    try:
        options: PatchOptions | StreamOptions = getattr(kind, preset or "big")(**(made | chosen))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return options


def _spelling(name: str) -> str:
    """Return the command-line option for a field of options."""
    params = click.get_current_context().command.params
    return next(param.opts[0] for param in params if param.name == name)


def _find_type(enum: Any, name: str, option: str) -> Any:
    try:
        return enum[name.upper().replace("-", "_")]
    except KeyError:
        names = ", ".join(member.name.lower() for member in enum)
        raise click.BadParameter(
            f"{name!r} is not one of {names}", param_hint=f"'{_spelling(option)}'"
        ) from None
