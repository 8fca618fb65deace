"""The difference of two graphs or datasets, as a patch."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.patch import Patch
from jelly_rdflib.stores.contents import Contents, sort_triples

__all__ = ["diff"]


def diff(old: Graph, new: Graph) -> Patch:
    """Return the patch that turns one graph or dataset into another.

    Terms are the same where rdflib finds them equal, and blank nodes where their labels are. Two
    Graphs make a patch of triples; if either is a Dataset it is one of quads, where a Graph is
    taken for a default graph. Named graphs without statements can't be told from graphs that are
    not there.

    For rdflib and its Memory store ``"x"`` and ``"x"^^xsd:string`` are two literals; for RDF 1.1
    and for stores such as Oxigraph's they are one, which oxrdflib gives as ``"x"^^xsd:string``.
    Where both stores tell them apart, so does the difference. Where either does not, a statement
    that has them is the same in both spellings: it is deleted only if ``new`` has neither, and
    added only if ``old`` has neither. Whether a store tells them apart is seen by what it answers.

    The patch is for ``old``, and for what has the same statements in the same spelling: applied
    to a store that takes both spellings for one, the difference of two that tell them apart may
    delete too much, and the spelling of one store need not be found in another.

    Args:
        old: What the patch is for: a Graph, Dataset or ConjunctiveGraph. One graph of a dataset
            may be compared with another.
        new: What it makes of it.

    Returns:
        A patch with one transaction; without any operation if there is no difference. Prefixes
        come first, deletes before adds: gone or changed ones are deleted, new or changed ones
        added, in the order of their names. Then statements, deletes before adds: in the order of
        their graphs (the default graph first), subjects, predicates and objects, each by its kind
        (IRIs, blank nodes, literals), then by code points.

    Raises:
        TypeError: ``old`` or ``new`` is neither a graph nor a dataset.

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
    """
    before, after = Contents(old), Contents(new)
    is_quads = before.is_dataset or after.is_dataset
    changes = [
        *_diff_prefixes(old, new, DATASET_DEFAULT_GRAPH_ID if is_quads else None),
        *_missing_statements(Op.D, before, after, is_quads=is_quads),
        *_missing_statements(Op.A, after, before, is_quads=is_quads),
    ]
    return Patch([(Op.TX,), *changes, (Op.TC,)] if changes else [])


def _diff_prefixes(old: Graph, new: Graph, g: Node | None) -> list[Operation]:
    before = {prefix: URIRef(iri) for prefix, iri in old.namespaces()}
    after = {prefix: URIRef(iri) for prefix, iri in new.namespaces()}
    gone = sorted(prefix for prefix, iri in before.items() if after.get(prefix) != iri)
    come = sorted(prefix for prefix, iri in after.items() if before.get(prefix) != iri)
    return [
        *((Op.PD, prefix, before[prefix], g) for prefix in gone),
        *((Op.PA, prefix, after[prefix], g) for prefix in come),
    ]


def _missing_statements(
    op: Op, contents: Contents, other: Contents, *, is_quads: bool
) -> Iterator[Operation]:
    """Yield an operation for each statement that is in the contents and not in the other."""
    for name in contents.names():
        missing = (
            triple
            for triple in contents.triples(name)
            if not other.has(triple, name)
            and not any(other.has(alias, name) for alias in contents.aliases(triple, name))
        )
        g = name if is_quads else None
        for s, p, o in sort_triples(missing):
            yield (op, s, p, o, g)
