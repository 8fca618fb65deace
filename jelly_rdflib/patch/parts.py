"""Patches of batches."""

from __future__ import annotations

from collections.abc import Iterable

from jelly_rdflib.core.batch import Batch, BatchBuilder, BatchSlice
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.patch.patch import Patch

# The parts are no input of strangers: their text is of graphs that are in memory.
_LIMITS = Limits(max_string_size=2**31 - 1, max_text_size=2**31 - 1)


def join_parts(parts: Iterable[Operation | Batch]) -> Patch:
    """Return the patch of batches, and of operations between them.

    An operation is of a transaction or a prefix of the default graph.
    """
    builder = BatchBuilder(make_node_factory(normalize=False), _LIMITS)
    batches: list[Batch] = []
    for part in parts:
        if isinstance(part, Batch):
            if len(builder):
                batches.append(builder.take(has_graphs=True))
            batches.append(part)
            continue
        if part[0] == Op.PA or part[0] == Op.PD:
            op, prefix, iri, _ = part
            builder.add_row(op, builder.string(prefix), 0, builder.iri(str(iri)))
        else:
            builder.add_row(part[0])
    if len(builder):
        batches.append(builder.take(has_graphs=True))
    return Patch.of_slices([BatchSlice(batch, 0, len(batch)) for batch in batches])
