"""Runs rdflib's own tests with a `JellyStore` as its default store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.peers.both_stores import run_with_both_stores
from tests.peers.outcomes import Known, Outcome

_FORMULAS = "a JellyStore has no formulas and no variables of N3"
_OPEN = "open() opens a file in a JellyStore; in rdflib's Memory it does nothing"
_TURTLE = "the text is not Turtle or TriG, but rdflib's parser takes it"
_N_TRIPLES = "the text is not N-Triples, but rdflib's parser takes it"
_MEMORY = "the test asks for rdflib's Memory by its class or its private attributes"
_PATCHED = "the test replaces a part of rdflib's own parsers, which do not parse here"
_ORDER = "the manifest gives a test two types, and rdflib's tests take the first that a store has"

KNOWN = [
    Known("test/test_n3.py::TestN3Case::test_model", _FORMULAS),
    Known("test/test_n3.py::TestN3Case::test_quoted_serialization", _FORMULAS),
    Known("test/test_graph/test_graph_formula.py::*", _FORMULAS),
    Known("test/test_misc/test_parse_file_guess_format.py::*::test_n3", _FORMULAS),
    Known("test/test_parsers/test_swap_n3.py::test_cases*", _FORMULAS),
    Known("test/test_roundtrip.py::test_n3_suite*", _FORMULAS),
    Known("test/test_roundtrip.py::*lots_of_graphs.n3_*", _FORMULAS),
    Known("test/test_serializers/test_serializer_n3.py::test_implies*", _FORMULAS),
    Known("test/test_serializers/test_serializer_n3.py::test_merging", _FORMULAS),
    Known("test/utils/test/test_testutils.py::test_assert_sets_equal?test_case[789]?", _FORMULAS),
    Known("test/test_issues/test_issue1141.py::test_issue_1141_1", _FORMULAS),
    Known("test/test_dataset/test_dataset.py::*?default?", _OPEN),
    Known("test/test_graph/test_graph.py::*?None*", _OPEN),
    Known("test/test_graph/test_graph_context.py::ContextTestCase::*", _OPEN),
    Known("test/test_parsers/test_parser.py::TestParser::testNoPathWithHash", _OPEN),
    Known("test/test_store/test_store_triple_store.py::*", _OPEN),
    Known("test/test_graph/test_diff.py::test_assert_sets_equal*", _TURTLE),
    Known("test/utils/test/test_testutils.py::test_assert_sets_equal*", _TURTLE),
    Known("test/test_trig.py::test_prefixes", _TURTLE),
    Known("test/test_misc/test_parse_file_guess_format.py::*::test_warning", _TURTLE),
    Known("test/test_roundtrip.py::*literals-05.nt_nt_*", _TURTLE),
    Known("test/test_graph/test_variants.py::*schema_only_base*", _TURTLE),
    Known("test/test_roundtrip.py::*even_more_literals.nt_nt_*", _N_TRIPLES),
    Known("rdflib/graph.py::rdflib.graph", _MEMORY),
    Known("test/test_namespace/test_namespace.py::*::test_reset", _MEMORY),
    Known("test/jsonld/test_testsuite.py::*fromRdf-manifest*", _PATCHED),
    Known("test/test_issues/test_issue1160.py::test_named_graph_with_fragment", _PATCHED),
    Known("test/test_w3c_spec/test_n3_w3c.py::*#turtle-syntax-bad-*", _ORDER),
]


def run(checkout: Path) -> Iterator[Outcome]:
    """Run all tests except those that need the internet or containers."""
    yield from run_with_both_stores(checkout, "-m", "not webtest and not testcontainer")
