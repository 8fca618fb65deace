"""Writes the page: the template, filled with the data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from jelly_rdflib.version import __version__
from jelly_rdflib.viewer.history import PackedHistory

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def page_of(history: PackedHistory, *, title: str, source: str, is_whole: bool) -> Iterator[bytes]:
    """Yield the page in pieces.

    A hostile history may try to put code into the page. So all data are JSON without any ``<``, or
    compressed, and the browser runs nothing but the template's own script, whose digest is in the
    page. ``source`` is the name of the input; ``is_whole`` means that the dataset was empty before
    the first version.
    """
    template = files("jelly_rdflib.viewer").joinpath("page.html").read_text("utf-8")
    names = {"title": title, "source": source, "program": f"jelly-rdflib {__version__}"}
    summary = json.dumps({**history.summary(), **names, "isWhole": is_whole}, separators=(",", ":"))
    # A "<" might end the script element that the summary is in.
    summary = summary.replace("<", "\\u003c")
    values = {"policy": _policy_of(template), "title": escape(title), "summary": summary}
    start, end = template.split("{{blocks}}")
    yield re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], start).encode()
    for name, block in history.blocks():
        yield f'<script type="text/plain" id="{name}">{block}</script>\n'.encode()
    yield end.encode()


def _policy_of(template: str) -> str:
    """Return the content security policy: only the template's own style and script are allowed."""
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    for kind, text in _INLINE.findall(template):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        rules.append(f"{kind}-src 'sha256-{digest}'")
    return "; ".join(rules)
