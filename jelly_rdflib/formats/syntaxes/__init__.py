"""The RDF syntaxes other than Jelly-RDF, as formats of statements.

This package itself reads and writes N-Triples and N-Quads. pyoxigraph reads and writes the others;
it is imported only when one of them is read or written.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.batch import BatchSource, GeneratedBatches, RelabelledBatches
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.text import LineEncoder, TextBatchReader
from jelly_rdflib.extras import advice, check_version
from jelly_rdflib.formats.format import Format, Reading, matches
from jelly_rdflib.nodes.conversion import NodeTypes
from jelly_rdflib.options import drops_directions

# An IRI has no blanks, so "<", a name and a blank are the start of an element with attributes.
_XML_START = re.compile(rb"(\xEF\xBB\xBF)?\s*<(\?xml|!|[A-Za-z_][\w.-]*(:[\w.-]+)?\s)")
# An absolute IRI or the end of any IRI, a blank node, a comment, or a directive for a version.
_TURTLE_START = re.compile(
    rb"(\xEF\xBB\xBF)?[ \t\r\n]*"
    rb"(<[A-Za-z][\w+.-]*:|<[^\s<>\"]*>|_:|#[^\r\n]|@?(?i:ver))"
)
# A directive for a prefix or a base, as far as `look_at_start` reads it from a live source. It
# starts Turtle, TriG or N3. All three are read as TriG: a Turtle document is TriG with the same
# statements, and features that only N3 has are errors in TriG.
_TRIG_START = re.compile(rb"(\xEF\xBB\xBF)?[ \t\r\n]*@?(?i:pre|bas)")
_JSON_START = re.compile(rb'(\xEF\xBB\xBF)?\s*([{\[]\s*)+(["\]}]|$)')


def _open_batches(format: Format, source: memoryview | ByteSource, reading: Reading) -> BatchSource:
    if not format.parser:
        # `isolated` is ignored, since no other library parses this text.
        batches = TextBatchReader(
            source,
            reading.factory,
            reading.limits,
            is_patch=False,
            has_graphs=format.has_graphs,
            strict=reading.strict,
            by_grammar=reading.by_grammar,
            generalized=reading.generalized,
            drops_directions=drops_directions(reading.directions),
        )
        prefix = reading.label_prefix
        return RelabelledBatches(batches, prefix) if prefix else batches
    if reading.generalized:
        raise ValueError(
            f"{format.title} has no generalized statements: they are read from N-Triples and"
            " N-Quads"
        )
    pyoxigraph = _check_pyoxigraph(format.title)
    if reading.base is not None:
        try:
            pyoxigraph.NamedNode(reading.base)
        except ValueError as error:
            raise ValueError(
                f"the base {reading.base!r} is not an absolute IRI: {error}"
            ) from error
    from jelly_rdflib.formats.syntaxes.hashed_text import HashedText
    from jelly_rdflib.formats.syntaxes.isolated import IsolatedBatches
    from jelly_rdflib.formats.syntaxes.reader import StatementBatches

    open_text = IsolatedBatches if reading.isolated else StatementBatches
    return GeneratedBatches(open_text(format, HashedText(source, reading.limits), reading))


def _open_encoder(types: NodeTypes, format: Format, sink: Callable[[bytes], object]) -> LineEncoder:
    """Make an encoder; raise an ImportError if pyoxigraph is missing or too old."""
    if not format.parser:
        return LineEncoder(types, sink, format)
    _check_pyoxigraph(format.title)
    from jelly_rdflib.formats.syntaxes.encoder import JsonEncoder, SyntaxEncoder, TurtleEncoder
    from jelly_rdflib.formats.syntaxes.xml_encoder import XmlEncoder

    encoders: dict[str, type[SyntaxEncoder]] = {"RDF_XML": XmlEncoder, "JSON_LD": JsonEncoder}
    return encoders.get(format.parser, TurtleEncoder)(types, sink, format)


@functools.cache
def _check_pyoxigraph(title: str) -> Any:
    what = title, "jelly-rdflib[syntaxes]"
    with advice(*what):
        import pyoxigraph
    # 0.5.0 refuses language tags such as en-GB here; versions up to 0.5.4 refuse base directions in
    # RDF/XML or JSON-LD.
    check_version(*what, pyoxigraph, (0, 5, 5))
    return pyoxigraph


def starts_like_turtle(start: bytes) -> bool:
    """Return whether the bytes may start N-Triples, N-Quads, Turtle, TriG or N3.

    Bytes that start with a prefix or a base were already recognized as TriG.
    """
    return matches(_TURTLE_START, start)


_syntax = functools.partial(
    Format, holds_changes=False, open_batches=_open_batches, open_encoder=_open_encoder
)
SYNTAXES: tuple[Format, ...] = (
    _syntax(
        name="n-triples",
        title="N-Triples",
        aliases=("ntriples", "nt11"),
        extensions=("nt",),
        media_types=("application/n-triples",),
        has_graphs=False,
        has_prefixes=False,
        has_directions=True,
    ),
    _syntax(
        name="n-quads",
        title="N-Quads",
        aliases=("nquads",),
        extensions=("nq",),
        media_types=("application/n-quads", "text/x-nquads"),
        has_prefixes=False,
        has_directions=True,
    ),
    _syntax(
        name="turtle",
        title="Turtle",
        parser="TURTLE",
        extensions=("ttl",),
        media_types=("text/turtle", "application/x-turtle"),
        has_graphs=False,
        has_directions=True,
    ),
    _syntax(
        name="trig",
        title="TriG",
        parser="TRIG",
        extensions=("trig",),
        media_types=("application/trig", "application/x-trig"),
        start=_TRIG_START,
        has_directions=True,
    ),
    _syntax(
        name="n3",
        title="N3",
        parser="N3",
        extensions=("n3",),
        media_types=("text/n3", "text/rdf+n3"),
        has_graphs=False,
        has_triple_terms=False,
    ),
    _syntax(
        name="rdf-xml",
        title="RDF/XML",
        parser="RDF_XML",
        aliases=("rdf/xml", "rdfxml", "xml"),
        extensions=("rdf", "owl", "xml"),
        media_types=("application/rdf+xml",),
        start=_XML_START,
        has_graphs=False,
        has_triple_terms=False,
        has_directions=True,
    ),
    _syntax(
        name="json-ld",
        title="JSON-LD",
        parser="JSON_LD",
        extensions=("jsonld", "json"),
        media_types=("application/ld+json",),
        start=_JSON_START,
        has_triple_terms=False,
        has_directions=True,
    ),
)
