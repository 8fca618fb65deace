"""`merge` merges two patches that were made on the same base."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import Node

from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.algebra.headers import JoinedHeaders
from jelly_rdflib.algebra.sources import settings_for
from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.operations import operation_text
from jelly_rdflib.display.table import Table
from jelly_rdflib.display.terms import show
from jelly_rdflib.display.words import count, shorten
from jelly_rdflib.errors import MergeConflict, PatchError
from jelly_rdflib.headers import ID, PREV, Headers, header_key
from jelly_rdflib.operations import Header, Op, Operation, PrefixChange
from jelly_rdflib.options import Limits
from jelly_rdflib.patch.patch import Patch, join_parts
from jelly_rdflib.terms import identity

# The key of a statement: keys of its subject, predicate, object and graph.
_Key: TypeAlias = tuple[Any, Any, Any, Any]
# The subject, predicate and graph.
_Property: TypeAlias = tuple[Any, Any, Any]
# The maximum number of characters of an operation in the `repr` of a conflict.
_MOST_SHOWN = 200


@dataclass(frozen=True)
class Conflict:
    """Changes of two patches that can't both be made.

    Attributes:
        kind: ``"statement"``: one patch adds a statement that the other deletes. ``"value"``: both
            delete the same value of a subject's property, but don't add the same values.
            ``"prefix"``: both change the same prefix, but in different ways, or bind different
            prefixes to the same IRI.
        ours, theirs: The operations of each patch.

    Examples:
        >>> import jelly_rdflib as jr
        >>> from rdflib import Literal, URIRef
        >>> statement = (URIRef("urn:s"), URIRef("urn:p"), Literal("o"), None)
        >>> try:
        ...     merged = jr.merge([(Op.A, *statement)], [(Op.D, *statement)])
        ... except jr.MergeConflict as error:
        ...     print(error.conflicts)
        [<Conflict: statement, ours A <urn:s> <urn:p> "o", theirs D <urn:s> <urn:p> "o">]
    """

    kind: Literal["statement", "value", "prefix"]
    ours: tuple[Operation, ...]
    theirs: tuple[Operation, ...]

    def __repr__(self) -> str:
        return f"<Conflict: {self.kind}, ours {_first(self.ours)}, theirs {_first(self.theirs)}>"

    def _repr_html_(self) -> str:
        return Conflicts([self])._repr_html_()


class Conflicts(list[Conflict]):
    """A list of conflicts, which a notebook shows as a table: ours next to theirs."""

    def _repr_html_(self) -> str:
        rows = [
            row
            for each in self
            for row in zip_longest(
                [each.kind],
                map(operation_text, each.ours),
                map(operation_text, each.theirs),
                fillvalue="",
            )
        ]
        table = Table(("conflict", "ours", "theirs"), rows, left=(0, 1, 2))
        return report_html(count(len(self), "conflict"), [table])


def _first(operations: Sequence[Operation]) -> str:
    """Return the first operation as text, and the number of other operations."""
    if not operations:
        return "nothing"
    more = f" and {len(operations) - 1:,} more" if len(operations) > 1 else ""
    return shorten(operation_text(operations[0]), _MOST_SHOWN) + more


def merge(
    ours: Any,
    theirs: Any,
    *,
    base: Graph | None = None,
    favor: Literal["ours", "theirs"] | None = None,
    by_value: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
) -> Patch:
    """Return one patch with the changes of two patches that were made on the same base.

    Only the net effect of each patch counts, as with `compact`; with ``base``, only operations that
    change something in it count, as with `effective`. A change that both patches make is made once.
    Changes that can't both be made are conflicts (see `Conflict`): then the merge fails, unless
    ``favor`` selects the side to keep. Without conflicts the result has the effect of both patches
    one after the other, in either order.

    If each operation of a patch changes something, as with `record` and `diff`, the patch adds
    only statements that the base lacks and deletes only statements that the base has. So one such
    patch never adds a statement that another deletes. With ``base`` this is true of any patches. In
    RDF a property may have several values: if two patches replace a value with different ones, the
    merge has both new values. With ``by_value`` this is a conflict.

    Prefixes are compared for all graphs together, as rdflib binds them. Blank nodes with the same
    label are the same. Memory holds the distinct statements of both patches.

    Args:
        ours: Bytes, a path, a binary file, or operations, such as a `Patch`; see
            `jelly_rdflib.apply`. If it has several patches, they count as one.
        theirs: The same for the other side.
        base: The Graph or Dataset that both patches are for. It is not changed.
        favor: ``"ours"`` or ``"theirs"``: the side whose changes stay in a conflict; those of the
            other side are left out.
        by_value: Whether two patches conflict if they delete the same value of a subject's property
            in a graph, but don't add the same values there.
        limits: Limits on each source that is read; see `jelly_rdflib.compact`.
        normalize: Whether literals of sources that are read get the normal form of their value;
            see `jelly_rdflib.apply`.
        format: The name, extension or media type of the format of all sources that are read; see
            `jelly_rdflib.apply`.

    Returns:
        A patch with one transaction, or without any if no change is left. It has no ``id``, since
        it is new. It has the ``prev`` of the patches. Other headers are kept, without duplicates.

    Raises:
        MergeConflict: Changes conflict, and no side is favoured. The error lists all conflicts.
        PatchError: The ``prev`` headers differ, so the patches were made on different bases.
        ValueError: ``favor`` is neither of the sides.
        ApplyError, DecodeError, LimitError, TypeError, LookupError, OSError: As for `compact` and
            `effective`.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> def replace(old: str, new: str) -> Patch:
        ...     return Patch([(Op.D, s, p, Literal(old), None), (Op.A, s, p, Literal(new), None)])
        >>> merged = merge(replace("a", "b"), replace("c", "d"))
        >>> print(merged)
        TX .
        D <urn:s> <urn:p> "a" .
        A <urn:s> <urn:p> "b" .
        D <urn:s> <urn:p> "c" .
        A <urn:s> <urn:p> "d" .
        TC .
        >>> merge(replace("a", "b"), replace("b", "c"))
        Traceback (most recent call last):
        jelly_rdflib.errors.MergeConflict: 1 conflict, the first: ours has A <urn:s> <urn:p> \
"b" ., and theirs has D <urn:s> <urn:p> "b" .
        >>> len(merge(replace("a", "b"), replace("a", "c")))
        5
        >>> len(merge(replace("a", "b"), replace("a", "c"), by_value=True, favor="theirs"))
        4
    """
    if favor not in (None, "ours", "theirs"):
        raise ValueError(f"favor is {favor!r}: it must be 'ours', 'theirs' or None")

    def reduce(source: Any, reading: dict[str, Any]) -> _NetEffect:
        operations = compact(source, **reading)
        return _NetEffect(operations if base is None else effective(operations, base))

    reading = settings_for(ours, theirs, limits=limits, normalize=normalize, format=format)
    sides = reduce(ours, reading[0]), reduce(theirs, reading[1])
    headers = _merge_headers(sides)
    conflicts = Conflicts()
    prefixes = _merge_prefixes(sides, favor, conflicts.append)
    statements = _merge_statements(sides, favor, by_value, conflicts.append)
    if conflicts and favor is None:
        first = conflicts[0].ours, conflicts[0].theirs
        mine, others = (" ".join(str(Patch(side)).splitlines()) for side in first)
        raise MergeConflict(
            f"{count(len(conflicts), 'conflict')}, the first: ours has {mine}, and theirs has"
            f" {others}",
            conflicts,
        )
    changes = [*prefixes, *statements]
    return join_parts([*headers, (Op.TX,), *changes, (Op.TC,)] if changes else headers)


class _NetEffect:
    """The net effect of one patch."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.headers: list[Header] = []
        self.prefixes: list[PrefixChange] = []
        self.statements: dict[_Key, Operation] = {}
        for operation in operations:
            if operation[0] == Op.A or operation[0] == Op.D:
                _, s, p, o, g = operation
                graph = DATASET_DEFAULT_GRAPH_ID if g is None else g
                self.statements[tuple(map(identity, (s, p, o, graph)))] = operation
            elif operation[0] == Op.PA or operation[0] == Op.PD:
                self.prefixes.append(operation)
            elif operation[0] == Op.H:
                self.headers.append(operation)


def _merge_headers(sides: tuple[_NetEffect, _NetEffect]) -> list[Operation]:
    prev: Node | None = None
    joined = JoinedHeaders()
    for side in sides:
        found = Headers((key, value) for _, key, value in side.headers).get(PREV)
        if prev is not None and found is not None and prev != found:
            raise PatchError(
                f"the patches are for different bases: ours comes after {show(prev)} (prev), "
                f"and theirs after {show(found)}"
            )
        prev = found if prev is None else prev
        for _, key, value in side.headers:
            if header_key(key) not in (ID, PREV):
                joined.add(key, value)
        joined.end_patch()
    first: list[Operation] = [] if prev is None else [(Op.H, PREV, prev)]
    return first + joined.operations()


def _merge_prefixes(
    sides: tuple[_NetEffect, _NetEffect], favor: str | None, tell: Callable[[Conflict], None]
) -> list[Operation]:
    """Return the prefix operations of both sides, or of the favoured side.

    In rdflib a prefix has one IRI, and an IRI has one prefix: a new binding of either replaces the
    old one. So operations with the same prefix or IRI form a group, and groups are compared.
    """
    ours, theirs = (side.prefixes for side in sides)
    merged: list[Operation] = []
    for group in _join_by_names([*ours, *theirs]):
        mine = tuple(each for each in ours if each[1] in group)
        others = tuple(each for each in theirs if each[1] in group)
        if not mine or not others or mine == others:
            merged += mine or others
        elif _effects(mine) == _effects(others) and not _differ_in_a_graph(mine, others):
            # Both sides have the same effect, though their operations differ: they are for
            # different graphs, or only one has the IRI of a deleted prefix.
            known = set(others)
            merged += [*(each for each in mine if each not in known), *others]
        else:
            tell(Conflict("prefix", mine, others))
            merged += mine if favor == "ours" else others
    return merged


def _effects(operations: Iterable[PrefixChange]) -> list[tuple[Any, ...]]:
    """Return the effects of operations in rdflib, each once: where it occurs last."""
    return list(dict.fromkeys(reversed(list(map(_effect, operations)))))


def _effect(operation: PrefixChange) -> tuple[Any, ...]:
    op, prefix, iri, _ = operation
    return (op, prefix, str(iri) if op == Op.PA else None)


def _differ_in_a_graph(mine: Iterable[PrefixChange], others: Iterable[PrefixChange]) -> bool:
    """Return whether a graph ends with two bindings of a prefix, if each graph has its own."""
    ours, theirs = ({each[1::2]: _effect(each) for each in side} for side in (mine, others))
    return any(ours[name] != theirs[name] for name in ours.keys() & theirs.keys())


def _join_by_names(operations: list[PrefixChange]) -> Iterator[set[str]]:
    """Yield sets of prefixes; those that operations bind to the same IRI are in one set."""
    groups: dict[str, set[str]] = {}
    owners: dict[str, str] = {}
    for op, prefix, iri, _ in operations:
        group = groups.setdefault(prefix, {prefix})
        if op == Op.PA and (other := groups[owners.setdefault(str(iri), prefix)]) is not group:
            small, large = sorted((group, other), key=len)
            large |= small
            groups |= dict.fromkeys(small, large)
    yield from {id(group): group for group in groups.values()}.values()


def _merge_statements(
    sides: tuple[_NetEffect, _NetEffect],
    favor: str | None,
    by_value: bool,
    tell: Callable[[Conflict], None],
) -> list[Operation]:
    """Return the statement changes of both sides, or of the favoured side."""
    ours, theirs = (side.statements for side in sides)
    rivals = _find_rivals(ours, theirs) if by_value else {}
    for mine, others in rivals.values():
        tell(
            Conflict(
                "value",
                tuple(ours[key] for key in mine),
                tuple(theirs[key] for key in others),
            )
        )
    merged, dropped = (theirs, ours) if favor == "theirs" else (ours, theirs)
    for key, operation in theirs.items():
        other = ours.get(key)
        if other is not None and other[0] != operation[0] and _property(key) not in rivals:
            tell(Conflict("statement", (other,), (operation,)))
    left = {
        key: operation
        for key, operation in dropped.items()
        if key not in merged and _property(key) not in rivals
    }
    return [*merged.values(), *left.values()]


def _find_rivals(
    ours: dict[_Key, Operation], theirs: dict[_Key, Operation]
) -> dict[_Property, tuple[list[_Key], list[_Key]]]:
    """Find properties where both sides delete the same value but add different values.

    Return these properties, each with the keys of all changes that either side makes to it.
    """
    rivals: dict[_Property, tuple[list[_Key], list[_Key]]] = {
        _property(key): ([], [])
        for key, operation in theirs.items()
        if operation[0] == Op.D and ours.get(key, (None,))[0] == Op.D
    }
    for number, side in enumerate((ours, theirs)):
        for key in side:
            if (found := rivals.get(_property(key))) is not None:
                found[number].append(key)

    def added(keys: list[_Key], side: dict[_Key, Operation]) -> set[_Key]:
        return {key for key in keys if side[key][0] == Op.A}

    return {
        name: (mine, others)
        for name, (mine, others) in rivals.items()
        if added(mine, ours) != added(others, theirs)
    }


def _property(key: _Key) -> _Property:
    s, p, _, g = key
    return s, p, g
