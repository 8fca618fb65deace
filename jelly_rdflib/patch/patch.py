"""One patch, and the operations on it: invert, compact, effective, apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.algebra.invert import invert
from jelly_rdflib.graph.apply import ApplyResult, apply
from jelly_rdflib.streams.patch_operations import PatchOperations

if TYPE_CHECKING:
    from rdflib.graph import Graph


class Patch(PatchOperations):
    """One RDF Patch: operations in order, its headers among them, without the `Op.END`.

    Iterating gives the operations, any number of times. A patch can be pickled.

    Args:
        operations: Operations as tuples. An `Op.END` as the last one is left out.

    Raises:
        ValueError: There is an `Op.END` before the last operation: that is more than one patch.

    Examples:
        >>> from rdflib import URIRef
        >>> from jelly_rdflib import Op
        >>> patch = Patch([(Op.H, "id", URIRef("urn:uuid:1")), (Op.TX,), (Op.TC,)])
        >>> patch.header
        {'id': rdflib.term.URIRef('urn:uuid:1')}
        >>> len(patch)
        3
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return (Patch, (list(self),))

    def __repr__(self) -> str:
        return f"<Patch: {len(self)} operations, header {self.header}>"

    def invert(self) -> Patch:
        """Return the inverse: the patch that undoes this one.

        See `jelly_rdflib.invert`.

        Raises:
            PatchError, ApplyError: As by `jelly_rdflib.invert`.
        """
        return Patch(invert(self))

    def compact(self, *, assume_effective: bool = False) -> Patch:
        """Return the smallest patch that does the same to any dataset.

        See `jelly_rdflib.compact`.

        Args:
            assume_effective: As for `jelly_rdflib.compact`.

        Raises:
            ApplyError: As by `jelly_rdflib.compact`.
        """
        return Patch(compact(self, assume_effective=assume_effective))

    def effective(self, dataset: Graph) -> Patch:
        """Return the part of the patch that changes something in a graph or dataset.

        See `jelly_rdflib.effective`.

        Args:
            dataset: As for `jelly_rdflib.effective`.

        Raises:
            ApplyError: As by `jelly_rdflib.effective`.
        """
        return Patch(effective(self, dataset))

    def apply(self, target: Graph, *, atomic: bool = True) -> ApplyResult:
        """Apply the patch to a graph or dataset.

        Args:
            target: As for `jelly_rdflib.apply`.
            atomic: As for `jelly_rdflib.apply`.

        Raises:
            ApplyError: As by `jelly_rdflib.apply`.
        """
        return apply(self, target, atomic=atomic)
