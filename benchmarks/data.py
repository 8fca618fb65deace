"""The inputs of all benchmarks: the same quads in every format, and as ready terms.

The quads are the releases of schema.org, each a named graph. The peers' files are made once and
kept in ``.cache/bench``. The ``.jellyp`` file is written each time, since our writer's output
affects the measurements.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyoxigraph as ox
from pyjelly import jelly  # type: ignore[import-untyped]
from pyjelly.integrations.rdflib.parse import parse_jelly_flat  # type: ignore[import-untyped]
from pyjelly.integrations.rdflib.serialize import flat_stream_to_file  # type: ignore[import-untyped]
from pyjelly.options import LookupPreset, StreamParameters  # type: ignore[import-untyped]
from pyjelly.serialize.streams import SerializerOptions  # type: ignore[import-untyped]
from rdflib import BNode, Literal, URIRef
from rdflib.term import Node

import jelly_rdflib as jr

from .schemaorg import releases

__all__ = ["ALL", "DataError", "Inputs", "Quad", "load", "pyjelly_options", "stream_options"]

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
# This is part of the names of cached files: change it when the code below makes different files.
EDITION = 1
ALL = 16
XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

Quad: TypeAlias = tuple[Node, Node, Node, URIRef]


class DataError(Exception):
    """An input differs from the expected data."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """The same quads, added in one transaction, in every form that a benchmark needs."""

    about: str
    """A description of the quads."""
    quads: list[Quad]
    operations: list[jr.Operation]
    jelly_patch: bytes
    """Default options: PUNCTUATED, large lookups, 512 rows per frame."""
    jelly: bytes
    """Jelly-RDF written by pyjelly, with lookups and frames of the same size."""
    n_quads: bytes
    rdf_patch: bytes
    """RDF Patch as text."""
    jelly_patch_path: Path


@functools.cache
def load(count: int = ALL) -> Inputs:
    """Return the first ``count`` releases as inputs; make missing files."""
    found = releases()[:count]
    quads = list(read_quads(found))
    operations: list[jr.Operation] = [(jr.Op.TX,)]
    operations.extend((jr.Op.A, *quad) for quad in quads)
    operations.append((jr.Op.TC,))

    folder = CACHE / f"{count}-releases-{EDITION}"
    if not folder.exists():
        make_cached(folder, found, quads)
    jelly_patch_path = folder / "quads.jellyp"
    with jr.PatchWriter(jelly_patch_path) as writer:
        writer.write_all(operations)
    jelly_patch = jelly_patch_path.read_bytes()
    if list(jr.read_operations(jelly_patch)) != [*operations, (jr.Op.END,)]:
        raise DataError("what PatchWriter wrote does not read as what it was given")
    first, last = (name.rpartition("/")[2] for name, _ in (found[0], found[-1]))
    return Inputs(
        about=f"schema.org, releases {first} to {last}: {len(quads):,} quads in {count} graphs",
        quads=quads,
        operations=operations,
        jelly_patch=jelly_patch,
        jelly=(folder / "quads.jelly").read_bytes(),
        n_quads=(folder / "quads.nq").read_bytes(),
        rdf_patch=(folder / "quads.rdfp").read_bytes(),
        jelly_patch_path=jelly_patch_path,
    )


def read_quads(found: list[tuple[URIRef, str]]) -> Iterator[Quad]:
    """Read releases as rdflib's terms; equal terms are the same object, as in a store."""

    @functools.cache
    def term(value: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> Node:
        if isinstance(value, ox.NamedNode):
            return URIRef(value.value)
        if isinstance(value, ox.BlankNode):
            return BNode(value.value)
        if not isinstance(value, ox.Literal):
            raise DataError(f"rdflib has no term for {value}")
        if value.language is not None:
            return Literal(value.value, lang=value.language)
        datatype = None if value.datatype.value == XSD_STRING else URIRef(value.datatype.value)
        return Literal(value.value, datatype=datatype)

    for graph, text in found:
        for quad in ox.parse(text, ox.RdfFormat.N_TRIPLES):
            yield term(quad.subject), term(quad.predicate), term(quad.object), graph


def make_cached(folder: Path, found: list[tuple[URIRef, str]], quads: list[Quad]) -> None:
    """Write the peers' inputs, and check that they contain the quads."""
    statements = [
        f"{line.removesuffix('.')}<{graph}> .\n"
        for graph, text in found
        for line in text.splitlines()
    ]
    file = io.BytesIO()
    flat_stream_to_file(iter(quads), file, pyjelly_options())
    file.seek(0)
    if [tuple(quad) for quad in parse_jelly_flat(file)] != quads:
        raise DataError("what pyjelly wrote does not read as what it was given")
    if len(statements) != len(quads):
        raise DataError(f"{len(statements)} lines, but {len(quads)} quads")

    # The folder is renamed when it is complete, so an interrupted run leaves no part of it.
    unfinished = folder.with_suffix(f".{os.getpid()}")
    unfinished.mkdir(parents=True)
    (unfinished / "quads.jelly").write_bytes(file.getvalue())
    (unfinished / "quads.nq").write_text("".join(statements), encoding="utf-8")
    rows = ["TX .\n", *(f"A {statement}" for statement in statements), "TC .\n"]
    (unfinished / "quads.rdfp").write_text("".join(rows), encoding="utf-8")
    unfinished.rename(folder)


def stream_options() -> jr.StreamOptions:
    """Return our options for Jelly-RDF; `pyjelly_options` returns equal ones for pyjelly."""
    return jr.StreamOptions(frame_rows=jr.PatchOptions().frame_rows)


def pyjelly_options() -> SerializerOptions:
    """Return options for pyjelly that equal our defaults."""
    ours = jr.PatchOptions()
    return SerializerOptions(
        frame_size=ours.frame_rows,
        logical_type=jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS,
        params=StreamParameters(generalized_statements=False, rdf_star=False),
        lookup_preset=LookupPreset(
            max_names=ours.max_name_table_size,
            max_prefixes=ours.max_prefix_table_size,
            max_datatypes=ours.max_datatype_table_size,
        ),
    )
