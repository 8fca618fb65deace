"""Jelly-Patch and Jelly-RDF behind one interface, for tests of the rules that they share.

A `Format` is a format with a statement type. It builds rows and streams, and reads and writes
statements in plain form: ``(s, p, o)`` or ``(s, p, o, g)``.
"""

import random
from typing import Any

import pytest

import jelly_rdflib as jr
from tests import strategies
from tests import support as patch_support
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly import statement_support as rdf_support
from tests.oracle import build, decoder, producer, rdf_build, rdf_decoder, rdf_producer, wire
from tests.oracle import schema as pb
from tests.oracle.rdf_build import GRAPHS, QUADS, TRIPLES
from tests.oracle.terms import Plain, plain_operation, with_default_graph

S, P, O, G = ("bnode", "s"), ("iri", "urn:p"), ("bnode", "o"), ("bnode", "g")  # noqa: E741


def iri(text: str) -> Plain:
    return ("iri", text)


def lit(lex: str, language: str | None = None, datatype: str | None = None) -> Plain:
    return ("literal", lex, language, datatype)


def in_row(number: int, content: bytes) -> bytes:
    """Return a frame's row with `content` as the field `number`."""
    return wire.field(1, wire.field(number, content))


class Format:
    """A format with a statement type: TRIPLES, QUADS or GRAPHS.

    Each format defines the following members. `spo`, `spog` and `namespace` build rows of a triple,
    a quad and a namespace. `operations` returns statements and namespaces in the plain form of
    patches, `nodes` returns statements with rdflib's terms, and `plain` converts an item of the
    first of `readers` to plain form.

    The reference provides `all_said` (the operations of a stream), `said` (the operations of a
    frame), `decoded` (the reference's form of a decoder's frame), and `written_row`. For hypothesis
    there are the strategies `flat_streams` and `single_streams`, and `content` and `spoken`, which
    return a stream's content and messages.
    """

    build: Any
    """The module that builds rows and frames."""
    support: Any
    """The module with `refuse`, `write` and other helpers."""
    decoder: Any
    """The module of the reference decoder."""
    producer: Any
    """The module of the foreign producer."""
    Frame: Any
    Options: Any
    """The package's class of writer options."""
    Writer: Any
    Decoder: Any
    readers: tuple[Any, ...]
    """The readers of any stream; the first yields statements or operations one by one."""
    strategies: Any
    type_field: str
    extension: str
    format: str
    """The package's name of the format."""
    version: int
    """The highest version of the format."""
    unknown_rows: tuple[int, ...]
    """Numbers of row kinds that the format does not define."""
    name_row: int
    """The field number of a name entry's row; prefix and datatype entries have the next numbers."""
    namespace_row: int
    enums: tuple[tuple[int, int], ...]
    """Options-row fields that are closed enums, each with its first undefined value."""
    outcomes: tuple[dict[str, Any], ...] = ({},)
    """Arguments with which a reader must produce the same outcome as the reference."""
    changes: tuple[dict[str, Any], ...]
    """Changes to options-row fields that only this format has."""

    def __init__(self, type: int) -> None:
        self.type = type
        self.statement_row = 2
        """The field number of a statement's row."""

    def __repr__(self) -> str:
        return f"{self.build.__name__.rpartition('.')[2]}{self.type}"

    # The following methods build rows and streams.

    def options(self, **changes: Any) -> Any:
        return self.build.options(**{self.type_field: self.type, **changes})

    def name(self, value: str, id: int = 0) -> Any:
        return self.build.name(value, id)

    def prefix(self, value: str, id: int = 0) -> Any:
        return self.build.prefix(value, id)

    def datatype(self, value: str, id: int = 0) -> Any:
        return self.build.datatype(value, id)

    def frame(self, *rows: Any) -> bytes:
        return self.build.frame(*rows)

    def stream(self, *frames: Any) -> bytes:
        return self.build.stream(*frames)

    def row(self, **terms: Any) -> Any:
        """Return a statement row with only these terms; in GRAPHS it has no graph."""
        return self.spog(**terms) if self.type == QUADS else self.spo(**terms)

    def triple(self, s: Any = "s", o: Any = "o") -> Any:
        """Return a row of a triple whose predicate is name 1."""
        return self.spo(s, build.iri(0, 1), o)

    def some(self, **terms: Any) -> list[Any]:
        """Return the rows of ``s <name 1> o g``, changed by `terms`; None omits a term."""
        terms = {"s": "s", "p": build.iri(0, 1), "o": "o", "g": "g", **terms}
        g = terms["g"] if self.type == QUADS else terms.pop("g")
        if self.type == GRAPHS:
            return [rdf_build.start(g), self.row(**terms), rdf_build.end()]
        return [self.row(**terms)]

    @property
    def start(self) -> list[Any]:
        """Return the rows before the first statement."""
        return [rdf_build.start("g")] if self.type == GRAPHS else []

    @property
    def graph(self) -> Plain | None:
        """Return the graph that statements of this type have."""
        return None if self.type == TRIPLES else G

    @property
    def expected(self) -> Plain:
        """Return the statement of the rows that `some` returns."""
        return (S, P, O) if self.type == TRIPLES else (S, P, O, G)

    def head(self, **options: Any) -> bytes:
        """Return a bare frame with an entry in each lookup, to which rows can be appended."""
        entries = (self.name("urn:p"), self.prefix(""), self.datatype("urn:d"))
        return self.frame(self.options(rdf_star=True, **options), *entries)

    def one(self, *content: Any, **options: Any) -> bytes:
        """Return a stream of one frame: options, a name entry "urn:p" (id 1), then the content."""
        return self.stream([self.options(**options), self.name("urn:p"), *content])

    # The following methods read and write.

    def statements(self, data: Any, **arguments: Any) -> list[Plain]:
        operations = self.operations(data, **arguments)
        return [self.statement(op) for op in operations if op[0] == "A"]

    def statement(self, operation: Plain) -> Plain:
        """Return the statement that an operation adds."""
        return operation[1:4] if self.type == TRIPLES else with_default_graph(operation)[1:]

    def namespaces(self, data: Any) -> list[Plain]:
        return [op[1:3] for op in self.operations(data) if op[0] == "PA"]

    def refuse(self, source: bytes, *arguments: Any, **keywords: Any) -> jr.DecodeError:
        """Check that the input is refused, and return the error; see `tests.support.refuse`."""
        return self.support.refuse(source, *arguments, **keywords)

    def writer_options(self, **fields: Any) -> Any:
        return self.Options(**{self.type_field: self.type, **fields})

    def write(self, operations: list[Plain], **options: Any) -> bytes:
        """Write statements and namespaces, in the plain form of patches."""
        return self.support.write(operations, self.writer_options(**options))

    def assert_same_outcome(self, data: bytes, **arguments: Any) -> bool:
        """Check the outcome against the reference's; see `tests.support.assert_same_outcome`."""
        return self.support.assert_same_outcome(data, **arguments)

    def streams(self, **arguments: Any) -> Any:
        """Return Hypothesis' strategy for legal streams of all types."""
        return self.strategies.streams(**arguments)

    def spelled(self, stream: Any, rng: random.Random, **arguments: Any) -> bytes:
        """Return the stream as a foreign producer may write it; ``single`` writes a bare frame."""
        messages = self.spoken(stream, rng, **arguments)
        return self.producer.spelled(messages, rng, **arguments)

    def writer(self, destination: Any, **options: Any) -> Any:
        return self.Writer(destination, self.writer_options(**options))

    def options_for(self, stream: Any, **more: Any) -> Any:
        """Return the package's options for a stream."""
        return self.support.options_of(stream.options, **more)

    def write_stream(self, stream: Any, **more: Any) -> bytes:
        """Return `stream` as written by the package's writer."""
        return self.support.write(stream.operations, self.options_for(stream, **more))

    def messages(self, data: bytes) -> list[Any]:
        """Return the frames of a delimited stream as protobuf messages."""
        return [self.Frame.FromString(part) for part in wire.split(data)]

    def rows(self, data: bytes) -> list[Any]:
        return [row for message in self.messages(data) for row in message.rows]

    def kinds(self, data: bytes) -> list[str]:
        return [row.WhichOneof("row") for row in self.rows(data)]

    def written(self, data: bytes) -> list[Any]:
        """Return the messages that contain statements."""
        kinds = ("statement_add", "triple", "quad")
        return [getattr(row, kind) for row in self.rows(data) for kind in kinds if _has(row, kind)]


def _has(row: Any, kind: str) -> bool:
    return row.WhichOneof("row") == kind


class Patch(Format):
    """Jelly-Patch: streams of triples are FLAT, and streams of quads are PUNCTUATED."""

    build = build
    support = patch_support
    decoder = decoder
    producer = producer
    strategies = strategies
    Frame = pb.RdfPatchFrame
    Options = jr.PatchOptions
    Writer = jr.PatchWriter
    Decoder = jr.PatchDecoder
    readers = (jr.read_operations, jr.read_patches, jr.read_batches)
    type_field = "statement_type"
    extension = "jellyp"
    format = "jelly-patch"
    version = 1
    unknown_rows = (9, 10, 16)
    name_row = 11
    namespace_row = 4
    enums = ((1, 3), (2, 4))
    changes = ({"stream_type": build.FRAME}, {"stream_type": 0})

    def options(self, **changes: Any) -> Any:
        return super().options(**{"stream_type": self.stream_type, **changes})

    def writer_options(self, **fields: Any) -> Any:
        return super().writer_options(**{"stream_type": self.stream_type, **fields})

    @property
    def stream_type(self) -> int:
        return build.FLAT if self.type == TRIPLES else build.PUNCTUATED

    def namespace(self, name: str, value: Any = None) -> Any:
        return build.prefix_add(name, value)

    def spo(self, s: Any = None, p: Any = None, o: Any = None) -> Any:
        return build.add(s, p, o)

    def spog(self, s: Any = None, p: Any = None, o: Any = None, g: Any = None) -> Any:
        return build.add(s, p, o, g)

    def operations(self, data: Any, **arguments: Any) -> list[Plain]:
        operations = patch_support.read(data, **arguments)
        if operations or self.type == TRIPLES:
            assert operations.pop() == ("END",)
        assert {op[0] for op in operations} <= {"A", "PA"}
        return operations

    def nodes(self, data: bytes, **arguments: Any) -> list[tuple[Any, ...]]:
        end = 4 if self.type == TRIPLES else 5
        operations = jr.read_operations(data, **arguments)
        return [op[1:end] for op in operations if op[0] is jr.Op.A]

    def spoken(self, stream: Any, rng: random.Random, **arguments: Any) -> list[Any]:
        return producer.frames(stream.operations, stream.options, rng, **arguments)

    def flat_streams(self, **arguments: Any) -> Any:
        return strategies.streams(**arguments)

    def all_said(self, data: bytes) -> list[Plain]:
        return decoder.read(data)

    def written_row(self, reference: Any, row: Any) -> Plain | None:
        for written in reference._row(row):
            is_quads = reference.options.statement_type == QUADS
            return with_default_graph(written) if is_quads else written
        return None

    def single_streams(self, **arguments: Any) -> Any:
        return strategies.streams(one_patch=True, **arguments)

    def content(self, stream: Any) -> list[Any]:
        return stream.operations

    def said(self, frame: Any) -> list[Plain]:
        return frame

    def decoded(self, batch: Any) -> list[Plain]:
        return list(map(plain_operation, batch))

    def plain(self, item: Any) -> Plain:
        return plain_operation(item)


class Rdf(Format):
    build = rdf_build
    support = rdf_support
    decoder = rdf_decoder
    producer = rdf_producer
    strategies = rdf_strategies
    Frame = pb.RdfStreamFrame
    Options = jr.StreamOptions
    Writer = jr.StatementWriter
    Decoder = jr.StatementDecoder
    readers = (jr.read_statements, jr.read_frames, jr.read_graphs, jr.read_batches)
    type_field = "physical_type"
    extension = "jelly"
    format = "jelly-rdf"
    version = 2
    unknown_rows = (7, 8, 12, 15, 16)
    name_row = 9
    namespace_row = 6
    enums = ((2, 4),)
    outcomes = ({}, {"strict": False})
    changes = (
        {"stream_name": "x"}, {"logical_type": 1}, {"logical_type": 3}, {"logical_type": 13},
    )  # fmt: skip

    def __init__(self, type: int) -> None:
        super().__init__(type)
        self.statement_row = 3 if type == QUADS else 2

    def namespace(self, name: str, value: Any = None) -> Any:
        return rdf_build.namespace(name, value)

    def spo(self, s: Any = None, p: Any = None, o: Any = None) -> Any:
        return rdf_build.spo(s, p, o)

    def spog(self, s: Any = None, p: Any = None, o: Any = None, g: Any = None) -> Any:
        return rdf_build.spog(s, p, o, g)

    def operations(self, data: Any, **arguments: Any) -> list[Plain]:
        operations = [
            op for frame in rdf_support.read(data, **arguments) for op in frame.operations
        ]
        if not hasattr(data, "read"):
            statements = rdf_support.statements(data, **arguments)
            assert len(statements) == sum(op[0] == "A" for op in operations)
        return operations

    def nodes(self, data: bytes, **arguments: Any) -> list[tuple[Any, ...]]:
        return list(jr.read_statements(data, **arguments))

    def spoken(self, stream: Any, rng: random.Random, **arguments: Any) -> list[Any]:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        return messages[-1:] if arguments else messages

    def flat_streams(self, **arguments: Any) -> Any:
        return rdf_strategies.streams(logical="flat", **arguments)

    def options_for(self, stream: Any, **more: Any) -> Any:
        # Namespaces need version 2.
        version = 2 if stream.has_namespaces else stream.options["version"]
        return super().options_for(stream, **{"version": version, **more})

    def write_stream(self, stream: Any, **more: Any) -> bytes:
        return rdf_support.write_frames(stream.frames, self.options_for(stream, **more))

    def all_said(self, data: bytes) -> list[Plain]:
        return [op for frame in rdf_decoder.read(data) for op in frame.operations]

    def written_row(self, reference: Any, row: Any) -> Plain | None:
        return reference.row(row)

    def single_streams(self, **arguments: Any) -> Any:
        return rdf_strategies.streams(one_frame=True, **arguments)

    def content(self, stream: Any) -> list[Any]:
        return stream.frames

    def said(self, frame: Any) -> list[Plain]:
        return frame.statements

    def decoded(self, frame: Any) -> Any:
        return None if frame is None else rdf_support.plain_frame(frame)

    def plain(self, item: Any) -> Plain:
        return rdf_support.plain_statement(item)


PATCH, PATCH_QUADS = Patch(TRIPLES), Patch(QUADS)
RDF, RDF_QUADS, RDF_GRAPHS = Rdf(TRIPLES), Rdf(QUADS), Rdf(GRAPHS)

FORMATS = [PATCH, RDF]
ALL_TYPES = [PATCH, PATCH_QUADS, RDF, RDF_QUADS, RDF_GRAPHS]

formats = pytest.mark.parametrize("f", FORMATS, ids=repr)
all_types = pytest.mark.parametrize("f", ALL_TYPES, ids=repr)
rdf_types = pytest.mark.parametrize("f", [RDF, RDF_QUADS, RDF_GRAPHS], ids=repr)
with_graphs = pytest.mark.parametrize("f", [PATCH_QUADS, RDF_QUADS, RDF_GRAPHS], ids=repr)
