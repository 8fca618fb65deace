"""Operations of RDF Patch: the vocabulary that readers, writers and uses share.

An operation is a plain tuple that starts with an `Op`:

| operation | tuple |
|---|---|
| header | ``(Op.H, key, value)`` |
| transaction start, commit, abort | ``(Op.TX,)`` ``(Op.TC,)`` ``(Op.TA,)`` |
| prefix add | ``(Op.PA, prefix, iri, graph)`` |
| prefix delete | ``(Op.PD, prefix, iri or None, graph)`` |
| statement add, delete | ``(Op.A, s, p, o, g)`` ``(Op.D, s, p, o, g)`` |
| end of one patch | ``(Op.END,)`` |

``graph`` and ``g`` are None in a stream of triples; in a stream of quads the default graph is
rdflib's ``DATASET_DEFAULT_GRAPH_ID``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias


class Op(IntEnum):
    """The kind of an operation; the names are the row codes of RDF Patch.

    `END` is not a row of RDF Patch: it stands after the last operation of each patch.

    Examples:
        >>> Op.A
        <Op.A: 7>
        >>> Op(9).name
        'END'
    """

    H = 1
    TX = 2
    TC = 3
    TA = 4
    PA = 5
    PD = 6
    A = 7
    D = 8
    END = 9


Operation: TypeAlias = tuple[Any, ...]
"""One operation: a tuple whose first element is an `Op`."""

Statement: TypeAlias = tuple[Any, ...]
"""One statement: ``(s, p, o)``, or ``(s, p, o, g)`` in a stream of quads or graphs."""
