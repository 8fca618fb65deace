"""The syntaxes of RDF other than Jelly-RDF, as formats of statements.

This package itself reads and writes N-Triples and N-Quads. pyoxigraph reads and writes the others;
it is imported when one of them is read or written, not before.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.batch import BatchSource, GeneratedBatches
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.text import LineEncoder, TextBatchReader
from jelly_rdflib.formats.format import Format, may_be_text
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.formats.syntaxes.syntax import Syntax
from jelly_rdflib.nodes.conversion import NodeTypes

# An IRI has no blanks: a name and a blank behind "<" are an element with attributes.
_XML_START = re.compile(rb"(\xEF\xBB\xBF)?\s*<(\?xml|!|[A-Za-z_][\w.-]*(:[\w.-]+)?\s)")
# An absolute IRI or one that ends, a blank node, a comment, a directive.
_TURTLE_START = re.compile(
    rb"(\xEF\xBB\xBF)?[ \t\r\n]*"
    rb"(<[A-Za-z][\w+.-]*:|<[^\s<>\"]*>|_:|#[^\r\n]|@?(?i:pre|bas))"
)
_JSON_START = re.compile(rb'(\xEF\xBB\xBF)?\s*([{\[]\s*)+(["\]}]|$)')


def _open_batches(syntax: Syntax, source: memoryview | ByteSource, reading: Reading) -> BatchSource:
    """Make batches of an open source.

    Raises:
        ImportError: The package pyoxigraph is not there, or too old.
        ValueError: The base is no absolute IRI.
        NotImplementedError: The text is to be isolated, and this system can't do it.
    """
    if not syntax.format:
        # No other library takes part, so nothing is isolated.
        return TextBatchReader(
            source,
            reading.factory,
            reading.limits,
            is_patch=False,
            has_graphs=syntax.has_graphs,
            strict=reading.strict,
        )
    pyoxigraph = _check_pyoxigraph(syntax.title)
    if reading.base is not None:
        try:
            pyoxigraph.NamedNode(reading.base)
        except ValueError as error:
            raise ValueError(f"the base {reading.base!r} is no absolute IRI: {error}") from error
    from jelly_rdflib.formats.syntaxes.isolated import IsolatedBatches
    from jelly_rdflib.formats.syntaxes.reader import StatementBatches

    open_text = IsolatedBatches if reading.isolated else StatementBatches
    return GeneratedBatches(open_text(syntax, source, reading))


def _open_encoder(syntax: Syntax, types: NodeTypes, sink: Callable[[bytes], object]) -> LineEncoder:
    """Make an encoder.

    Raises:
        ImportError: The package pyoxigraph is not there, or too old.
    """
    if not syntax.format:
        return LineEncoder(types, sink, syntax)
    _check_pyoxigraph(syntax.title)
    from jelly_rdflib.formats.syntaxes.encoder import JsonEncoder, SyntaxEncoder, TurtleEncoder
    from jelly_rdflib.formats.syntaxes.xml_encoder import XmlEncoder

    encoders: dict[str, type[SyntaxEncoder]] = {"RDF_XML": XmlEncoder, "JSON_LD": JsonEncoder}
    return encoders.get(syntax.format, TurtleEncoder)(syntax, types, sink)


@functools.cache
def _check_pyoxigraph(title: str) -> Any:
    hint = (
        f"{title} needs the package pyoxigraph, 0.5 or later: pip install 'jelly-rdflib[syntaxes]'"
    )
    try:
        pyoxigraph = importlib.import_module("pyoxigraph")
    except ImportError as error:
        raise ImportError(hint) from error
    version = pyoxigraph.__version__
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (0, 5):
        raise ImportError(f"{hint} (found {version})")
    return pyoxigraph


def starts_like_turtle(start: bytes) -> bool:
    r"""Tell N-Triples, N-Quads, Turtle, TriG and N3 from all other formats.

    Examples:
        >>> starts_like_turtle(b"<urn:s> <urn:p>"), starts_like_turtle(b"@prefix ex: ")
        (True, True)
        >>> starts_like_turtle(b"<\n\x0e\n"), starts_like_turtle(b"ABC")
        (False, False)
    """
    return may_be_text(start) and _TURTLE_START.match(start) is not None


def _make_format(syntax: Syntax, start: re.Pattern[bytes] | None = None, **names: Any) -> Format:
    """Make a format.

    Args:
        syntax: The syntax.
        start: Matches the first bytes; None: texts of other syntaxes may start in the same way.
        names: Its names, as for `Format`.
    """

    def starts_like(first: bytes) -> bool:
        return start is not None and may_be_text(first) and start.match(first) is not None

    return Format(
        title=syntax.title,
        holds_changes=False,
        starts_like=starts_like,
        open_batches=functools.partial(_open_batches, syntax),
        open_encoder=functools.partial(_open_encoder, syntax),
        has_graphs=syntax.has_graphs,
        has_prefixes=syntax.has_prefixes,
        has_base=syntax.has_base,
        **names,
    )


N_TRIPLES = _make_format(
    Syntax(title="N-Triples", has_triple_terms=True),
    name="n-triples",
    aliases=("ntriples", "nt11"),
    extensions=("nt",),
    media_types=("application/n-triples",),
)
N_QUADS = _make_format(
    Syntax(title="N-Quads", has_graphs=True, has_triple_terms=True),
    name="n-quads",
    aliases=("nquads",),
    extensions=("nq",),
    media_types=("application/n-quads", "text/x-nquads"),
)
TURTLE = _make_format(
    Syntax(
        title="Turtle", format="TURTLE", has_triple_terms=True, has_prefixes=True, has_base=True
    ),
    name="turtle",
    extensions=("ttl",),
    media_types=("text/turtle", "application/x-turtle"),
)
TRIG = _make_format(
    Syntax(
        title="TriG",
        format="TRIG",
        has_graphs=True,
        has_triple_terms=True,
        has_prefixes=True,
        has_base=True,
    ),
    name="trig",
    extensions=("trig",),
    media_types=("application/trig", "application/x-trig"),
)
N3 = _make_format(
    Syntax(title="N3", format="N3", has_prefixes=True, has_base=True),
    name="n3",
    extensions=("n3",),
    media_types=("text/n3", "text/rdf+n3"),
)
RDF_XML = _make_format(
    Syntax(title="RDF/XML", format="RDF_XML", has_prefixes=True, has_base=True),
    _XML_START,
    name="rdf-xml",
    aliases=("rdf/xml", "rdfxml", "xml"),
    extensions=("rdf", "owl", "xml"),
    media_types=("application/rdf+xml",),
)
JSON_LD = _make_format(
    Syntax(title="JSON-LD", format="JSON_LD", has_graphs=True, has_prefixes=True, has_base=True),
    _JSON_START,
    name="json-ld",
    extensions=("jsonld", "json"),
    media_types=("application/ld+json",),
)

SYNTAXES: tuple[Format, ...] = (N_TRIPLES, N_QUADS, TURTLE, TRIG, N3, RDF_XML, JSON_LD)
