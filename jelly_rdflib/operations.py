"""Operations of RDF Patch: the vocabulary that all parts of the package share.

An operation is a plain tuple that starts with an `Op`:

| operation | tuple |
|---|---|
| header | ``(Op.H, key, value)`` |
| transaction start, commit, abort | ``(Op.TX,)`` ``(Op.TC,)`` ``(Op.TA,)`` |
| prefix add | ``(Op.PA, prefix, iri, graph)`` |
| prefix delete | ``(Op.PD, prefix, iri or None, graph)`` |
| statement add, delete | ``(Op.A, s, p, o, g)`` ``(Op.D, s, p, o, g)`` |
| end of one patch | ``(Op.END,)`` |

``graph`` and ``g`` are None in a stream of triples, and for the default graph. Functions that
accept operations also accept rdflib's ``DATASET_DEFAULT_GRAPH_ID`` for the default graph.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from rdflib.term import Node, URIRef
else:
    # The core must not import rdflib.
    Node = URIRef = Any


class Op(IntEnum):
    """The kind of an operation; the names are the row codes of RDF Patch.

    `END` is not a row of RDF Patch: it follows the last operation of each patch.

    ``str`` and ``print`` show the code, ``int`` returns the number.

    Examples:
        >>> Op.A
        <Op.A: 7>
        >>> print(Op.A, int(Op.A))
        A 7
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

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec[-1:] in tuple("bcdnoxX") else self.name, spec)


Header: TypeAlias = tuple[Literal[Op.H], str, Node]
Mark: TypeAlias = tuple[Literal[Op.TX, Op.TC, Op.TA, Op.END]]
PrefixAdd: TypeAlias = tuple[Literal[Op.PA], str, URIRef, Node | None]
PrefixDelete: TypeAlias = tuple[Literal[Op.PD], str, URIRef | None, Node | None]
PrefixChange: TypeAlias = PrefixAdd | PrefixDelete
ChangeOp: TypeAlias = Literal[Op.A, Op.D]
Change: TypeAlias = tuple[ChangeOp, Node, Node, Node, Node | None]

Operation: TypeAlias = Header | Mark | PrefixChange | Change
"""One operation: a tuple whose first element is an `Op`, as in the table above.

A type checker infers the other elements from the `Op`: in ``case (Op.PA, prefix, iri, g)`` and
after ``if operation[0] == Op.PA``. Annotate a variable that holds a list:
``operations: list[jr.Operation] = [(jr.Op.TX,), (jr.Op.TC,)]``.
"""

Statement: TypeAlias = tuple[Node, ...]
"""One statement: ``(s, p, o)``, or ``(s, p, o, g)`` in a stream of quads or graphs."""

GivenStatement: TypeAlias = Statement | tuple[Node, Node, Node, Node | None]
"""A statement to be written; ``g`` may be None, as in the results of rdflib's ``quads()``."""
