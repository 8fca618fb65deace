"""Timed tasks on recordings: recorded changes, and the same changes without recording."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rdflib import Dataset, Graph

import jelly_rdflib as jr

from .data import Inputs
from .log_works import count_changes, history
from .works import Work

__all__ = ["CHANGES", "Changes"]


@dataclass
class State:
    """The changed dataset and the changes; all terms, triples and graphs are already made."""

    dataset: Dataset
    triples: list[tuple[Graph, Any]]
    quads: list[Any]
    file: io.BytesIO


@dataclass(frozen=True)
class Changes:
    """Changes made with one of rdflib's methods.

    Args:
        name: The name of the method.
        make: Makes the changes.
        store: The name of the store to change.
        is_full: Whether the store has all quads before the changes.
        count: Counts the changes.
        target: The wanted speed with recording, as a fraction of that without.
    """

    name: str
    make: Callable[[State, Inputs], Any]
    store: str = "default"
    is_full: bool = False
    count: Callable[[Inputs], int] = lambda inputs: len(inputs.quads)
    target: float | None = 0.5

    def prepare(self, inputs: Inputs) -> State:
        dataset = Dataset(self.store)
        graphs = {g: dataset.graph(g) for g in {quad[3] for quad in inputs.quads}}
        quads = [(s, p, o, graphs[g]) for s, p, o, g in inputs.quads]
        if self.is_full:
            dataset.addN(quads)
        return State(dataset, [(quad[3], quad[:3]) for quad in quads], quads, io.BytesIO())

    def plain(self, inputs: Inputs) -> Work:
        """Return the task of making the changes without recording."""
        return Work(
            self.name, lambda state: self.make(state, inputs), prepare=lambda: self.prepare(inputs)
        )

    def recorded(self, inputs: Inputs) -> Work:
        """Return the task of making the changes while they are recorded into memory."""

        def run(state: State) -> State:
            with jr.record(state.dataset, state.file):
                self.make(state, inputs)
            return state

        return Work(
            f"{self.name}, recorded",
            run,
            prepare=lambda: self.prepare(inputs),
            check=lambda state: count_statements(state.file) == self.count(inputs),
        )


def count_statements(file: io.BytesIO) -> int:
    return sum(
        op in (jr.Op.A, jr.Op.D) for batch in jr.read_batches(file.getvalue()) for op in batch.ops
    )


def add(state: State, inputs: Inputs) -> None:
    for graph, triple in state.triples:
        graph.add(triple)


def add_all(state: State, inputs: Inputs) -> None:
    state.dataset.addN(state.quads)


def remove(state: State, inputs: Inputs) -> None:
    for graph, triple in state.triples:
        graph.remove(triple)


def remove_subjects(state: State, inputs: Inputs) -> None:
    for s in dict.fromkeys(quad[0] for quad in inputs.quads):
        pattern: Any = (s, None, None)
        state.dataset.remove(pattern)


def parse(state: State, inputs: Inputs) -> None:
    state.dataset.parse(data=inputs.n_quads, format="nquads")


def apply(state: State, inputs: Inputs) -> None:
    jr.apply(inputs.jelly_patch, state.dataset)


def make_history(state: State, inputs: Inputs) -> None:
    graph = state.dataset.default_graph
    for patch in history(inputs).patches:
        for operation in patch[1:-1]:
            (graph.add if operation[0] == jr.Op.A else graph.remove)(operation[1:4])


CHANGES = (
    Changes("Graph.add", add),
    Changes("Dataset.addN", add_all),
    Changes("Graph.remove", remove, is_full=True),
    Changes("Dataset.remove of each subject", remove_subjects, is_full=True),
    Changes("Dataset.parse of N-Quads", parse),
    Changes("the history, change by change", make_history, count=count_changes),
    Changes("jr.apply", apply),
    Changes("Graph.add to a JellyStore", add, store="Jelly", target=0.8),
    Changes("jr.apply to a JellyStore", apply, store="Jelly", target=0.4),
    Changes("Graph.add to Oxigraph", add, store="Oxigraph"),
    # There is no target: Oxigraph removes a statement faster than it finds one.
    Changes("Graph.remove from Oxigraph", remove, store="Oxigraph", is_full=True, target=None),
)
