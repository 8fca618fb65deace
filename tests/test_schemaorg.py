"""The releases of schema.org, which benchmarks and other tests read."""

from __future__ import annotations

from benchmarks.schemaorg import releases


def test_there_are_sixteen_releases() -> None:
    found = releases()
    versions = [float(name.removeprefix("https://schema.org/version/")) for name, _ in found]
    assert len(versions) == 16
    assert (versions, versions[0], versions[-1]) == (sorted(versions), 5.0, 29.0)
    assert sum(lines.count("\n") for _, lines in found) == 250_897


def test_releases_are_sorted_and_repeat_nothing() -> None:
    for _, lines in releases():
        triples = lines.splitlines()
        assert triples == sorted(set(triples))
        assert all(triple.endswith(" .") for triple in triples)
