"""Calls that type checkers must reject: the lines that end with ``# refused``, and no others."""

from __future__ import annotations

import io
from pathlib import Path

from rdflib import Dataset, Namespace, URIRef

import jelly_rdflib as jr

EX = Namespace("http://example.org/")
FILE = io.BytesIO()


def sources(dataset: Dataset, path: Path, patches: list[jr.Patch]) -> None:
    jr.apply(3, dataset)  # refused
    jr.apply(None, dataset)  # refused
    jr.apply(dataset, dataset)  # refused
    jr.apply(patches, dataset)  # refused
    jr.apply(path, b"target")  # refused
    jr.apply(open(path), dataset)  # refused
    jr.apply([path], dataset)  # refused
    jr.apply((jr.Op.TX,), dataset)  # refused
    jr.read_operations([(jr.Op.TX,)])  # refused
    jr.read_operations(dataset)  # refused
    jr.read_patches(3)  # refused
    jr.read_statements(io.StringIO())  # refused
    jr.read_batches([])  # refused
    jr.concat(path, 3)  # refused
    jr.inspect(dataset)  # refused
    jr.PatchDecoder().decode_frame("frame")  # refused
    jr.PatchLog(path).append(3)  # refused
    jr.PatchLog(path).checkout(1.5)  # refused


def formats(dataset: Dataset, path: Path, patch: jr.Patch, name: str) -> None:
    jr.read_operations(path, format="rdfpatch")  # refused
    jr.read_operations(path, format="turtle")  # refused
    jr.read_operations(path, format=name)  # refused
    jr.read_statements(path, format="jelly-patch")  # refused
    jr.apply(path, dataset, format="nt")  # refused
    jr.PatchWriter(FILE, format="n-quads")  # refused
    jr.StatementWriter(FILE, format="rdf-patch")  # refused
    patch.serialize(format="jelly-rdf")  # refused
    jr.validate(path, format="csv")  # refused


def options(dataset: Dataset, path: Path, patch: jr.Patch, log: jr.PatchLog) -> None:
    jr.PatchWriter(path, jr.StreamOptions())  # refused
    jr.StatementWriter(path, jr.PatchOptions())  # refused
    jr.PatchWriter(path, jr.PatchOptions(), format="rdf-patch")  # refused
    jr.StatementWriter(path, jr.StreamOptions(), format="turtle")  # refused
    patch.serialize(format="rdf-patch", options=jr.PatchOptions())  # refused
    patch.save(path, format="rdfpb", options=jr.PatchOptions())  # refused
    jr.record(dataset, log, options=jr.PatchOptions())  # refused
    jr.record(dataset, path, format="rdf-patch", options=jr.PatchOptions())  # refused
    jr.record(dataset, 3)  # refused
    jr.PatchOptions(physical_type="TRIPLES")  # refused
    jr.PatchOptions(stream_type="QUADS")  # refused
    jr.PatchOptions.small(namespace_declarations=True)  # refused
    jr.StreamOptions(stream_type="FLAT")  # refused
    jr.StreamOptions.big(logical_type="TRIPLES")  # refused
    jr.Limits(max_frame_sizes=1)  # refused
    jr.read_operations(path, on_repeated_options="stop")  # refused


def operations(operation: jr.Operation, writer: jr.PatchWriter) -> None:
    writer.write((jr.Op.A, EX.s, EX.p, EX.o))  # refused
    writer.write((jr.Op.A, "s", EX.p, EX.o, None))  # refused
    writer.write((jr.Op.TX, EX.s))  # refused
    writer.write((jr.Op.PA, "ex", "http://example.org/", None))  # refused
    writer.write((jr.Op.H, URIRef("urn:key"), "value"))  # refused
    writer.add(EX.s, EX.p, "o")  # refused
    operation[1]  # refused
    if operation[0] == jr.Op.H:
        operation[3]  # refused
