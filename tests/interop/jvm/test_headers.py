"""Tests header keys: like Jena, we ignore their case, and read previous as prev."""

from pathlib import Path

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from tests.interop.jvm.peer import Peer, PeerError

ONE = URIRef("uuid:0686c69d-8f89-4496-acb5-744f0157a8d1")
TWO = URIRef("uuid:0686c69d-8f89-4496-acb5-744f0157a8d2")
IDS = {ONE: ("iri", str(ONE)), TWO: ("iri", str(TWO))}


@pytest.mark.parametrize("id", ["id", "ID", "Id"])
@pytest.mark.parametrize("prev", ["prev", "PREV", "previous", "Previous"])
def test_keys_are_the_same(peer: Peer, id: str, prev: str) -> None:
    data = f"H {id} <{TWO}> .\nH {prev} <{ONE}> .\nH By <urn:x> .\n".encode()
    theirs = peer.read_headers(data, "rdfp")
    assert theirs == {"id": IDS[TWO], "prev": IDS[ONE], "by": ("iri", "urn:x")}
    (patch,) = jr.read_patches(data, format="rdf-patch")
    assert {key: ("iri", str(patch.header[key])) for key in theirs} == theirs
    assert list(jr.validate(data, format="rdf-patch")) == []


@pytest.mark.parametrize("first", ["prev", "previous"])
def test_prev_counts_where_there_is_previous_too(peer: Peer, first: str) -> None:
    second = {"prev": "previous", "previous": "prev"}[first]
    data = f"H {first} <{ONE}> .\nH {second} <{TWO}> .\n".encode()
    wanted = ONE if first == "prev" else TWO
    assert peer.read_headers(data, "rdfp") == {"prev": IDS[wanted]}
    (patch,) = jr.read_patches(data, format="rdf-patch")
    assert patch.header["prev"] == wanted


@pytest.mark.parametrize(("one", "other"), [("id", "ID"), ("by", "BY")])
def test_a_key_in_two_spellings_is_refused(
    peer: Peer, one: str, other: str, tmp_path: Path
) -> None:
    data = f"H {one} <{ONE}> .\nH {other} <{TWO}> .\n".encode()
    with pytest.raises(PeerError, match=f"Duplicate key {one}"):
        peer.read_headers(data, "rdfp")
    assert [fault.rule for fault in jr.validate(data, format="rdf-patch")] == ["header-twice"]
    with pytest.raises(jr.LogError):
        jr.PatchLog.create(tmp_path / "log").append(data, format="rdf-patch")


def test_jena_reads_what_a_log_has(peer: Peer, tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.append([(jr.Op.H, "ID", ONE), (jr.Op.H, "By", Literal("a"))])
    entry = log.append([(jr.Op.H, "PREVIOUS", ONE), (jr.Op.H, "ID", TWO)])
    found = peer.read_headers(entry.path.read_bytes(), "jellyp")
    assert found == {"id": IDS[TWO], "prev": IDS[ONE]}
