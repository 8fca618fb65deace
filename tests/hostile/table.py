"""Reads the table of limits in the documentation."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
SECTION = PAGE.read_text("utf-8").partition("\n## Limits\n")[2].partition("\n## ")[0]
ROWS = ROW.findall(SECTION)

DEFAULTS = {name: int(number.replace(",", "")) for name, number, _ in ROWS}
"""The default of each limit."""

MESSAGES = {
    name: re.compile(
        "|".join(".*".join(map(re.escape, text.split("…"))) for text in messages.split("; "))
    )
    for name, _, messages in ROWS
}
"""Patterns for the error messages of each limit."""
