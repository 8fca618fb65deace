"""SPARQL Update on a graph or dataset, as SPARQL 1.1 defines it.

rdflib parses an update and finds the solutions of its patterns. The changes are made here, since
rdflib 7.6 loads the graphs of ``USING`` from the network, gives patterns the graphs that ``USING``
leaves out, confuses a blank node of an update with the node of that label in the data,
inserts for one solution before it deletes for the next one, and has no ``CREATE``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from rdflib.graph import ConjunctiveGraph, Dataset, Graph
from rdflib.plugins.sparql import algebra
from rdflib.plugins.sparql import update as by_rdflib
from rdflib.plugins.sparql.evaluate import evalPart
from rdflib.plugins.sparql.parser import parseUpdate
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import QueryContext
from rdflib.term import BNode, Identifier, URIRef, Variable

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.stores.target import get_default_graph

__all__ = ["parse_update", "run_update"]

_NewNodes: TypeAlias = dict[Identifier, BNode]
# A solution: terms by variables.
_Solution: TypeAlias = Mapping[Any, Any]


def parse_update(text: str, namespaces: Mapping[str, Any]) -> list[CompValue]:
    """Return the operations of an update.

    Args:
        text: The update.
        namespaces: The IRIs of prefixes that the update need not declare.

    Raises:
        pyparsing.ParseException: The text is not an update.
        Exception: Other errors of rdflib.
    """
    update = algebra.translateUpdate(parseUpdate(text), initNs=namespaces)
    # For a text without operations, rdflib returns an empty list.
    return getattr(update, "algebra", [])


def run_update(
    target: Graph,
    operations: Iterable[CompValue],
    *,
    values: Mapping[str, Identifier] | None = None,
    network: bool,
    union: bool,
    default: Graph | None = None,
) -> None:
    """Run an update on a graph or dataset.

    The names of graphs, including those of ``USING``, are names in the dataset: no graph is loaded.
    A blank node of an update is a new one: one for each update with ``INSERT DATA``, one for each
    solution with ``INSERT``. An operation deletes for all solutions before it inserts.

    Args:
        target: The graph or dataset.
        operations: The operations of the update.
        values: The values of variables.
        network: Whether ``LOAD`` and ``SERVICE`` may read from elsewhere.
        union: Whether a pattern searches all graphs unless it names one.
        default: The graph that stands for the default graph in ``INSERT DATA``, ``DELETE DATA`` and
            changes of whole graphs, such as ``CLEAR``. None: the default graph itself.

    Raises:
        ApplyError: The update reads from elsewhere without permission, or has blank nodes in
            statements to delete (then nothing is changed); or a graph that it creates exists.
        Exception: Other errors of rdflib.
    """
    operations = list(operations)
    for operation in operations:
        _check(operation, may_load=network)
    bindings = {Variable(str(name)): value for name, value in (values or {}).items()}
    run = _Run(target, bindings, default, may_load=network, is_union=union)
    for operation in operations:
        run.try_operation(operation)


def _check(operation: CompValue, *, may_load: bool) -> None:
    """Raise an ApplyError if SPARQL, or this call, does not allow an operation."""
    if operation.name in ("DeleteData", "DeleteWhere") or operation.delete:
        for _, triples in _parts(operation.delete or operation):
            if any(isinstance(term, BNode) for triple in triples for term in triple):
                raise ApplyError(
                    "SPARQL allows no blank nodes in statements to delete: write a variable, and"
                    " find the node with a pattern"
                )
    if may_load:
        return
    if operation.name == "Load" and not operation.silent:
        _refuse_network(f"LOAD {operation.iri.n3()}")
    if operation.where:
        algebra.traverse(operation.where, visitPre=_refuse_service)


def _refuse_service(part: Any) -> None:
    if getattr(part, "name", None) == "ServiceGraphPattern":
        _refuse_network(f"SERVICE {part.term.n3()}")


def _refuse_network(what: str) -> None:
    raise ApplyError(f"{what} reads from elsewhere, which is not allowed here")


def _parts(data: CompValue) -> Iterator[tuple[Any, Any]]:
    """Yield the name of each graph, None for the default graph, and its triples."""
    yield None, data.triples or []
    yield from (data.quads or {}).items()


class _Run:
    """The state that the operations of an update share.

    Args:
        target: The graph or dataset.
        values: The values of variables.
        whole: The graph that stands for the default graph outside of patterns.
        may_load: Whether ``LOAD`` may read from elsewhere.
        is_union: Whether a pattern searches all graphs unless it names one.
    """

    def __init__(
        self,
        target: Graph,
        values: Mapping[Any, Identifier],
        whole: Graph | None,
        *,
        may_load: bool,
        is_union: bool,
    ) -> None:
        self._target = target
        self._default = (
            get_default_graph(target) if isinstance(target, ConjunctiveGraph) else target
        )
        self._whole = self._default if whole is None else whole
        self._values = values
        self._may_load = may_load
        self._is_union = is_union
        # The nodes for INSERT DATA: a label means one node in the whole update.
        self._nodes: _NewNodes = defaultdict(BNode)

    def try_operation(self, operation: CompValue) -> None:
        """Run an operation; ignore its failure if it is ``SILENT``."""
        try:
            self._run(operation)
        except Exception:
            if not operation.silent:
                raise

    def _run(self, operation: CompValue) -> None:
        name = operation.name
        if name == "InsertData":
            self._insert(operation, self._whole, [({}, self._nodes)])
        elif name == "DeleteData":
            self._delete(operation, self._whole, [{}])
        elif name == "DeleteWhere":
            self._modify(operation, _pattern(operation), delete=operation)
        elif name == "Modify":
            self._modify(operation, operation.where, operation.delete, operation.insert)
        elif name == "Load":
            if not self._may_load:
                _refuse_network(f"LOAD {operation.iri.n3()}")
            name = operation.graphiri
            graph = self._default if name is None else self._named(name)
            graph.parse(str(operation.iri))
        elif name == "Create":
            # A graph counts as existing if it has statements: a patch can't express an empty one.
            if len(self._named(operation.graphiri)) > 0:
                raise ApplyError(f"the graph {operation.graphiri.n3()} exists already")
        else:
            getattr(by_rdflib, f"eval{name}")(self._context(default=self._whole), operation)

    def _context(self, dataset: Graph | None = None, default: Graph | None = None) -> QueryContext:
        place = self._target if dataset is None else dataset
        context = QueryContext(place, initBindings=self._values)
        context.graph = self._default if default is None else default
        return context

    def _modify(
        self,
        operation: CompValue,
        pattern: CompValue,
        delete: CompValue | None = None,
        insert: CompValue | None = None,
    ) -> None:
        """Delete and insert the results of two templates for the solutions of a pattern."""
        changed = found = self._default
        if self._is_union:
            found = self._target
        if operation.withClause:
            changed = found = self._named(operation.withClause)
        context = self._context(default=found)
        if operation.using:
            context = self._using(operation.using)
        context.prologue = operation.prologue
        solutions = list(evalPart(context, pattern))
        if delete:
            self._delete(delete, changed, solutions)
        if insert:
            self._insert(insert, changed, [(each, defaultdict(BNode)) for each in solutions])

    def _using(self, clauses: list[CompValue]) -> QueryContext:
        """Return a context with only the graphs of ``USING``."""
        defaults = [self._named(each.default) for each in clauses if each.default]
        names = {each.named for each in clauses if each.named}
        merged = defaults[0] if len(defaults) == 1 else Graph()
        if len(defaults) > 1:
            for graph in defaults:
                merged += graph
        return self._context(_NamedGraphs(self._target, names), merged)

    def _named(self, name: Identifier) -> Graph:
        if not isinstance(self._target, ConjunctiveGraph):
            raise ApplyError("an update of a single graph can't name graphs: give a Dataset")
        return self._target.get_context(name)

    def _delete(self, template: CompValue, default: Graph, solutions: Iterable[_Solution]) -> None:
        for solution in solutions:
            for name, triples in self._filled(template, solution, {}):
                graph = default if name is None else self._named(name)
                for triple in triples:
                    graph.remove(triple)

    def _insert(
        self,
        template: CompValue,
        default: Graph,
        solutions: Iterable[tuple[_Solution, _NewNodes]],
    ) -> None:
        """Insert the results of a template for solutions; each solution has its own new nodes."""
        made: dict[Identifier | None, list[Any]] = defaultdict(list)
        for solution, nodes in solutions:
            for name, triples in self._filled(template, solution, nodes):
                made[name] += triples
        for name, triples in made.items():
            graph = default if name is None else self._named(name)
            graph += triples

    def _filled(
        self, template: CompValue, solution: _Solution, nodes: _NewNodes
    ) -> Iterator[tuple[Identifier | None, list[Any]]]:
        """Yield the names of a template's graphs, each with its valid RDF triples."""

        def value(term: Identifier) -> Any:
            if isinstance(term, BNode):
                return nodes[term]
            return solution.get(term, None if isinstance(term, Variable) else term)

        for name, triples in _parts(template):
            found = None if name is None else value(name)
            if name is None or isinstance(found, URIRef | BNode):
                filled = [tuple(map(value, triple)) for triple in triples]
                yield found, [triple for triple in filled if _is_rdf(*triple)]


def _is_rdf(s: Identifier | None, p: Identifier | None, o: Identifier | None) -> bool:
    return isinstance(s, URIRef | BNode) and isinstance(p, URIRef) and o is not None


def _pattern(data: CompValue) -> CompValue:
    """Return the pattern that finds the statements for a ``DELETE WHERE``."""
    (_, triples), *named = _parts(data)
    pattern = algebra.BGP(triples)
    for name, triples in named:
        pattern = algebra.Join(pattern, algebra.Graph(name, algebra.BGP(triples)))
    return pattern


class _NamedGraphs(Dataset):
    """A dataset without the named graphs that ``USING NAMED`` leaves out.

    It has the attributes that rdflib needs to evaluate a pattern.
    """

    def __init__(self, dataset: Any, names: set[Identifier]) -> None:
        super().__init__(store=dataset.store)
        self._dataset = dataset
        self._names = names

    def contexts(self, triple: Any = None) -> Generator[Graph, None, None]:
        yield from map(self._dataset.get_context, self._names)

    def get_context(self, identifier: Any, *more: Any, **settings: Any) -> Graph:
        return self._dataset.get_context(identifier) if identifier in self._names else Graph()
