"""A stream through three processes, as ``make long-run`` has it, but a short one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reliability.long_run import Process, Run, run, table
from benchmarks.reliability.section import replace_section


def test_a_stream_through_three_processes() -> None:
    found = run(300_000)
    assert found.problems() == []
    assert found.operations >= 300_000
    assert all(len(each.samples) > 50 for each in found.processes)
    assert {"A", "D", "TX", "TC", "TA", "H", "PA", "END"} == set(found.processes[0].counts)
    assert f"{found.operations:,} operations" in table(found)


def test_what_is_a_problem() -> None:
    good = Process("generate", {"A": 10}, [(n, 1 << 20) for n in range(100)], 1)
    less = Process("recode", {"A": 9}, good.samples, 1)
    more = Process("count", {"A": 10}, [(n, n << 20) for n in range(100)], 1)
    assert Run([good, good, good], 1, 1).problems() == []
    assert Run([good, less, good], 1, 1).problems() == [
        "recode has {'A': 9}, and generate has {'A': 10}"
    ]
    [problem] = Run([good, good, more], 1, 1).problems()
    assert problem.startswith("the memory of count grows by")


def test_a_part_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n<!-- part -->\nold\n<!-- end of part -->\nmore\n", "utf-8")
    replace_section(page, "part", "new")
    replace_section(page, "part", "newest")
    text = page.read_text("utf-8")
    assert text == "# A page\n<!-- part -->\n\nnewest\n\n<!-- end of part -->\nmore\n"
    with pytest.raises(ValueError, match="has not the marks of other"):
        replace_section(page, "other", "new")
