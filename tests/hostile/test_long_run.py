"""Tests a short version of ``make long-run``: a stream through three processes."""

from benchmarks.reliability.long_run import run, table


def test_a_stream_through_three_processes() -> None:
    found = run(300_000)
    assert found.problems() == []
    assert found.operations >= 300_000
    assert all(len(each.samples) > 50 for each in found.processes)
    assert {"A", "D", "TX", "TC", "TA", "H", "PA", "END"} == set(found.processes[0].counts)
    assert f"{found.operations:,} operations" in table(found)
