"""Helpers for the Jelly-RDF tests: they read and write in plain form, and check errors."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import settings
from rdflib import URIRef

import jelly_rdflib as jr
from tests import support
from tests.oracle import rdf_decoder
from tests.oracle.rdf_decoder import Frame
from tests.oracle.terms import Plain, node, plain, plain_operation, with_default_graph

few = settings(max_examples=max(10, settings.default.max_examples // 3))
"""Settings for tests with large examples, or tests that other tests partly repeat."""


def plain_statement(statement: Any) -> Plain:
    """Return a statement in plain form; assert that it has the documented shape."""
    assert type(statement) is tuple, statement
    assert len(statement) in (3, 4), statement
    return tuple(map(plain, statement))


def plain_operations(batch: jr.Batch) -> list[Plain]:
    """Return the operations of `batch` as in a `Frame`: quads include their graph."""
    operations = list(map(plain_operation, batch))
    if any(len(statement) == 4 for statement in batch.statements()):
        return [with_default_graph(op) if op[0] == "A" else op for op in operations]
    return operations


def plain_frame(frame: Any) -> Frame:
    """Return a frame of the package in plain form; assert that its parts agree with each other."""
    assert type(frame) is jr.Frame, frame
    result = Frame(plain_operations(frame.batch), dict(frame.metadata))
    assert type(frame.statements) is list
    assert [plain_statement(statement) for statement in frame.statements] == result.statements
    assert list(frame) == frame.statements
    assert len(frame) == len(frame.statements)
    assert type(frame.namespaces) is list
    for pair in frame.namespaces:
        name, iri = pair
        assert (type(pair), type(name), type(iri)) == (tuple, str, URIRef), pair
    assert [(name, plain(iri)) for name, iri in frame.namespaces] == result.namespaces
    assert type(frame.metadata) is dict
    for key, value in frame.metadata.items():
        assert (type(key), type(value)) == (str, bytes), (key, value)
    return result


def frames(source: Any, **arguments: Any) -> Iterator[Frame]:
    """Iterate over the frames that the package reads, with their lexical forms unchanged."""
    return map(plain_frame, jr.read_frames(source, **{"normalize": False, **arguments}))


def read(source: Any, **arguments: Any) -> list[Frame]:
    """Return the frames that the package reads, with their lexical forms unchanged."""
    return list(frames(source, **arguments))


def statements(source: Any, **arguments: Any) -> list[Plain]:
    """Return the statements that the package reads, with their lexical forms unchanged."""
    arguments.setdefault("normalize", False)
    return [plain_statement(one) for one in jr.read_statements(source, **arguments)]


def put(writer: jr.StatementWriter, operation: Plain) -> None:
    """Write a statement or namespace to `writer`; `operation` is in the plain form of patches."""
    if operation[0] == "PA":
        writer.add_namespace(operation[1], URIRef(operation[2][1]))
    else:
        writer.write(tuple(node(term) for term in operation[1:] if term is not None))


def write(operations: Iterable[Plain], options: jr.StreamOptions | None = None) -> bytes:
    """Return the stream that the package's writer writes for statements and namespaces."""
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for operation in operations:
            put(writer, operation)
    return file.getvalue()


def write_frames(frames: Iterable[Frame], options: jr.StreamOptions | None = None) -> bytes:
    """Return the stream that the package's writer makes of `frames`; `end_frame` ends each."""
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for frame in frames:
            for operation in frame.operations:
                put(writer, operation)
            writer.end_frame(metadata=frame.metadata)
    return file.getvalue()


def options_of(fields: dict[str, Any], **more: Any) -> jr.StreamOptions:
    """Return the package's options for the `fields` of an options row."""
    return jr.StreamOptions(**{**fields, **more})


def refuse(source: bytes, *arguments: Any, **keywords: Any) -> jr.DecodeError:
    """Check that the package refuses an input; return the error. See `tests.support.refuse`."""

    def reader(source: Any, **arguments: Any) -> Iterator[Plain]:
        return (one for frame in frames(source, **arguments) for one in frame.statements)

    return support.refuse(source, *arguments, reader=reader, **keywords)


def assert_same_outcome(data: bytes, **arguments: Any) -> bool:
    """Check the outcome against the reference's; see `tests.support.assert_same_outcome`."""
    return support.assert_same_outcome(data, read=read, reference=rdf_decoder.read, **arguments)
