"""Tests changes to a SPARQL endpoint through rdflib's store: each transaction is one update."""

from typing import Any

import pytest
from rdflib import Dataset, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.live.fuseki.support import Fuseki
from tests.live.fuseki.test_fuseki import G, P, S, add, delete, held

BAD = URIRef("urn:bad")


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the updates that were sent."""
    sent: list[str] = []
    update = SPARQLUpdateStore._update

    def take(self: Any, text: str) -> Any:
        sent.append(text)
        return update(self, text)

    monkeypatch.setattr(SPARQLUpdateStore, "_update", take)
    return sent


@pytest.fixture(params=[True, False], ids=["autocommit", "commit"])
def dataset(fuseki: Fuseki, request: pytest.FixtureRequest) -> Dataset:
    found = fuseki.dataset()
    found.store.autocommit = request.param
    return found


def test_each_transaction_is_one_update(
    fuseki: Fuseki, dataset: Dataset, updates: list[str]
) -> None:
    updates.clear()
    patch = [
        *[add(0), add(0, G), (Op.TX,), add(1), delete(0), add(1), delete(5), (Op.TC,)],
        *[(Op.TX,), add(2), (Op.TA,), (Op.TX,), add(3), delete(3), add(3), (Op.TC,)],
        *[(Op.TX,), delete(7), (Op.TC,), (Op.END,), add(4)],
    ]
    result = jr.apply(patch, dataset)
    assert len(updates) == 4
    assert held(fuseki) == [0, 1, 3, 4]
    assert (result.added, result.deleted) == (6, 2)
    assert (result.committed, result.aborted) == (5, 1)


# rdflib does not close a response that was an error.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_update_that_the_endpoint_refuses_leaves_nothing(
    fuseki: Fuseki, dataset: Dataset, updates: list[str]
) -> None:
    jr.apply([add(0)], dataset)
    write = dataset.store.node_to_sparql
    # A literal that no endpoint can parse.
    dataset.store.node_to_sparql = lambda node: "<" if node == BAD else write(node)
    with pytest.raises(ValueError, match="something wrong"):
        jr.apply([(Op.TX,), add(1), delete(0), (Op.A, S, BAD, S, None), (Op.TC,)], dataset)
    assert held(fuseki) == [0]
    # Nor does the store keep anything to send with the next update.
    jr.apply([add(3)], dataset)
    assert held(fuseki) == [0, 3]


def test_two_spellings_of_a_literal(fuseki: Fuseki, dataset: Dataset) -> None:
    integer = URIRef("http://www.w3.org/2001/XMLSchema#integer")
    one, other = (Literal(text, datatype=integer, normalize=False) for text in ("01", "1"))
    rows = [(Op.A, S, P, one, None), (Op.D, S, P, other, None)]
    jr.apply([(Op.TX,), *rows, (Op.TC,)], dataset)
    together = fuseki.quads()
    fuseki.clear()
    for row in rows:
        jr.apply([row], dataset)
    assert fuseki.quads() == together
