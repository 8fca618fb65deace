"""Tests that the same calls give a `JellyStore` and the Memory store the same contents."""

import copy
import pickle
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.plugins.stores.memory import Memory

from jelly_rdflib import JellyStore, Op, apply

NAMES = [URIRef(f"urn:{letter}") for letter in "abcdef"]
SUBJECTS = [*NAMES, BNode("x")]
OBJECTS = [
    *NAMES,
    BNode("x"),
    Literal("a"),
    # If "c" were also used without its datatype, Memory would have two terms, but a JellyStore one.
    Literal("c", datatype=XSD.string),
    Literal("a", lang="en"),
    Literal("a", lang="EN"),
    Literal("b", lang="en-GB"),
    Literal("1", datatype=XSD.integer),
    Literal("01", datatype=XSD.integer, normalize=False),
    Literal("é\U0001f600"),
    Literal(""),
]
GRAPHS = [None, *NAMES[:3], BNode("g")]

subjects = st.sampled_from(SUBJECTS)
predicates = st.sampled_from(NAMES[:3])
objects = st.sampled_from(OBJECTS)
graphs = st.sampled_from(GRAPHS)


def spelled(triple: Any) -> tuple[Any, ...]:
    """Return a triple in a form that shows the case of its language tag."""
    s, p, o = triple
    return (s, p, str(o), type(o), getattr(o, "language", None), getattr(o, "datatype", None))


def contents(dataset: Dataset) -> set[Any]:
    return {
        (*spelled(triple), context.identifier)
        for context in dataset.store.contexts()
        for triple, _ in dataset.store.triples((None, None, None), context)
    }


class BesideMemory(RuleBasedStateMachine):
    """Makes the same changes and queries in both stores."""

    def __init__(self) -> None:
        super().__init__()
        self.jelly = Dataset(JellyStore())
        self.memory = Dataset(Memory())
        # The committed state, and the open iterators with their expected results.
        self.committed: Dataset | None = None
        self.readers: list[tuple[Any, set[Any]]] = []
        self.commit()

    def both(self) -> tuple[Dataset, Dataset]:
        return self.jelly, self.memory

    @rule(s=subjects, p=predicates, o=objects, g=graphs)
    def add(self, s: Any, p: Any, o: Any, g: Any) -> None:
        for dataset in self.both():
            dataset.store.add((s, p, o), graph_of(dataset, g))

    @rule(s=subjects, p=predicates, o=objects, g=graphs, mask=st.integers(0, 15))
    def remove(self, s: Any, p: Any, o: Any, g: Any, mask: int) -> None:
        pattern = (s if mask & 1 else None, p if mask & 2 else None, o if mask & 4 else None)
        for dataset in self.both():
            context = graph_of(dataset, g) if mask & 8 else None
            dataset.store.remove(pattern, context)

    @rule(number=st.integers(520, 600), g=graphs)
    def add_many(self, number: int, g: Any) -> None:
        """Add so many statements that the store does not search them one by one."""
        for dataset in self.both():
            graph = graph_of(dataset, g)
            for i in range(number):
                dataset.store.add((NAMES[i % 5], NAMES[i % 3], Literal(i % 550)), graph)

    @rule(g=graphs)
    def add_graph(self, g: Any) -> None:
        for dataset in self.both():
            dataset.store.add_graph(graph_of(dataset, g))

    @rule(g=graphs)
    def remove_graph(self, g: Any) -> None:
        for dataset in self.both():
            dataset.store.remove_graph(graph_of(dataset, g))

    @rule(
        rows=st.lists(st.tuples(st.booleans(), subjects, predicates, objects, graphs), max_size=8),
        is_aborted=st.booleans(),
    )
    def apply(self, rows: list[Any], is_aborted: bool) -> None:
        operations = [
            (Op.TX,),
            *((Op.A if is_add else Op.D, *terms) for is_add, *terms in rows),
            (Op.TA,) if is_aborted else (Op.TC,),
        ]
        results = [apply(operations, dataset) for dataset in self.both()]
        assert results[0] == results[1]
        self.commit()

    @rule()
    def commit(self) -> None:
        self.jelly.store.commit()
        self.committed = Dataset(Memory())
        for context in self.memory.store.contexts():
            self.committed.store.add_graph(graph_of(self.committed, context.identifier))
            for triple, _ in self.memory.store.triples((None, None, None), context):
                self.committed.store.add(triple, graph_of(self.committed, context.identifier))

    @rule()
    def roll_back(self) -> None:
        assert self.committed is not None
        self.jelly.store.rollback()
        self.memory = self.committed
        self.commit()

    @rule(p=predicates)
    def start_reading(self, p: Any) -> None:
        expected = {spelled(t) for t, _ in self.memory.store.triples((None, p, None), None)}
        self.readers.append((self.jelly.store.triples((None, p, None), None), expected))

    @precondition(lambda self: self.readers)
    @rule(steps=st.integers(0, 3))
    def go_on_reading(self, steps: int) -> None:
        """Exhaust an iterator that was started before later changes."""
        reader, expected = self.readers.pop(0)
        # If graphs have different spellings of equal literals, either spelling may be returned.
        folded = {tuple(str(part).lower() for part in triple) for triple in expected}
        found = [tuple(str(part).lower() for part in spelled(triple)) for triple, _ in reader]
        assert len(found) == len(set(found)) == len(folded)
        assert set(found) == folded

    @rule(how=st.sampled_from([copy.deepcopy, lambda store: pickle.loads(pickle.dumps(store))]))
    def copy(self, how: Any) -> None:
        copied = Dataset(how(self.jelly.store))
        assert contents(copied) == contents(self.jelly)
        assert graph_names(copied) == graph_names(self.jelly)

    @rule(s=subjects, p=predicates, o=objects, g=graphs, mask=st.integers(0, 15))
    def ask(self, s: Any, p: Any, o: Any, g: Any, mask: int) -> None:
        pattern = (s if mask & 1 else None, p if mask & 2 else None, o if mask & 4 else None)
        answers = []
        for dataset in self.both():
            context = graph_of(dataset, g) if mask & 8 else None
            found = [
                ((*triple[:2], triple[2].n3().lower()), {c.identifier for c in contexts})
                for triple, contexts in dataset.store.triples(pattern, context)
            ]
            answers.append(sorted(found, key=str))
        assert answers[0] == answers[1]
        listed = [{c.identifier for c in d.store.contexts((s, p, o))} for d in self.both()]
        assert listed[0] == listed[1]

    @invariant()
    def same_contents(self) -> None:
        jelly, memory = self.both()
        assert contents(jelly) == contents(memory)
        assert graph_names(jelly) == graph_names(memory)
        assert len(jelly.store) == len(memory.store)
        for name in GRAPHS:
            graph = graph_of(jelly, name)
            assert jelly.store.__len__(graph) == len(graph_of(memory, name))


def graph_of(dataset: Dataset, name: Any) -> Graph:
    return dataset.default_graph if name is None else Graph(dataset.store, name)


def graph_names(dataset: Dataset) -> set[Any]:
    return {context.identifier for context in dataset.store.contexts()}


TestBesideMemory = BesideMemory.TestCase
TestBesideMemory.settings = settings(stateful_step_count=20, deadline=None)
