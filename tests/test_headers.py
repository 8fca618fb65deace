"""Tests `Patch.header`, the headers by key."""

import pickle

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.headers import Headers

ONE, TWO = URIRef("urn:1"), URIRef("urn:2")


@pytest.mark.parametrize("spelled", ["prev", "PREV", "previous", "Previous"])
def test_keys_are_found_as_jena_finds_them(spelled: str) -> None:
    header = jr.Patch([(jr.Op.H, "ID", ONE), (jr.Op.H, spelled, TWO)]).header
    assert header == {"ID": ONE, spelled: TWO}
    for found in (header, pickle.loads(pickle.dumps(header))):
        assert found["id"] == found.get("Id") == ONE
        for key in ("prev", "previous", "PREVIOUS"):
            assert key in found
            assert found[key] == found.get(key) == TWO
    assert "by" not in header
    assert 5 not in header
    assert (header.get("by"), header.get("by", ONE)) == (None, ONE)
    with pytest.raises(KeyError, match="by"):
        header["by"]


def test_of_a_key_that_comes_again_the_last_value_counts() -> None:
    assert Headers([("id", ONE), ("ID", TWO)]) == {"ID": TWO}
    # Jena does the same.
    assert Headers([("prev", ONE), ("previous", TWO)]) == {"prev": ONE}
    assert Headers([("previous", TWO), ("prev", ONE)]) == {"prev": ONE}
    assert Headers([("previous", TWO), ("PREVIOUS", ONE)]) == {"PREVIOUS": ONE}
