"""Reads the data of a page as its script does, without using code of the package."""

import base64
import json
import struct
import zlib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate, chain
from typing import Any

from tests.oracle.terms import Plain

CODES = {7: "A", 8: "D", 5: "PA", 6: "PD"}
COLUMNS = 5


class Elements(HTMLParser):
    """Collects the names and attributes of elements, and the text of raw text elements."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)


@dataclass
class Page:
    """The content of a page: a summary, and the details and plain changes of each version."""

    text: str
    elements: list[tuple[str, dict[str, str | None], str]]
    summary: dict[str, Any]
    details: list[Any]
    terms: list[Plain | None]
    changes: list[list[Plain]] = field(default_factory=list)

    def table(self, version: int, name: str) -> dict[Plain | None, tuple[int, int]]:
        rows, _ = self.details[version][name]
        return {self.terms[term]: (added, deleted) for term, added, deleted in rows}

    def scripts(self) -> list[str]:
        """Return the texts of the scripts that a browser runs."""
        return [
            text for tag, attributes, text in self.elements if tag == "script" and not attributes
        ]


def read_page(page: bytes) -> Page:
    parser = Elements()
    text = page.decode()
    parser.feed(text)
    parser.close()
    by_id = {attributes.get("id"): text for _, attributes, text in parser.found}
    summary = json.loads(by_id["summary"] or "")

    def blocks(kind: str) -> list[bytes]:
        names = sorted(
            (name for name in by_id if name and name.startswith(f"{kind}-")),
            key=lambda name: int(name.rpartition("-")[2]),
        )
        return [zlib.decompress(base64.b64decode(by_id[name])) for name in names]

    details = [each for block in blocks("details") for each in json.loads(block)]
    (kinds,) = map(json.loads, blocks("kinds"))
    terms = read_terms(kinds, [json.loads(block) for block in blocks("terms")])
    rows = [row for block in blocks("rows") for row in read_rows(block)]
    result = Page(text, parser.found, summary, details, terms)
    start = 0
    versions = summary["versions"]
    for added, deleted in zip(versions["added"], versions["deleted"], strict=True):
        stop = start + added + deleted
        result.changes.append(
            [(CODES[op], *(terms[term] for term in row)) for op, *row in rows[start:stop]]
        )
        start = stop
    assert start == len(rows)
    return result


def read_terms(kinds: str, blocks: list[Any]) -> list[Plain | None]:
    terms: list[Plain | None] = []
    texts = chain.from_iterable(block[0] for block in blocks)
    extras = chain.from_iterable(block[1] for block in blocks)
    for kind, text, extra in zip(kinds, texts, extras, strict=True):
        other = terms[extra] if extra else None
        terms.append(read_term(kind, text, other[1] if other else None, terms))
    return terms


def read_term(kind: str, text: Any, other: Any, terms: list[Plain | None]) -> Plain | None:
    if kind == " ":
        return None
    if kind == "<":
        return ("triple", *(terms[inner] for inner in text))
    if kind in "l@^":
        language, datatype = (
            (other.lower() if kind == "@" else None),
            (other if kind == "^" else None),
        )
        assert (other is None) == (kind == "l")
        return ("literal", text, language, datatype)
    return ({"i": "iri", "b": "bnode", "s": "string"}[kind], text)


def read_rows(block: bytes) -> list[tuple[int, ...]]:
    count = len(block) // (4 * COLUMNS)
    columns = []
    for column in range(COLUMNS):
        planes = [
            block[start : start + count]
            for start in range(4 * column * count, 4 * (column + 1) * count, count)
        ]
        differences = [struct.unpack("<i", bytes(four))[0] for four in zip(*planes, strict=True)]
        columns.append(list(accumulate(differences)))
    return list(zip(*columns, strict=True))
