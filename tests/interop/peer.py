"""Calls pyjelly's functions directly, because its rdflib plugin has the same name as ours.

pyjelly's generic terms can represent all Jelly-RDF terms, so plain terms are converted to them.
"""

import io
from collections.abc import Iterable, MutableMapping, Sequence
from contextvars import ContextVar
from typing import Any

from pyjelly import jelly
from pyjelly import options as _options
from pyjelly.integrations.generic import generic_sink as terms
from pyjelly.integrations.generic import parse as generic_parse
from pyjelly.integrations.generic.serialize import GenericSinkTermEncoder, stream_frames
from pyjelly.options import LookupPreset, StreamParameters
from pyjelly.parse.ioutils import get_options_and_frames
from pyjelly.serialize.ioutils import write_delimited, write_single
from pyjelly.serialize.streams import (
    GraphStream,
    QuadStream,
    SerializerOptions,
    Stream,
    TripleStream,
)

import jelly_rdflib as jr
from tests.oracle.terms import DEFAULT_GRAPH, Plain, plain

# Otherwise importing pyjelly makes rdflib use its plugin for `.jelly`, also in other tests.
_options.INTEGRATION_SIDE_EFFECTS = False
from pyjelly.integrations.rdflib import parse as rdflib_parse  # noqa: E402
from pyjelly.integrations.rdflib import serialize as rdflib_serialize  # noqa: E402

__all__ = [
    "STREAMS",
    "Frame",
    "rdflib_parse",
    "rdflib_serialize",
    "read",
    "serializer_options",
    "write",
    "write_delimited",
]

STREAMS: dict[str, type[Stream]] = {
    "TRIPLES": TripleStream,
    "QUADS": QuadStream,
    "GRAPHS": GraphStream,
}

Frame = tuple[list[Plain], list[tuple[str, str]], dict[str, bytes]]
"""The statements, the namespaces and the metadata of a frame."""


def _theirs(term: Plain) -> Any:
    kind = term[0]
    if kind == "iri":
        return terms.IRI(term[1])
    if kind == "bnode":
        return terms.BlankNode(term[1])
    if kind == "literal":
        return terms.Literal(*term[1:])
    return terms.Triple(*map(_theirs, term[1:]))


def _statement(statement: Plain) -> Any:
    if len(statement) == 3:
        return terms.Triple(*map(_theirs, statement))
    graph = statement[3]
    name = terms.DefaultGraph if graph == DEFAULT_GRAPH else _theirs(graph)
    return terms.Quad(*map(_theirs, statement[:3]), name)


def _plain(term: Any) -> Plain:
    if isinstance(term, terms.IRI):
        return ("iri", term._iri)
    if isinstance(term, terms.BlankNode):
        return ("bnode", term._identifier)
    if isinstance(term, terms.Literal):
        return ("literal", term._lex, term._langtag, term._datatype)
    if isinstance(term, terms.Triple):
        return ("triple", *map(_plain, term))
    assert term is terms.DefaultGraph
    return DEFAULT_GRAPH


def serializer_options(options: jr.StreamOptions) -> SerializerOptions:
    """Return pyjelly's options that correspond to ours."""
    return SerializerOptions(
        frame_size=options.frame_rows,
        logical_type=int(options.logical_type),
        params=StreamParameters(
            generalized_statements=options.generalized_statements,
            rdf_star=options.rdf_star,
            delimited=options.delimited,
            namespace_declarations=options.version == 2,
            stream_name=options.stream_name,
        ),
        lookup_preset=LookupPreset(
            max_names=options.max_name_table_size,
            max_prefixes=options.max_prefix_table_size,
            max_datatypes=options.max_datatype_table_size,
        ),
    )


def write(
    groups: Iterable[Sequence[Plain]],
    options: jr.StreamOptions,
    metadata: dict[str, bytes] | None = None,
) -> bytes:
    """Return the bytes that pyjelly writes for groups, which are elements of a grouped stream."""
    theirs = serializer_options(options)
    encoder = GenericSinkTermEncoder(lookup_preset=theirs.lookup_preset)
    stream = STREAMS[options.physical_type.name](encoder=encoder, options=theirs)
    file = io.BytesIO()
    for group in groups:
        sink = terms.GenericStatementSink()
        for statement in group:
            sink.add(_statement(statement))
        for frame in stream_frames(stream, sink):
            for key, value in (metadata or {}).items():
                frame.metadata[key] = value
            (write_delimited if options.delimited else write_single)(frame, file)
    return file.getvalue()


def read(data: bytes, *, rdflib: bool = False) -> list[Frame]:
    """Return the frames that pyjelly reads.

    Args:
        data: The stream.
        rdflib: Let pyjelly make rdflib's terms. With its generic terms it can't declare
            namespaces.
    """
    options, frames = get_options_and_frames(io.BytesIO(data))
    triples = options.stream_types.physical_type == jelly.PHYSICAL_STREAM_TYPE_TRIPLES
    module = rdflib_parse if rdflib else generic_parse
    parse = module.parse_triples_stream if triples else module.parse_quads_stream
    metadata: ContextVar[MutableMapping[str, bytes]] = ContextVar("metadata")
    result: list[Frame] = []
    for items in parse(frames=frames, options=options, frame_metadata=metadata):
        statements: list[Plain] = []
        namespaces = []
        for item in items:
            if isinstance(item, rdflib_parse.Prefix):
                namespaces.append((item.prefix, str(item.iri)))
            else:
                statements.append(tuple(map(plain if rdflib else _plain, item)))
        result.append((statements, namespaces, dict(metadata.get())))
    return result
