"""Computes the difference between two graphs or datasets as a patch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Dataset, Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.formats import Format
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.canonical.differ import differ
from jelly_rdflib.graph.canonical.quads import Quad, is_blank
from jelly_rdflib.graph.graphs import empty_dataset
from jelly_rdflib.graph.stores.contents import Contents, sort_names, sort_triples
from jelly_rdflib.graph.stores.prefixes import Bindings, find_own_bindings, used_in
from jelly_rdflib.operations import ChangeOp, Op, Operation
from jelly_rdflib.options import Directions
from jelly_rdflib.patch.patch import Patch, join_parts
from jelly_rdflib.streams.open_input import closing_reader, open_input
from jelly_rdflib.terms import identity

_Triple: TypeAlias = tuple[Node, Node, Node]


def diff(
    old: Graph | str | os.PathLike[str],
    new: Graph | str | os.PathLike[str],
    *,
    canonical: bool | None = None,
    directions: Directions = "keep",
) -> Patch:
    """Return the patch that turns one graph, dataset or file into another.

    Blank nodes are compared by their labels. But if either side is a file in Turtle, TriG, N3,
    RDF/XML or JSON-LD, where a node need not have a label, they are compared by their statements.
    ``canonical`` overrides this. For two Graphs the patch has triples. If either side is a Dataset
    or a file, it has quads, and a Graph counts as a default graph. A named graph without
    statements counts as missing.

    Prefixes are compared if both sides can have them. If one side is a file or a checkout of a
    log, rdflib may have bound prefixes of its own to the other side only. The patch never deletes
    these, and adds them only if new statements use them.

    With ``canonical`` blank nodes are compared by their statements, not by their labels. Statements
    connected by blank nodes are a component. Components with the same canonical form (RDFC-1.0) are
    equal, whatever else changed. In the other components blank nodes are paired: first nodes that
    some statement distinguishes from all others, then those with the most in common. The
    patch has only the statements in which the pairs differ. It may be larger than necessary, since
    finding the smallest difference takes exponential time; here the work is bounded by the number
    of statements. Deleted statements have the labels of ``old``, so that the patch applies to
    ``old`` directly. The labels of new blank nodes consist of their RDFC-1.0 label and a hash of
    their component: ``_:c14n0-6f1e…``. So the same change gives the same patch, whatever labels
    ``new`` has. Applied to ``old``, the patch gives a dataset that is isomorphic to ``new``.

    RDFC-1.0 takes exponential time if many blank nodes look alike. So if a component has more than
    four such nodes, they are first distinguished by the statements around them. Nodes that are not
    interchangeable may still look the same, as in some regular graphs without any text, or
    comparing them may take too long. Then the difference may be larger than necessary, but it is
    correct.

    Literals are compared as in RDF 1.1: ``"x"`` equals ``"x"^^xsd:string``, and the case of
    language tags is ignored.

    Each statement of ``old`` is looked up in ``new``, and the other way round. The difference is
    kept in memory; with ``canonical``, so are all statements with blank nodes.

    Args:
        old: The target of the patch: a Graph, Dataset or ConjunctiveGraph, or the path of an RDF
            file, whose literals keep their spelling. It may be one graph of a dataset, and ``new``
            another one.
        new: The result of the patch.
        canonical: True: compare blank nodes by their statements, which needs the extra
            ``syntaxes``. False: by their labels. None: by their statements if either side is a file
            whose syntax has nodes without labels.
        directions: What to do with the base directions of literals in files: ``"keep"`` makes
            them an error here, ``"drop"`` leaves them out; see `jelly_rdflib.read_statements`.

    Returns:
        A patch with one transaction; an empty patch if both sides are equal. Prefixes come first,
        deletes before adds, in the order of their names; a changed prefix is deleted and added.
        Statements follow, deletes before adds, in the order of their graphs (the default graph
        first), subjects, predicates and objects. These are ordered by kind (IRIs, blank nodes,
        literals), then by code points.

    Raises:
        TypeError: ``old`` or ``new`` is neither a graph nor a dataset nor a file.
        LookupError: The name of a file has the extension of a format of changes.
        OSError, DecodeError, LimitError: A file can't be read.
        PatchError: A store is not open. With ``canonical``: a statement with a blank node has a
            term in a position that RDF 1.1 forbids, such as a blank node as predicate.
        ImportError: With ``canonical``: pyoxigraph is missing.

    See Also:
        - `record`: record changes as they are made.
        - `effective`: the operations of a patch that change something.

    Examples:
        >>> from rdflib import Literal
        >>> old, new = Graph(), Graph()
        >>> _ = old.add((URIRef("urn:s"), URIRef("urn:p"), Literal("old")))
        >>> _ = new.add((URIRef("urn:s"), URIRef("urn:p"), Literal("new")))
        >>> new.bind("ex", "urn:ex#")
        >>> for operation in diff(old, new):
        ...     print(operation[0].name, *operation[1:])
        TX
        PA ex urn:ex# None
        D urn:s urn:p old None
        A urn:s urn:p new None
        TC
        >>> patch = diff(old, new)
        >>> _ = patch.apply(old)
        >>> len(diff(old, new))
        0

        >>> old, new = Graph(), Graph()
        >>> turtle = "[] <urn:p> <urn:a>, [ <urn:q> <urn:b> ] ."
        >>> _ = old.parse(data=turtle, format="turtle")
        >>> _ = new.parse(data=turtle, format="turtle")
        >>> len(diff(old, new)), len(diff(old, new, canonical=True))
        (8, 0)

        >>> from pathlib import Path
        >>> path = Path("maker.ttl")
        >>> _ = path.write_text("[] <urn:p> <urn:a>, [ <urn:q> <urn:b> ] .")
        >>> len(diff(path, path)), len(diff(path, path, canonical=False))
        (0, 0)
    """
    formats: list[Format] = []
    graphs: list[Any] = []
    for side in (old, new):
        if isinstance(side, str | os.PathLike):
            graph, format = _load(side, directions)
            formats.append(format)
            graphs.append(graph)
        elif isinstance(side, Graph):
            graphs.append(side)
        else:
            raise TypeError(
                f"give a Graph or Dataset or the path of a file, not {type(side).__name__}; the"
                " data of a log are log.checkout()"
            )
    return diff_read(*graphs, formats=formats, canonical=canonical)


def diff_read(
    old: Graph, new: Graph, *, formats: Sequence[Format], canonical: bool | None
) -> Patch:
    """Return the difference as `diff` does; ``formats`` are the formats of files that were read."""
    if canonical is None:
        canonical = not all(format.labels_last for format in formats)
    before, after = Contents(old), Contents(new)
    bound: list[dict[str, URIRef]] = [{}, {}]
    unasked: Bindings = set()
    if all(format.has_prefixes for format in formats):
        bound = [
            {prefix: URIRef(iri) for prefix, iri in graph.namespaces()} for graph in (old, new)
        ]
        # Find the prefixes that rdflib has bound by itself to one side only.
        unasked = find_own_bindings(old) ^ find_own_bindings(new)
    patch = _diff(before, after, bound, unasked, canonical=canonical)
    patch._prefixes = {str(iri): prefix for each in bound for prefix, iri in each.items()}
    return patch


def _load(path: str | os.PathLike[str], directions: Directions) -> tuple[Dataset, Format]:
    opened = open_input(path, holds_changes=False, directions=directions)
    format = opened.look()
    dataset = empty_dataset()
    batches = opened.open()
    with closing_reader(batches):
        for batch in batches:
            apply(batch, dataset, atomic=False)
    return dataset, format


def _diff(
    before: Contents,
    after: Contents,
    bound: list[dict[str, URIRef]],
    unasked: Bindings,
    *,
    canonical: bool,
) -> Patch:
    statements: list[Any] = []
    deleted = added = None
    if not canonical:
        deleted = before.missing_batches(after, Op.D)
        added = after.missing_batches(before, Op.A)
    if deleted is not None and added is not None:
        statements = [*deleted, *added]
    else:
        deletes = _missing_triples(before, after, only_ground=canonical)
        adds = _missing_triples(after, before, only_ground=canonical)
        if canonical:
            _differ_by_blank_nodes(before, after, deletes, adds)
        statements = [*_operations(Op.D, deletes), *_operations(Op.A, adds)]
    changes = [*_diff_prefixes(bound[0], bound[1], unasked, statements), *statements]
    if not changes:
        return Patch()
    changes = [(Op.TX,), *changes, (Op.TC,)]
    return Patch(changes) if deleted is None or added is None else join_parts(changes)


def _diff_prefixes(
    before: dict[str, URIRef], after: dict[str, URIRef], unasked: Bindings, statements: list[Any]
) -> list[Operation]:
    """Return the prefix changes.

    ``unasked`` are bindings that rdflib has made by itself on one side. If the other side does not
    bind the prefix or the IRI, such a binding is left out, unless it is new and the statements use
    it.
    """
    gone, come = (
        {
            binding
            for binding in one.items() - other.items()
            if binding not in unasked or binding[0] in other or binding[1] in other.values()
        }
        for one, other in ((before, after), (after, before))
    )
    waiting = (unasked & after.items()) - before.items() - come
    for part in statements:
        if not waiting:
            break
        used = used_in(_added_text(part), waiting)
        waiting -= used
        come |= used
    return [
        *((Op.PD, prefix, iri, None) for prefix, iri in sorted(gone)),
        *((Op.PA, prefix, iri, None) for prefix, iri in sorted(come)),
    ]


def _added_text(part: Operation | Batch) -> bytes:
    """Return the text of all terms of an addition, or of a batch of additions."""
    if isinstance(part, Batch):
        return bytes(part.terms.data) if part.ops[0] == Op.A else b""
    if part[0] != Op.A:
        return b""
    return " ".join(f"{term} {getattr(term, 'datatype', '')}" for term in part[1:]).encode()


def _missing_triples(
    contents: Contents, other: Contents, *, only_ground: bool
) -> dict[Node, list[_Triple]]:
    """Return the triples that ``other`` lacks, by graph.

    With ``only_ground`` leave out triples with blank nodes.
    """
    missing: dict[Node, list[_Triple]] = {}
    for name, triple in contents.missing(other):
        if not (only_ground and (is_blank(name) or _has_blank_node(triple))):
            missing.setdefault(name, []).append(triple)
    return missing


def _differ_by_blank_nodes(
    before: Contents,
    after: Contents,
    deletes: dict[Node, list[_Triple]],
    adds: dict[Node, list[_Triple]],
) -> None:
    """Add the statements with blank nodes to the deletes and adds."""
    old, new = _blank_quads(before), _blank_quads(after)
    changes = differ(old, new)
    for by_graph, quads in zip((deletes, adds), changes, strict=True):
        for s, p, o, name in quads:
            by_graph.setdefault(name, []).append((s, p, o))


def _blank_quads(contents: Contents) -> list[Quad]:
    return [
        (*triple, name)
        for name in contents.graphs
        for triple in contents.triples(name)
        if is_blank(name) or _has_blank_node(triple)
    ]


def _has_blank_node(triple: _Triple) -> bool:
    s, p, o = triple
    return is_blank(s) or is_blank(o) or is_blank(p)


def _operations(op: ChangeOp, triples: dict[Node, list[_Triple]]) -> Iterator[Operation]:
    """Yield an operation for each triple, sorted by graph and then by triple."""
    for name in sort_names(triples):
        g = None if name == DATASET_DEFAULT_GRAPH_ID else name
        seen = set()
        for s, p, o in sort_triples(triples[name]):
            # A store may have two spellings of a statement: delete both, but add only one.
            if op == Op.A:
                key = s, p, identity(o)
                if key in seen:
                    continue
                seen.add(key)
            yield (op, s, p, o, g)
