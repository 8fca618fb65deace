"""Tests that a list of operations is applied in batches, and an iterator's one by one."""

from typing import Any

import pytest
from rdflib import XSD, BNode, Dataset, Literal, URIRef, Variable
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")


class Own(URIRef):
    """A subclass of a term class, as a program may define one."""

    __slots__ = ()


ODD: tuple[Any, ...] = (
    (Op.A, Literal("x"), P, Literal("x"), G),
    (Op.A, S, BNode("p"), S, G),
    (Op.A, S, P, 5, G),
    (Op.D, S, P, None, None),
    (Op.A, S, P, Literal("\ud800"), G),
    (Op.A, S, P, jr.TripleTerm(S, P, S), G),
    (Op.A, S, P, S, Literal("g")),
    (Op.D, S, P, S, Variable("g")),
    (Op.A, S, P, S),
    (7, S, P, Literal("of a plain number"), G),
    ("A", S, P, S, G),
    (Op.A, Own("http://example.org/own"), P, Literal("x", datatype=XSD.string), None),
    (Op.A, S, P, Literal("1.50", datatype=XSD.decimal), DATASET_DEFAULT_GRAPH_ID),
    (Op.D, S, P, Literal("x", lang="EN"), G),
    (Op.TC,),
    (Op.END,),
    None,
)


@pytest.mark.parametrize("is_atomic", [True, False])
@pytest.mark.parametrize("count", [0, 1, 64, 1100])
@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_a_list_is_applied_as_operations_that_come_one_by_one(
    odd: Any, count: int, is_atomic: bool
) -> None:
    many: list[Any] = [(Op.A, S, P, Literal(f"x{n % 700}", lang="En"), G) for n in range(count)]
    many += [odd, (Op.D, S, P, Literal("x1", lang="EN"), G), (Op.A, S, P, Literal("last"), None)]
    seen = []
    for make in (list, iter):
        dataset = Dataset(jr.JellyStore())
        dataset.add((S, P, Literal("x", lang="en"), G))
        given: Any = (each for each in many) if make is iter else many
        try:
            end: Any = jr.apply(given, dataset, atomic=is_atomic)
        except Exception as error:
            end = type(error), str(error)
        seen.append((end, sorted(map(repr, dataset.quads()))))
    assert seen[0] == seen[1]
