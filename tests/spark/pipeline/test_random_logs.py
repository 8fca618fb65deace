"""Tests random logs: Spark's results equal the results without Spark, byte for byte."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from rdflib import XSD, BNode, Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.spark.pipeline import MARKS, compact, history, replay
from tests.spark.tables import quads_of

pytestmark = pytest.mark.usefixtures("registered")

LOGS = 50
# The number of logs in runs without slow tests.
FEW = 2
# Each term has one spelling, since Spark may return any spelling of a quad.
OBJECTS = [
    URIRef("urn:o"),
    BNode("b"),
    Literal("x"),
    Literal("x", lang="en"),
    Literal("x", lang="de-AT"),
    Literal("y", datatype=XSD.string),
    Literal(7),
    Literal('"\\\n\t\u00e4\U0001f600'),
    Literal(""),
]
VALUES = [URIRef("urn:v"), Literal("x"), Literal("x", lang="en"), Literal("x", lang="EN")]


@dataclass
class Log:
    """The patches of a log without chain headers, and the file of each patch."""

    patches: list[list[Any]]
    files: list[str]
    has_chain: bool

    @classmethod
    def random(cls, chance: random.Random) -> "Log":
        patches = [random_patch(chance) for _ in range(chance.randrange(1, 13))]
        files = [f"{chance.randrange(4)}.jellyp" for _ in patches]
        has_chain = chance.random() < 0.7
        # Without headers, the file names determine the order.
        return cls(patches, files if has_chain else sorted(files), has_chain)

    def whole(self) -> list[list[Any]]:
        """Return the patches with all their headers."""
        chain = [[(Op.H, "id", URIRef(f"urn:{n}"))] for n in range(len(self.patches))]
        for number, headers in enumerate(chain[1:]):
            headers.append((Op.H, "prev", URIRef(f"urn:{number}")))
        heads = chain if self.has_chain else [[] for _ in chain]
        return [[*head, *patch] for head, patch in zip(heads, self.patches, strict=True)]

    def write(self, folder: Path) -> None:
        """Write the files."""
        folder.mkdir()
        for name in set(self.files):
            with jr.PatchWriter(folder / name) as writer:
                for patch, file in zip(self.whole(), self.files, strict=True):
                    if file == name:
                        writer.write_all([*patch, (Op.END,)])


def random_patch(chance: random.Random) -> list[Any]:
    operations: list[Any] = [
        (Op.H, chance.choice(["by", "BY", "note"]), chance.choice(VALUES))
        for _ in range(chance.randrange(3))
    ]
    for _ in range(chance.randrange(4)):
        changes = [random_change(chance) for _ in range(chance.randrange(12))]
        end = chance.choice([Op.TC, Op.TC, Op.TC, Op.TA, None])
        operations += changes if end is None else [(Op.TX,), *changes, (end,)]
    return operations


def random_change(chance: random.Random) -> Any:
    graph = chance.choice([None, None, URIRef("urn:g"), BNode("g")])
    if chance.random() < 0.15:
        name, iri = chance.choice(["", "ex"]), URIRef(f"urn:{chance.randrange(3)}#")
        return (Op.PA, name, iri, graph) if chance.random() < 0.7 else (Op.PD, name, None, graph)
    s = chance.choice([URIRef("urn:s"), URIRef("urn:t"), BNode("b")])
    op = chance.choice([Op.A, Op.A, Op.D])
    return (op, s, URIRef("urn:p"), chance.choice(OBJECTS), graph)


def lines(rows: Iterable[Iterable[object]]) -> bytes:
    """Return the rows as sorted lines."""
    return "".join(sorted(" ".join(map(str, row)) + "\n" for row in rows)).encode()


def intervals(states: dict[Any, set[Any]]) -> list[tuple[Any, ...]]:
    """Return the rows of a history, computed from the content at each version, in version order."""
    found, since = [], {}
    for version, quads in [*states.items(), (None, set())]:
        found += [(*quad, since.pop(quad), version) for quad in set(since) - quads]
        for quad in quads - set(since):
            since[quad] = version
    return found


@pytest.mark.parametrize(
    "seed",
    [seed if seed < FEW else pytest.param(seed, marks=pytest.mark.slow) for seed in range(LOGS)],
)
def test_a_random_log(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    log = Log.random(chance)
    log.write(tmp_path / "log")
    source = spark.read.format("jelly-patch")
    changes = source.load(str(tmp_path / "log"))
    given: dict[str, Any] = {} if log.has_chain else {"order_by": "file"}
    if chance.random() < 0.5:
        given["marks"] = source.option("op", MARKS).load(str(tmp_path / "log"))

    # The key is the version, or else the last file of a version.
    dataset, states = Dataset(), {}
    for number, patch in enumerate(log.patches):
        jr.apply(patch, dataset)
        path = str(tmp_path / "log" / log.files[number])
        states[number + 1 if log.has_chain else path] = quads_of(dataset)
    upto = chance.choice(list(states))
    assert lines(replay(changes, upto=upto, **given).collect()) == lines(states[upto])
    assert lines(history(changes, **given).collect()) == lines(intervals(states))

    made = compact(changes, **given).coalesce(1).write.format("jelly-patch").mode("append")
    made.save(str(tmp_path / "compact"))
    whole = (each for patch in log.whole() for each in (*patch, (Op.END,)))
    operations = list(jr.compact(whole))
    expected = tmp_path / "expected.jellyp"
    with jr.PatchWriter(expected) as writer:
        writer.write_all(operations)
    written = [path.read_bytes() for path in (tmp_path / "compact").glob("*.jellyp")]
    # Without rows no file is written.
    assert written == ([expected.read_bytes()] if operations else [])
