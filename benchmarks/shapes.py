"""Generated changes whose shapes differ from schema.org's releases: sensors, distinct quads."""

from __future__ import annotations

import functools
import io
import random
from collections.abc import Callable, Iterator

from rdflib import Literal, Namespace, URIRef
from rdflib.namespace import RDF, SOSA, XSD

import jelly_rdflib as jr

from . import store_works
from .data import Inputs
from .works import Work, exhaust, parse_frames

__all__ = ["SHAPES", "distinct", "observations", "protobuf_parse_of", "read_batches_of"]

PER_OBSERVATION = 7
# This is about the number of quads in schema.org's releases.
COUNT = 250_000
SMALL = jr.PatchOptions(max_name_table_size=128, max_prefix_table_size=16)


def observations(count: int) -> Iterator[jr.Operation]:
    """Make transactions of observations by a hundred sensors in ten places, each place a graph."""
    ex = Namespace("http://example.org/building/")
    chance = random.Random(7)
    newest: dict[URIRef, URIRef] = {}
    second = 0
    for number in range(count // (PER_OBSERVATION + 2)):
        place, kind = chance.randrange(10), chance.randrange(10)
        graph = ex[f"floor/{place}"]
        sensor = ex[f"floor/{place}/sensor/{kind}"]
        this = ex[f"observation/{number}"]
        second += chance.randrange(3)
        time = f"2026-03-{1 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}"
        value = f"{chance.gauss(20, 3):.2f}"
        yield (jr.Op.TX,)
        yield (jr.Op.A, this, RDF.type, SOSA.Observation, graph)
        yield (jr.Op.A, this, SOSA.madeBySensor, sensor, graph)
        yield (jr.Op.A, this, SOSA.observedProperty, ex[f"property/{kind}"], graph)
        stamp = Literal(f"{time}:{second % 60:02}Z", datatype=XSD.dateTime, normalize=False)
        yield (jr.Op.A, this, SOSA.resultTime, stamp, graph)
        result = Literal(value, datatype=XSD.decimal, normalize=False)
        yield (jr.Op.A, this, SOSA.hasSimpleResult, result, graph)
        if sensor in newest:
            yield (jr.Op.D, sensor, ex.newest, newest[sensor], graph)
        yield (jr.Op.A, sensor, ex.newest, this, graph)
        newest[sensor] = this
        yield (jr.Op.TC,)


def distinct(count: int) -> Iterator[jr.Operation]:
    """Make a transaction that adds distinct quads."""
    yield (jr.Op.TX,)
    yield from ((jr.Op.A, *store_works.quad(number)) for number in range(count))
    yield (jr.Op.TC,)


# The changes of each shape, by name, and the options of their stream.
SHAPES: dict[str, tuple[Callable[[Inputs], Iterator[jr.Operation]], jr.PatchOptions]] = {
    "small lookups": (lambda inputs: iter(inputs.operations), SMALL),
    "distinct quads": (lambda _: distinct(COUNT), jr.PatchOptions()),
    "sensors": (lambda _: observations(COUNT), jr.PatchOptions()),
}


@functools.cache
def stream_of(name: str, inputs: Inputs) -> bytes:
    """Return a shape as Jelly-Patch."""
    make, options = SHAPES[name]
    file = io.BytesIO()
    with jr.PatchWriter(file, options=options) as writer:
        writer.write_all(make(inputs))
    return file.getvalue()


def count(name: str, inputs: Inputs) -> int:
    """Return the number of statements that a shape adds and deletes."""
    return sum(
        op in (jr.Op.A, jr.Op.D)
        for batch in jr.read_batches(stream_of(name, inputs))
        for op in batch.ops
    )


def read_batches_of(name: str) -> Callable[[Inputs], Work]:
    def make(inputs: Inputs) -> Work:
        data = stream_of(name, inputs)
        return Work(f"read_batches, {name}", lambda _: exhaust(jr.read_batches(data)))

    return make


def protobuf_parse_of(name: str) -> Callable[[Inputs], Work]:
    return lambda inputs: parse_frames("RdfPatchFrame", stream_of(name, inputs))
