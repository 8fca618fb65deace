"""Write the generated parts of pages."""

from __future__ import annotations

from pathlib import Path

__all__ = ["replace_section"]


def replace_section(page: Path, name: str, text: str) -> None:
    """Replace the text between two marks in a page.

    Args:
        page: The page.
        name: The name of the marks: ``<!-- NAME -->`` and ``<!-- end of NAME -->``.
        text: The text to put between the marks.

    Raises:
        ValueError: The page does not contain each mark exactly once, in this order.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    content = page.read_text("utf-8")
    if content.count(start) != 1 or content.count(end) != 1:
        raise ValueError(f"{page} has not the marks of {name}, once each")
    before, _, rest = content.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{page} has the marks of {name} in the wrong order")
    page.write_text(f"{before}{start}\n{text.strip()}\n\n{end}{after}", "utf-8")
