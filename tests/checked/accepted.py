"""Calls that pass strict type checks, and the types of their results."""

from __future__ import annotations

import gzip
import io
import mmap
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from rdflib import Dataset, Graph, Namespace, URIRef
from rdflib.term import Node

import jelly_rdflib as jr

if TYPE_CHECKING:
    from typing_extensions import assert_never, assert_type

EX = Namespace("http://example.org/")
DATASET = Dataset()


def read(path: Path, data: bytes, view: memoryview, mapped: mmap.mmap, file: BinaryIO) -> None:
    sources: list[jr.Readable] = [path, str(path), data, bytearray(data), view, mapped, file]
    sources += [io.BytesIO(data), gzip.open(path), sys.stdin.buffer, open(path, "rb", buffering=0)]
    for source in sources:
        assert_type(jr.apply(source, DATASET), jr.ApplyResult)
        assert_type(jr.apply(source, "http://localhost/ds/patch"), jr.RemoteResult)
        assert_type(jr.validate(source), list[jr.Fault])
        assert_type(list(jr.read_statements(source, format="ttl")), list[jr.Statement])
    for patch in jr.read_patches(path, format="application/rdf-patch"):
        assert_type(patch, jr.Patch)
        jr.apply(patch, DATASET)
        assert_type(patch[0], jr.Operation)
        assert_type(patch[1:], jr.Patch)
    for batch in jr.read_batches(DATASET):
        jr.apply(batch, DATASET)
    jr.apply(jr.invert(jr.concat(data, jr.read_operations(path))), DATASET)
    assert_type(jr.read_operations(data).options, jr.PatchOptions | None)
    assert_type(jr.read_statements(data).options, jr.StreamOptions | None)


def find(operation: jr.Operation) -> str:
    match operation:
        case (jr.Op.A, s, p, o, g):
            assert_type((s, p, o), tuple[Node, Node, Node])
            assert_type(g, Node | None)
        case (jr.Op.D, s, *_):
            assert_type(s, Node)
        case (jr.Op.PA, prefix, iri, _):
            assert_type(prefix, str)
            assert_type(iri, URIRef)
        case (jr.Op.PD, prefix, old, _):
            assert_type(prefix, str)
            assert_type(old, URIRef | None)
        case (jr.Op.H, key, value):
            assert_type(key, str)
            assert_type(value, Node)
        case (jr.Op.TX | jr.Op.TC | jr.Op.TA | jr.Op.END,):
            pass
        case _:
            assert_never(operation)
    if operation[0] == jr.Op.H:
        return operation[1]
    if operation[0] == jr.Op.A:
        assert_type(operation[4], Node | None)
    return operation[0].name


def make(op: Literal[jr.Op.A, jr.Op.D], triples: Graph) -> Iterator[jr.Operation]:
    yield (jr.Op.TX,)
    yield (jr.Op.PA, "ex", URIRef(EX), None)
    for s, p, o in triples:
        yield (op, s, p, o, None)
    yield (jr.Op.TC,)


def write(path: Path, file: BinaryIO, log: jr.PatchLog, format: jr.ChangeFormat) -> None:
    operations: list[jr.Operation] = [(jr.Op.A, EX.s, EX.p, EX.o, EX.g)]
    with jr.PatchWriter(path, jr.PatchOptions(stream_type="FLAT"), format="jellyp") as writer:
        writer.write_all(operations)
    jr.PatchWriter(file, format=format).write_all(make(jr.Op.D, DATASET.default_graph))
    jr.PatchWriter(sys.stdout.buffer, jr.PatchOptions.small(rdf_star=True))
    jr.StatementWriter(io.BytesIO(), format="trig").write_all(DATASET.quads())
    jr.StatementWriter(path, jr.StreamOptions(physical_type="TRIPLES", logical_type=14))
    patch = jr.Patch(operations)
    assert_type(patch.serialize(format=format), bytes)
    log.append(patch, prev="0686c69d-8f89-4496-acb5-744f0157a8db")
    log.append(operations)
    patches: list[jr.Patch] = []
    for sink in (None, log, patches, writer):
        assert_type(jr.record(DATASET, sink), jr.Recorder)
    jr.record(DATASET, "changes.rdfp", format="rdf-patch")
    jr.record(DATASET, file, options=jr.PatchOptions())
