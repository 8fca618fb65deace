"""Hypothesis strategies for terms, and for whole valid streams of operations.

All are in the plain form of `tests.oracle.terms`.
"""

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracle.build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from tests.oracle.producer import needs
from tests.oracle.terms import DEFAULT_GRAPH, Plain

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

LEXICAL_FORMS = {
    "string": ["", "a", " a\t\n", "\U0001f600"],
    "normalizedString": ["a b", "a\tb\r\n", ""],
    "token": ["a", "  a   b ", "a\tb", ""],
    "language": ["en", "EN-gb", "not a language"],
    "boolean": ["true", "false", "1", "0", "TRUE", "yes", "", " true"],
    "integer": ["1", "01", "+1", "-0", "1.0", "", "x", " 7 ", "1_000", "٣", "9" * 40],
    "int": ["1", "01", "2147483648", "-1", "x"],
    "long": ["1", "-01", "9223372036854775808"],
    "short": ["1", "+032768"],
    "byte": ["1", "0128", "-129"],
    "nonNegativeInteger": ["0", "-0", "-1", "007"],
    "nonPositiveInteger": ["0", "-01", "1"],
    "positiveInteger": ["1", "0", "+5"],
    "negativeInteger": ["-1", "0", "-05"],
    "unsignedInt": ["1", "-1", "4294967296", "01"],
    "unsignedLong": ["1", "-1", "018446744073709551616"],
    "unsignedShort": ["1", "65536", "01"],
    "unsignedByte": ["1", "256", "001"],
    "decimal": ["1", "1.0", "01.50", "+.5", "1.", "-0", "1e3", "NaN", "x", "0.1000"],
    "double": ["1", "1.0", "1E3", "1.0e+03", "-0", "INF", "-INF", "NaN", "inf", "1e400", "x"],
    "float": ["1", "1.50", "1E3", "-INF", "NaN", "x", "1e-50"],
    "date": ["2024-02-29", "2023-02-29", "2024-02-29Z", "2024-02-29+05:00", "0001-01-01", "x"],
    "time": ["12:00:00", "12:00:00.5", "24:00:00", "12:00:00Z", "12:00:00-08:00", "25:00:00"],
    "dateTime": [
        "2024-02-29T12:00:00",
        "2024-02-29T12:00:00Z",
        "2024-02-29T12:00:00.000+05:30",
        "2024-02-29T24:00:00",
        "2024-02-30T12:00:00",
        "2024-02-29",
        "-0044-03-15T00:00:00Z",
    ],
    "dateTimeStamp": ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00"],
    "gYear": ["2024", "-0044", "2024Z", "x"],
    "gYearMonth": ["2024-02", "2024-13"],
    "gMonthDay": ["--02-29", "--02-30"],
    "gDay": ["---01", "---32"],
    "gMonth": ["--02", "--13"],
    "duration": ["P1Y2M3DT4H5M6S", "PT36H", "P0D", "-P1D", "P", "1 day"],
    "dayTimeDuration": ["P1D", "PT24H", "PT1.50S", "P1Y"],
    "yearMonthDuration": ["P1Y", "P12M", "P1D"],
    "hexBinary": ["", "0aFF", "0AFF", "0", "xyz"],
    "base64Binary": ["", "YWJj", "YWJj\n", "YW Jj", "Y", "****"],
    "anyURI": ["http://example.org/", "", "not a uri"],
    "QName": ["a:b"],
    "NOTATION": ["a"],
    "Name": ["a"],
    "NCName": ["a", "a:b"],
    "NMTOKEN": ["a"],
    "ID": ["a"],
    "IDREF": ["a"],
    "ENTITY": ["a"],
}
"""Lexical forms by the name of their XSD datatype: usual, unusual and invalid ones."""

OTHER_LEXICAL_FORMS = {
    RDF + "langString": ["x"],
    RDF + "PlainLiteral": ["x@en"],
    RDF + "XMLLiteral": ["<a b='1'  />", "text", "<a>", "", "<a/><b>é</b>"],
    RDF + "JSON": ['{"a": 1}', "{"],
    "http://www.opengis.net/ont/geosparql#wktLiteral": ["POINT(1 2)"],
    "urn:datatype": ["x", ""],
    "datatype": ["x"],
    "": ["x"],
    "http://example.org/tÿpe/\U0001f600": ["x"],
}

TYPED_LITERALS: list[Plain] = [
    *(("literal", lex, None, XSD + name) for name, forms in LEXICAL_FORMS.items() for lex in forms),
    *(("literal", lex, None, name) for name, forms in OTHER_LEXICAL_FORMS.items() for lex in forms),
]

ODD_TEXTS = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "é",
    "日本",
    "\U0001f600",
    "\r\n\t",
    '"',
    "\\",
    "\ufeff",
    "#",
]

ODD_IRIS = [
    "",
    "a",
    "/",
    "#",
    "//##//",
    "urn:x",
    "urn:uuid:0-1",
    "http://example.org",
    "http://example.org/",
    "http://example.org/a",
    "http://example.org/b",
    "http://example.org/a/b/c/d",
    "http://example.org/a#",
    "http://example.org/a#b",
    "http://example.org/a#b/c",
    "http://example.org/a#b#c",
    "http://example.com/a",
    "http://example.com/#a",
    "http://例え.テスト/パス#フラグメント",
    "http://example.org/\U0001f600/\U0001f601",
    "http://example.org/a b",
    "http://example.org/\x00/\x00",
    "http://example.org/" + "long/" * 60,
    DEFAULT_GRAPH[1],
]

LANGUAGES = ["en", "en-GB", "EN-gb", "De", "zh-Hant-TW", "x-a1", "i-klingon", "a"]

dice = st.integers(0, 2**64 - 1).map(random.Random)
"""A random generator, for choices that are too many and too minor for hypothesis."""

texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=12)

iris = st.builds(
    lambda iri: ("iri", iri),
    st.sampled_from(ODD_IRIS)
    | st.builds(
        lambda *parts: "".join(parts),
        st.sampled_from(["http://example.org/", "http://example.org/x#", "urn:", ""]),
        st.text(max_size=6),
        st.sampled_from(["", "/", "#", "/#"]),
        st.text(max_size=6),
    ),
)

blank_nodes = st.builds(
    lambda label: ("bnode", label),
    st.sampled_from(["b0", "b1", "B0", "", " ", "_:b0", "0", "-", "a.b", "<x>", "\x00", "é"])
    | st.text(max_size=8),
)

typed_literals = st.sampled_from(TYPED_LITERALS)

literals = st.one_of(
    st.builds(lambda lex: ("literal", lex, None, None), texts),
    st.builds(
        lambda lex, language: ("literal", lex, language, None),
        texts,
        st.sampled_from(LANGUAGES) | st.from_regex(r"\A[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})?\Z"),
    ),
    typed_literals,
    st.builds(
        lambda lex, name: ("literal", lex, None, name),
        texts,
        st.sampled_from([XSD + "integer", XSD + "string", "urn:datatype"]),
    ),
)


def terms(*, generalized: bool = False, depth: int = 0) -> st.SearchStrategy[Plain]:
    """Return a strategy for terms that may be objects, with quoted triples up to level `depth`."""
    simple = iris | blank_nodes | literals
    if depth == 0:
        return simple
    inner = terms(generalized=generalized, depth=depth - 1)
    subjects = inner if generalized else inner.filter(lambda term: term[0] != "literal")
    predicates = inner if generalized else iris
    return simple | st.tuples(st.just("triple"), subjects, predicates, inner)


@dataclass
class Stream:
    """A valid stream: the fields of its options row, and its operations including ENDs."""

    options: dict[str, Any]
    operations: list[Plain]

    @property
    def quads(self) -> bool:
        return bool(self.options["statement_type"] == QUADS)

    @property
    def patches(self) -> list[list[Plain]]:
        """The operations of each patch, without the END."""
        result: list[list[Plain]] = [[]]
        for operation in self.operations:
            if operation == ("END",):
                result.append([])
            else:
                result[-1].append(operation)
        assert not result[-1]
        return result[:-1]


term_options = st.builds(
    lambda star, generalized, names, sizes: {
        "rdf_star": star,
        "generalized_statements": generalized,
        "max_name_table_size": names,
        "max_prefix_table_size": sizes[0],
        "max_datatype_table_size": sizes[1],
    },
    st.booleans(),
    st.booleans(),
    st.sampled_from([8, 8, 9, 128, 4000]),
    st.sampled_from([(0, 0), (1, 1), (2, 2), (16, 16), (150, 32)]),
)
"""The fields of an options row that determine which terms are possible."""


def make_room(options: dict[str, Any], operations: list[Plain]) -> None:
    """Enlarge the lookups until each row has enough entries."""
    for kind, count in zip(("name", "datatype"), needs(operations), strict=True):
        field = f"max_{kind}_table_size"
        options[field] = max(options[field], count)


class Pool:
    """A few terms that a stream uses repeatedly, as real streams do."""

    def __init__(self, draw: Any, options: dict[str, Any]) -> None:
        depth = draw(st.integers(1, 3)) if options["rdf_star"] else 0
        generalized = options["generalized_statements"]
        some_iris = draw(st.lists(iris, min_size=1, max_size=6))
        some_nodes = draw(st.lists(blank_nodes, min_size=1, max_size=3))
        some_literals = draw(st.lists(literals, min_size=1, max_size=6))
        if options["max_datatype_table_size"] == 0:
            some_literals = [(*literal[:3], None) for literal in some_literals]
        any_term = some_iris + some_nodes + some_literals
        self.s = any_term if generalized else some_iris + some_nodes
        self.p = any_term if generalized else some_iris
        self.o = any_term
        self.g = [term for term in some_iris if term != DEFAULT_GRAPH] + some_nodes
        self.g += some_literals if generalized else []
        self.v = some_iris
        for _ in range(depth):
            triples = draw(
                st.lists(
                    st.tuples(st.just("triple"), *map(st.sampled_from, (self.s, self.p, self.o))),
                    max_size=2,
                )
            )
            self.s, self.o = self.s + triples, self.o + triples
            if generalized:
                self.p = self.p + triples
        self.h = self.o


def _statement(pool: Pool, quads: bool) -> st.SearchStrategy[Plain]:
    return st.tuples(
        st.sampled_from("AAAD"),
        st.sampled_from(pool.s),
        st.sampled_from(pool.p),
        st.sampled_from(pool.o),
        st.sampled_from([None, *pool.g] if quads else [None]),
    )


def _operations(pool: Pool, quads: bool) -> st.SearchStrategy[list[Plain]]:
    """Return a strategy for the operations of a patch, some in transactions."""
    prefixes = st.sampled_from(["", "ex", "é", "a.b"]) | st.text(max_size=3)
    graphs = st.sampled_from([None, *pool.g] if quads else [None])
    statement = _statement(pool, quads)
    single = st.one_of(
        statement,
        statement,
        statement,
        st.tuples(st.just("PA"), prefixes, st.sampled_from(pool.v), graphs),
        st.tuples(st.just("PD"), prefixes, st.none() | st.sampled_from(pool.v), graphs),
        st.tuples(st.just("H"), st.sampled_from(["id", "prev", "", "é"]), st.sampled_from(pool.h)),
    )
    transaction = st.builds(
        lambda inside, end: [("TX",), *inside, (end,)],
        st.lists(single, max_size=6),
        st.sampled_from(["TC", "TC", "TA"]),
    )
    chunk = st.lists(single, min_size=1, max_size=8) | transaction
    return st.lists(chunk, max_size=3).map(lambda chunks: [op for c in chunks for op in c])


@st.composite
def streams(
    draw: st.DrawFn,
    *,
    stream_type: int | None = None,
    statement_type: int | None = None,
    one_patch: bool = False,
) -> Stream:
    """Draw a valid stream whose lookups are large enough for each row."""
    options = {
        **draw(term_options),
        "stream_type": stream_type or draw(st.sampled_from([FRAME, FLAT, PUNCTUATED])),
        "statement_type": statement_type or draw(st.sampled_from([TRIPLES, QUADS])),
        "version": 1,
    }
    pool = Pool(draw, options)
    quads = options["statement_type"] == QUADS
    most = 1 if one_patch or options["stream_type"] == FLAT else 4
    bodies = draw(st.lists(_operations(pool, quads), min_size=1, max_size=most))
    operations = [op for body in bodies for op in [*body, ("END",)]]
    make_room(options, operations)
    return Stream(options, operations)
