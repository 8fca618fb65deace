"""Tests the laws that apply to all logs, with random patches."""

import io
import random
import sqlite3
import uuid
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD, NamespaceManager

import jelly_rdflib as jr
from jelly_rdflib import Op, PatchLog, Replica
from tests.log.support import GRAPH, P, S, state
from tests.oracle.terms import operation, plain_operation
from tests.strategies import Stream, streams

NODES = st.sampled_from([S, P, GRAPH, BNode("b"), BNode("c")])
OBJECTS = NODES | st.sampled_from(
    [
        *(Literal("x"), Literal("x", lang="en"), Literal("x", datatype=XSD.string)),
        *(Literal("1", datatype=XSD.integer), Literal("01", datatype=XSD.integer, normalize=False)),
    ]
)
STATEMENTS = st.tuples(
    st.sampled_from([Op.A, Op.A, Op.D]),
    NODES,
    st.just(P),
    OBJECTS,
    st.sampled_from([None, DATASET_DEFAULT_GRAPH_ID, GRAPH, BNode("b")]),
)
IRIS = st.sampled_from([URIRef("urn:a#"), URIRef("urn:b#"), URIRef("urn:c#")])
PREFIXES = st.builds(
    lambda prefix, iri, g: (Op.PD if iri is None else Op.PA, prefix, iri, g),
    st.sampled_from("abc"),
    st.none() | IRIS,
    st.sampled_from([None, GRAPH]),
)
CHANGES = st.lists(st.one_of(STATEMENTS, STATEMENTS, PREFIXES), max_size=6)
TRANSACTIONS = st.builds(
    lambda changes, end: changes if end is None else [(Op.TX,), *changes, (end,)],
    CHANGES,
    st.sampled_from([None, Op.TC, Op.TC, Op.TA]),
)
PATCHES = st.lists(
    st.lists(TRANSACTIONS, max_size=4).map(lambda parts: list(chain.from_iterable(parts))),
    min_size=1,
    max_size=8,
)


def make_log(folder: Path, patches: list[Any], dice: random.Random) -> tuple[PatchLog, list[Any]]:
    """Return a log with patches, and the expected state of each version."""
    log = PatchLog.create(folder / uuid.uuid4().hex / "log", compression=dice.choice([None, "zst"]))
    dataset = Dataset()
    dataset.namespace_manager = NamespaceManager(dataset, bind_namespaces="none")
    expected = [state(dataset)]
    for patch in patches:
        log.append(patch)
        jr.apply(patch, dataset)
        expected.append(state(dataset))
    return log, expected


@given(patches=PATCHES, dice=st.randoms(use_true_random=True))
def test_a_version_is_what_its_patches_make(
    folder: Path, patches: list[Any], dice: random.Random
) -> None:
    log, expected = make_log(folder, patches, dice)
    for version in dice.sample(range(1, len(expected)), dice.randrange(len(expected))):
        log.snapshot(version)
    for version, data in enumerate(expected):
        assert state(log.checkout(version)) == data
    assert log.verify(deep=True) == []


@settings(max_examples=20)
@given(patches=PATCHES, dice=st.randoms(use_true_random=True))
def test_a_squash_keeps_all_other_versions(
    folder: Path, patches: list[Any], dice: random.Random
) -> None:
    log, expected = make_log(folder, patches, dice)
    for _ in range(3):
        versions = [0, *(entry.version for entry in log.patches())]
        for version in dice.sample(versions[1:], min(2, len(versions) - 1)):
            log.snapshot(version)
        before, last = sorted(dice.sample(versions, 2))
        entry = log.squash(before + 1, last)
        assert entry.version == last
        kept = [version for version in versions if not before < version < last]
        assert [0, *(each.version for each in log.patches())] == kept
        for version in kept:
            assert state(log.checkout(version)) == expected[version]
        assert log.verify(deep=True) == []
        assert set(log.snapshots) <= set(kept)
    # The log is also correct without its snapshots.
    with closing(sqlite3.connect(log.path / "log.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM snapshots")
    for entry in log.patches():
        assert state(log.checkout(entry.version)) == expected[entry.version]


@given(patches=PATCHES, dice=st.randoms(use_true_random=True))
def test_a_target_may_stop_anywhere_on_its_way(
    folder: Path, patches: list[Any], dice: random.Random
) -> None:
    log, expected = make_log(folder, patches, dice)
    replica = Replica(log.path.parent / "replica")
    dataset = log.checkout(0)
    version = 0
    for stop in sorted(dice.choices(range(len(expected)), k=3)):
        version = log.replay(dataset, since=version, upto=stop)
        assert replica.update(log, upto=stop) == version == stop
        assert state(dataset) == state(replica.dataset) == expected[stop]
        replica = Replica(replica.path)
        assert state(replica.dataset) == expected[stop]


@given(patches=PATCHES, dice=st.randoms(use_true_random=True))
def test_a_squashed_patch_is_no_longer_than_those_it_is_made_of(
    folder: Path, patches: list[Any], dice: random.Random
) -> None:
    log, _ = make_log(folder, patches, dice)
    changes = (Op.A, Op.D, Op.PA, Op.PD)
    count = sum(each[0] in changes for entry in log.patches() for each in entry.read())
    # A single patch is not changed, so append another.
    log.append([])
    operations = list(log.squash().read())
    statements = [each[1:] for each in operations if each[0] in (Op.A, Op.D)]
    assert len(statements) == len(set(statements))
    assert sum(each[0] in changes for each in operations) <= count


@given(stream=streams())
def test_what_is_appended_is_read_again(folder: Path, stream: Stream) -> None:
    """A valid patch with any terms is read back as quads, unchanged except for its ids."""
    log = PatchLog.create(folder / uuid.uuid4().hex)
    fields = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
    options = jr.PatchOptions(
        rdf_star=stream.options["rdf_star"],
        generalized_statements=stream.options["generalized_statements"],
        **{field: stream.options[field] for field in fields},
    )
    patches = [
        [each for each in patch if each[:2] not in (("H", "id"), ("H", "prev"))]
        for patch in stream.patches
    ]
    for plain_patch in patches:
        # rdflib normalizes a few lexical forms.
        patch = [plain_operation(operation(each)) for each in plain_patch]
        entry = log.append([operation(each) for each in patch], options=options)
        found = [plain_operation(each) for each in entry.operations()]
        found = [each for each in found if each[:2] not in (("H", "id"), ("H", "prev"))]
        assert found == [*patch, ("END",)]
        # The same applies to a file with the patch.
        file = io.BytesIO()
        with jr.PatchWriter(file, options) as writer:
            writer.write_all(map(operation, patch))
            writer.end_patch()
        again = log.append(file.getvalue(), options=options)
        assert [each for each in again.operations() if each[0] != Op.H] == [
            each for each in entry.operations() if each[0] != Op.H
        ]
    assert log.verify() == []
