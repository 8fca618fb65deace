"""Tests that the README is short, and that its figures are those on the benchmark pages."""

import re

from tests.examples import DOCS, ROOT

README = (ROOT / "README.md").read_text("utf-8")
BENCHMARKS = (DOCS / "benchmarks.md").read_text("utf-8")
TABLE = re.findall(r"^\|.*\|$", README, re.MULTILINE)[2:]
# The figures in the README are those for the first data set of the page.
MEASURED = BENCHMARKS.split("\n## ")[1]


def test_a_stranger_reads_it_in_a_minute() -> None:
    lines = README.count("\n")
    assert lines <= 120, f"README.md has {lines} lines, at most 120: move some to a page of docs"


def test_rates_are_those_of_the_benchmarks() -> None:
    rates = set(re.findall(r"\| (\d+\.\d\d) \|", MEASURED))
    told = re.findall(r"\d+\.\d\d", "".join(TABLE))
    assert len(told) > 15
    assert set(told) <= rates
    (fast,) = re.findall(r"\*\*Fast\.\*\* (.*)", README)
    assert set(re.findall(r"\d+\.\d+", fast)) <= set(told)


def test_sizes_are_those_of_the_benchmarks() -> None:
    (small,) = re.findall(r"\*\*Small\.\*\* (.*)", README)
    sizes = re.findall(
        r"^\| jelly-rdflib \| (?:Jelly-Patch|RDF Patch text) \| ([\d,]+) \|", MEASURED, re.MULTILINE
    )
    expected = [f"{int(size.replace(',', '')) / 1e6:.1f}" for size in sizes]
    assert re.findall(r"([\d.]+) MB", small) == expected
    assert f"{small.split()[0]} statements." in MEASURED


def test_the_table_has_all_peers() -> None:
    """The table has each measured program and store, so no close competitor is left out."""
    names = {line.split("|")[1].strip(" *") for line in MEASURED.splitlines() if " | " in line}
    stores = set(re.findall(r"\| to (?:its )?(\S+)(?: in memory)? \|", MEASURED)) - {"batches"}
    assert {"Jelly-JVM", "Apache Jena", "pyjelly", "pyoxigraph", "oxrdflib", "rdflib"} < names
    assert {"create()", "createTxnMem()", "JellyStore", "Memory"} < stores
    for name in (names - {"", "---"}) | (stores - {"store", "terms"}):
        assert name.removesuffix(" patch") in "".join(TABLE), name
