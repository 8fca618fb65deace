"""What can be done with a store: each use tried out, and what it says where it can't be done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from rdflib import XSD, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.graph.stores.at_hand import AT_HAND, Failure, StoreAtHand, exact_state

__all__ = ["PAGE", "USES", "lines_of", "try_out", "write_page"]

PAGE = Path(__file__).parents[3] / "docs" / "stores.md"
START, END = "<!-- written by python -m tests.graph.stores -->\n", "<!-- to here -->\n"

S, P, Q = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:q")
TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)
PREFIX = (Op.PA, "ex", URIRef("http://example.org/"), None)


def filled(target: Graph) -> set[str]:
    """Put some statements into a target; return what it has."""
    graphs = [target]
    if isinstance(target, Dataset):
        graphs = [target.default_graph, target.graph(URIRef("urn:g"))]
    for graph in graphs:
        for o in (Literal("old"), Literal("kept", lang="en"), S):
            graph.add((S, P, o))
    return content(target)


def content(target: Graph) -> set[str]:
    # Some stores have "x"^^xsd:string for
    # "x", which to RDF 1.1 is the same.
    adds = (op[1:] for op in jr.diff(type(target)(), target) if op[0] == Op.A)
    return {str(terms).replace(f", datatype={XSD.string!r}", "") for terms in adds}


def apply(target: Graph) -> None:
    before = filled(target)
    g = URIRef("urn:g") if isinstance(target, Dataset) else None
    add, delete = (Op.A, S, P, Literal("new"), g), (Op.D, S, P, Literal("old"), g)
    result = jr.apply([TX, PREFIX, add, delete, add, TC], target)
    assert (result.added, result.deleted, result.prefixes_added) == (1, 1, 1)
    assert len(content(target) ^ before) == 2
    assert target.store.namespace("ex") == PREFIX[2]
    assert jr.apply([(Op.PD, "ex", None, None)], target).prefixes_deleted == 1
    assert target.store.namespace("ex") is None


def record(target: Graph) -> None:
    filled(target)
    copy = type(target)()
    jr.diff(copy, target).apply(copy)
    with jr.record(target) as recorder:
        target.add((S, Q, Literal("new")))
        target.remove((None, P, Literal("old")))
        target.remove((S, P, S))
        target.bind("ex", PREFIX[2])
    assert PREFIX in list(recorder.patch)
    recorder.patch.apply(copy)
    assert content(copy) == content(target)


def update(target: Graph) -> None:
    filled(target)
    copy = type(target)()
    jr.diff(copy, target).apply(copy)
    with jr.record(target) as recorder:
        target.update("INSERT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o FILTER(isLiteral(?o)) }")
        target.update("DELETE DATA { <urn:s> <urn:p> <urn:s> }")
    assert recorder.added == 2
    recorder.patch.apply(copy)
    assert content(copy) == content(target)


def undo(target: Graph) -> None:
    filled(target)
    before = exact_state(target)
    g = URIRef("urn:h") if isinstance(target, Dataset) else None
    changes = [PREFIX, (Op.A, S, P, Literal("new"), g), (Op.D, S, P, Literal("old"), None)]
    assert jr.apply([TX, *changes, TA], target).aborted == 1
    assert exact_state(target) == before
    with suppress(Failure), jr.record(target):
        jr.apply(changes, target)
        raise Failure
    assert exact_state(target) == before


def diff(target: Graph) -> None:
    filled(target)
    other = type(target)()
    other.add((S, P, Literal("kept", lang="en")))
    other.add((S, Q, Literal("new")))
    jr.diff(target, other).apply(target)
    assert content(target) == content(other)


USES: dict[str, Callable[[Graph], None]] = {
    "apply": apply,
    "record": record,
    "update": update,
    "undo": undo,
    "diff": diff,
}


def try_out(store: StoreAtHand) -> dict[str, str]:
    """Return what each use says: nothing where it works.

    Raises:
        Exception: One fails, and not by an error of ours.
    """
    said = {}
    for name, use in USES.items():
        with store.make() as target:
            try:
                use(target)
                said[name] = ""
            except jr.JellyError as error:
                said[name] = f"`{type(error).__name__}`: {error}"
    return said


def lines_of(store: StoreAtHand, said: dict[str, str]) -> tuple[str, list[str]]:
    """Return the row of a store, and what is said below of what does not work."""
    kind = "Dataset" if store.is_dataset else "Graph"
    cells = [store.name, kind, *("no" if said[use] else "yes" for use in USES)]
    row = f"| {' | '.join(cells)} |\n"
    return row, [f"- **{store.name}**, {use}: {text}\n" for use, text in said.items() if text]


@contextmanager
def _going_on(store: StoreAtHand) -> Iterator[None]:
    try:
        yield
    except pytest.skip.Exception as reason:
        print(f"{store}: {reason}")


def write_page(stores: Iterable[StoreAtHand] = AT_HAND) -> None:
    """Write the table into the page. The rows of stores that are not at hand stay as they are."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(START)
    table, _, tail = rest.partition(END)
    rows = re.findall(r"^\| (?!Store|--)(.*?) \|.*\n", table, re.MULTILINE)
    lines = {name: re.findall(rf"^\| {re.escape(name)} \|.*\n", table, re.M)[0] for name in rows}
    notes = {name: re.findall(rf"^- \*\*{re.escape(name)}\*\*.*\n", table, re.M) for name in rows}
    for store in stores:
        with _going_on(store):
            lines[store.name], notes[store.name] = lines_of(store, try_out(store))
    table = f"| Store | as a | {' | '.join(USES)} |\n|---|---|{'---|' * len(USES)}\n"
    below = "".join(line for each in notes.values() for line in each)
    PAGE.write_text(
        f"{head}{START}{table}{''.join(lines.values())}\n{below}{END}{tail}", encoding="utf-8"
    )
