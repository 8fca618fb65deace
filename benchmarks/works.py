"""Timed tasks, ours and the peers', on the same quads.

Readers are read to the end and each item is dropped at once, so that only making items is timed.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
from google.protobuf.internal import api_implementation
from pyjelly.integrations.rdflib.parse import (  # type: ignore[import-untyped]
    RDFLibJellyParser,
    parse_jelly_flat,
)
from pyjelly.integrations.rdflib.serialize import flat_stream_to_file  # type: ignore[import-untyped]
from rdflib import Dataset, Graph
from rdflib.parser import create_input_source
from rdflib.plugins.parsers.ntriples import r_tail, r_wspace
from rdflib.plugins.parsers.patch import RDFPatchParser

import jelly_rdflib as jr
from jelly_rdflib.plugins import register

from .data import Inputs, pyjelly_options, stream_options

__all__ = ["Work"]

# A package that is not installed has no entry points, so call register().
register()


@dataclass(frozen=True)
class Work:
    """A task to be timed.

    Args:
        name: The library that does the task, and in which way.
        run: Does the task with the result of ``prepare``; this is timed.
        prepare: Makes the argument of each run, untimed.
        check: Returns whether the result of ``run`` is correct, untimed.
    """

    name: str
    run: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None
    check: Callable[[Any], bool] = lambda result: True


def exhaust(items: Iterable[Any]) -> None:
    """Consume all items in C code, without keeping any."""
    deque(items, maxlen=0)


def read_batches(inputs: Inputs) -> Work:
    data = inputs.jelly_patch
    return Work("read_batches", lambda _: exhaust(jr.read_batches(data)))


def read_statement_batches(inputs: Inputs) -> Work:
    data = inputs.jelly
    return Work("read_batches of .jelly", lambda _: exhaust(jr.read_batches(data)))


def protobuf_parse(inputs: Inputs) -> Work:
    return parse_frames("RdfPatchFrame", inputs.jelly_patch)


def protobuf_parse_statements(inputs: Inputs) -> Work:
    return parse_frames("RdfStreamFrame", inputs.jelly)


def parse_frames(message: str, data: bytes) -> Work:
    """Return the task of parsing frames, split beforehand, into messages that are dropped."""
    frames = split_frames(data)
    parse = frame_parser(message)
    return Work("protobuf (upb)", lambda _: exhaust(map(parse, frames)))


def frame_parser(message: str) -> Callable[[bytes], Any]:
    """Return protobuf's function for parsing a frame."""
    if api_implementation.Type() != "upb":
        raise RuntimeError(f"protobuf is {api_implementation.Type()}, not its C implementation")
    # An import statement would make mypy check the tests too.
    schema: Any = import_module("tests.oracle.schema")
    parse: Callable[[bytes], Any] = schema.message_class(message).FromString
    return parse


def split_frames(data: bytes) -> list[bytes]:
    """Return the frames of a delimited stream."""
    frames = []
    position = 0
    while position < len(data):
        size = shift = 0
        byte = 0x80
        while byte & 0x80:
            byte = data[position]
            size |= (byte & 0x7F) << shift
            shift += 7
            position += 1
        frames.append(data[position : position + size])
        position += size
    return frames


def read_operations(inputs: Inputs) -> Work:
    data = inputs.jelly_patch
    return Work("read_operations", lambda _: exhaust(jr.read_operations(data)))


def compact(inputs: Inputs) -> Work:
    data = inputs.jelly_patch
    return Work("compact", lambda _: exhaust(jr.compact(data)))


def read_statements(inputs: Inputs) -> Work:
    data = inputs.jelly
    return Work("read_statements", lambda _: exhaust(jr.read_statements(data)))


def pyjelly_parse(inputs: Inputs) -> Work:
    data = inputs.jelly
    return Work("pyjelly parse_jelly_flat", lambda _: exhaust(parse_jelly_flat(io.BytesIO(data))))


def pyoxigraph_parse(inputs: Inputs) -> Work:
    data = inputs.n_quads
    return Work("pyoxigraph N-Quads", lambda _: exhaust(ox.parse(data, ox.RdfFormat.N_QUADS)))


def read_text(inputs: Inputs) -> Work:
    data = inputs.rdf_patch
    return Work("operations of text", lambda _: exhaust(jr.read_operations(data)))


class TermsOnly(RDFPatchParser):
    """rdflib's patch parser without a store: it makes each row's terms and drops them."""

    def add_or_remove_triple_or_quad(self, operation: Any, bnode_context: Any = None) -> None:
        parser: Any = self
        parser.eat(r_wspace)
        (parser.labeled_bnode() or parser.subject(bnode_context))
        parser.eat(r_wspace)
        parser.predicate()
        parser.eat(r_wspace)
        (parser.labeled_bnode() or parser.object(bnode_context))
        parser.eat(r_wspace)
        (parser.labeled_bnode() or parser.uriref() or parser.nodeid(bnode_context))
        parser.eat(r_tail)


def rdflib_read_patch(inputs: Inputs) -> Work:
    data = inputs.rdf_patch
    return Work(
        "rdflib patch, terms only",
        lambda _: TermsOnly().parse(create_input_source(data=data), Dataset()),
    )


def encode_text(batches: Iterable[jr.Batch]) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, format="rdf-patch") as writer:
        for batch in batches:
            writer.write_all(batch)
    return file.getvalue()


def make_table(inputs: Inputs) -> Work:
    data = inputs.jelly_patch
    return Work(
        "to_arrow",
        lambda _: jr.read_batches(data).to_arrow(),
        check=lambda table: bool(table.num_rows == len(inputs.operations) + 1),
    )


def make_table_of_dicts(inputs: Inputs) -> Work:
    """Return the task of making a table without `to_arrow`, from a dict for each operation."""
    data = inputs.jelly_patch
    text = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([("op", pa.string()), *((name, text) for name in "spog")])

    def row(operation: Any) -> dict[str, str]:
        op, *terms = operation
        return {"op": op.name, **dict(zip("spog", (term.n3() for term in terms), strict=False))}

    return Work(
        "Table.from_pylist of read_operations",
        lambda _: pa.Table.from_pylist(list(map(row, jr.read_operations(data))), schema),
        check=lambda table: bool(table.num_rows == len(inputs.operations) + 1),
    )


def take_table(inputs: Inputs) -> Work:
    table = jr.read_batches(inputs.jelly_patch).to_arrow()
    return Work(
        "Patch.from_arrow",
        lambda _: jr.Patch.from_arrow(table),
        check=lambda patch: len(patch) == len(inputs.operations),
    )


def write_text_of_batches(inputs: Inputs) -> Work:
    batches = list(jr.read_batches(inputs.jelly_patch))
    return Work(
        "batches to text",
        lambda _: encode_text(batches),
        check=lambda text: text == inputs.rdf_patch,
    )


def convert_to_text(inputs: Inputs) -> Work:
    data = inputs.jelly_patch
    return Work(
        ".jellyp to text",
        lambda _: encode_text(jr.read_batches(data)),
        check=lambda text: text == inputs.rdf_patch,
    )


def write_text(inputs: Inputs) -> Work:
    def run(file: io.BytesIO) -> io.BytesIO:
        with jr.PatchWriter(file, format="rdf-patch") as writer:
            writer.write_all(inputs.operations)
        return file

    return Work(
        "operations to text",
        run,
        prepare=io.BytesIO,
        check=lambda file: file.getvalue() == inputs.rdf_patch,
    )


def pyoxigraph_serialize(inputs: Inputs) -> Work:
    quads = list(ox.parse(inputs.n_quads, ox.RdfFormat.N_QUADS))
    return Work(
        "pyoxigraph to N-Quads",
        lambda _: ox.serialize(quads, format=ox.RdfFormat.N_QUADS),
        check=lambda text: text == inputs.n_quads,
    )


def read_n_quads(inputs: Inputs) -> Work:
    data = inputs.n_quads
    return Work(
        "read_statements of .nq", lambda _: exhaust(jr.read_statements(data, format="n-quads"))
    )


def encode_n_quads(batches: Iterable[jr.Batch]) -> bytes:
    file = io.BytesIO()
    with jr.StatementWriter(file, format="n-quads") as writer:
        for batch in batches:
            writer.write_all(batch)
    return file.getvalue()


def convert_to_n_quads(inputs: Inputs) -> Work:
    data = inputs.jelly
    return Work(
        ".jelly to .nq",
        lambda _: encode_n_quads(jr.read_batches(data)),
        check=lambda text: text == inputs.n_quads,
    )


def write_n_quads(inputs: Inputs) -> Work:
    def run(file: io.BytesIO) -> io.BytesIO:
        with jr.StatementWriter(file, format="n-quads") as writer:
            writer.write_all(inputs.quads)
        return file

    return Work(
        "statements to .nq",
        run,
        prepare=io.BytesIO,
        check=lambda file: file.getvalue() == inputs.n_quads,
    )


def parse_patch(inputs: Inputs) -> Work:
    def run(dataset: Dataset) -> Dataset:
        dataset.parse(data=inputs.jelly_patch, format="jelly-patch")
        return dataset

    return Work("Dataset.parse", run, prepare=Dataset, check=has_all(inputs))


def parse_statements(inputs: Inputs) -> Work:
    def run(dataset: Dataset) -> Dataset:
        dataset.parse(data=inputs.jelly, format="jelly-rdf")
        return dataset

    return Work("Dataset.parse of .jelly", run, prepare=Dataset, check=has_all(inputs))


def pyjelly_parse_dataset(inputs: Inputs) -> Work:
    """Return the task that ``Dataset.parse`` does if pyjelly has registered ``jelly``."""

    def run(dataset: Dataset) -> Dataset:
        RDFLibJellyParser().parse(create_input_source(data=inputs.jelly), dataset)
        return dataset

    return Work("pyjelly Dataset.parse", run, prepare=Dataset, check=has_all(inputs))


def rdflib_parse_patch(inputs: Inputs) -> Work:
    def run(dataset: Dataset) -> Dataset:
        dataset.parse(data=inputs.rdf_patch, format="patch")
        return dataset

    return Work("rdflib patch as text", run, prepare=Dataset, check=has_all(inputs))


def rdflib_add(inputs: Inputs) -> Work:
    """Return the task of adding ready quads in ready graphs, so that ``addN`` makes no graphs."""

    def prepare() -> tuple[Dataset, list[Any]]:
        dataset = Dataset()
        graphs = {g: Graph(dataset.store, g) for g in {quad[3] for quad in inputs.quads}}
        return dataset, [(s, p, o, graphs[g]) for s, p, o, g in inputs.quads]

    return Work(
        "rdflib Dataset.addN",
        lambda prepared: prepared[0].addN(prepared[1]),
        prepare=prepare,
        check=has_all(inputs),
    )


def has_all(inputs: Inputs) -> Callable[[Dataset], bool]:
    # The length of a Dataset counts a triple in several graphs only once.
    return lambda dataset: sum(map(len, dataset.graphs())) == len(inputs.quads)


def write_patch(inputs: Inputs) -> Work:
    def run(file: io.BytesIO) -> io.BytesIO:
        with jr.PatchWriter(file) as writer:
            writer.write_all(inputs.operations)
        return file

    return Work(
        "PatchWriter.write_all",
        run,
        prepare=io.BytesIO,
        check=lambda file: file.getvalue() == inputs.jelly_patch,
    )


def write_patch_one_by_one(inputs: Inputs) -> Work:
    def run(file: io.BytesIO) -> io.BytesIO:
        with jr.PatchWriter(file) as writer:
            for operation in inputs.operations:
                writer.write(operation)
        return file

    return Work(
        "PatchWriter.write, each",
        run,
        prepare=io.BytesIO,
        check=lambda file: file.getvalue() == inputs.jelly_patch,
    )


def encode_patch(batches: Iterable[jr.Batch]) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file) as writer:
        for batch in batches:
            writer.write_all(batch)
    return file.getvalue()


def write_batches(inputs: Inputs) -> Work:
    batches = list(jr.read_batches(inputs.jelly_patch))
    return Work(
        "encode from batches",
        lambda _: encode_patch(batches),
        check=lambda data: data == inputs.jelly_patch,
    )


def convert_patch(inputs: Inputs) -> Work:
    data = inputs.jelly_patch
    return Work(
        ".jellyp to .jellyp",
        lambda _: encode_patch(jr.read_batches(data)),
        check=lambda result: result == data,
    )


def write_statement_batches(inputs: Inputs) -> Work:
    batches = list(jr.read_batches(inputs.jelly))

    def run(file: io.BytesIO) -> io.BytesIO:
        with jr.StatementWriter(file, stream_options()) as writer:
            for batch in batches:
                writer.write_all(batch)
        return file

    return Work(
        "encode .jelly from batches",
        run,
        prepare=io.BytesIO,
        check=lambda file: len(file.getvalue()) <= len(inputs.jelly),
    )


def protobuf_serialize(inputs: Inputs) -> Work:
    return serialize_frames("RdfPatchFrame", inputs.jelly_patch)


def protobuf_serialize_statements(inputs: Inputs) -> Work:
    return serialize_frames("RdfStreamFrame", inputs.jelly)


def serialize_frames(message: str, data: bytes) -> Work:
    """Return the task of serializing frames of ready messages, without lookups and files."""
    parse = frame_parser(message)
    frames = split_frames(data)
    messages = [parse(frame) for frame in frames]
    return Work(
        "protobuf (upb) serializer",
        lambda _: [each.SerializeToString() for each in messages],
        check=lambda result: result == frames,
    )


def write_statements(inputs: Inputs) -> Work:
    def run(file: io.BytesIO) -> io.BytesIO:
        with jr.StatementWriter(file, stream_options()) as writer:
            writer.write_all(inputs.quads)
        return file

    # The output must not be larger than the peer's with the same options.
    return Work(
        "StatementWriter.write_all",
        run,
        prepare=io.BytesIO,
        check=lambda file: len(file.getvalue()) <= len(inputs.jelly),
    )


def pyjelly_write(inputs: Inputs) -> Work:
    def run(file: io.BytesIO) -> io.BytesIO:
        flat_stream_to_file(iter(inputs.quads), file, pyjelly_options())
        return file

    return Work(
        "pyjelly flat_stream_to_file",
        run,
        prepare=io.BytesIO,
        check=lambda file: file.getvalue() == inputs.jelly,
    )
