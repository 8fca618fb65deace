"""A history in the form that a page needs: a summary, and blocks of all other data."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rdflib.graph import Graph
from rdflib.namespace import DC, DCTERMS, OWL, RDF, RDFS, SKOS

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.operations import Op
from jelly_rdflib.viewer.blocks import pack_columns, pack_json
from jelly_rdflib.viewer.counts import Classes, table_of
from jelly_rdflib.viewer.limits import check_size
from jelly_rdflib.viewer.terms import BLOCK_TERMS, Terms
from jelly_rdflib.viewer.versions import Version

# How many changes a block of rows has, and how many versions a block of details has.
BLOCK_ROWS = 1 << 16
BLOCK_VERSIONS = 64

_FIELDS = ("number", "first", "title", "time", "added", "deleted", "left_out")
# The keys of headers that name a version for people.
_TITLES = ("title", "label")
_LITERALS = (TermKind.SIMPLE_LITERAL, TermKind.LANGUAGE_LITERAL)
# What the page looks for in an ontology. A label names a term for people, a definition explains it.
# A term with several classes counts for the first of these.
_CLASSES = (
    *(OWL.Class, RDFS.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty),
    *(RDF.Property, SKOS.Concept),
)
_LABELS = (RDFS.label, SKOS.prefLabel)
_DEFINITIONS = (
    *(RDFS.comment, SKOS.definition, DCTERMS.description, DC.description),
    "http://purl.obolibrary.org/obo/IAO_0000115",
    *("http://schema.org/description", "https://schema.org/description"),
)
_NAMES = {"kinds": _CLASSES, "labels": _LABELS, "definitions": _DEFINITIONS}
_MAX_PREFIXES = 1000
_MAX_TEXT = 1000


class PackedHistory:
    """Packs versions into blocks, in order; raises an error if they are too large."""

    def __init__(self, versions: Iterable[Version]) -> None:
        self._terms = Terms()
        self._classes = Classes()
        self._versions: dict[str, list[Any]] = {name: [] for name in _FIELDS}
        self._size = 0
        # Operations, subjects, predicates, objects and graphs that are not in a block yet.
        self._columns = [array("i") for _ in range(5)]
        self._rows: list[str] = []
        self._open_details: list[Any] = []
        self._details: list[str] = []
        known = Graph(bind_namespaces="rdflib").namespaces()
        self._prefixes = {name: str(iri) for name, iri in known}
        for version in versions:
            self._add(version)
        if self._columns[0]:
            self._rows.append(pack_columns(self._columns))
        if self._open_details:
            self._details.append(pack_json(self._open_details))

    def summary(self) -> dict[str, Any]:
        """Return the data that the first view needs, as JSON values.

        ``versions`` has a list for each field, with an item for each version. ``prefixes`` are
        those that rdflib knows, and those of the history, each with its last IRI. ``names`` has
        the numbers of terms that the page's script looks for; 0 if the history does not have the
        term.
        """
        find = self._terms.find
        return {
            "versions": self._versions,
            "prefixes": self._prefixes,
            "terms": len(self._terms),
            "names": {
                **{name: find(str(RDF[name])) for name in ("type", "first", "rest", "nil")},
                "deprecated": find(str(OWL.deprecated)),
                **{
                    name: [number for iri in iris if (number := find(str(iri)))]
                    for name, iris in _NAMES.items()
                },
            },
            "blocks": {"details": BLOCK_VERSIONS, "terms": BLOCK_TERMS, "rows": BLOCK_ROWS},
        }

    def blocks(self) -> Iterator[tuple[str, str]]:
        """Yield each block with its name, such as ``rows-0``; the first view needs the first."""
        kinds = {
            "kinds": [self._terms.kinds()],
            "details": self._details,
            "terms": self._terms.blocks(),
            "rows": self._rows,
        }
        for kind, blocks in kinds.items():
            for number, block in enumerate(blocks):
                yield f"{kind}-{number}", block

    def _add(self, version: Version) -> None:
        ops, *columns = self._columns
        start = len(ops)
        for batch, first, stop in version.pieces:
            ops.extend(batch.ops[first:stop])
            numbers = self._terms.numbers_of(batch).__getitem__
            for column, terms in zip(columns, (batch.s, batch.p, batch.o, batch.g), strict=True):
                column.extend(map(numbers, terms[first:stop]))
        self._summarize(version, *(column[start:] for column in self._columns))
        while len(ops) >= BLOCK_ROWS:
            self._rows.append(pack_columns([column[:BLOCK_ROWS] for column in self._columns]))
            for column in self._columns:
                del column[:BLOCK_ROWS]
        check_size(self._size, "changes and headers")
        check_size(len(self._versions["number"]), "versions")
        check_size(self._terms.text_size, "bytes of terms")

    def _summarize(self, version: Version, ops: Any, s: Any, p: Any, o: Any, g: Any) -> None:
        """Add a version to the summary and the details, given its rows."""
        time = None if version.time is None else version.time.isoformat(timespec="seconds")
        deleted = ops.count(Op.D)
        self._size += len(ops) + len(version.headers) + len(version.prefixes)
        counts = (len(ops) - deleted, deleted, version.left_out)
        fields = (version.number, version.first, _title_of(version), time, *counts)
        for values, value in zip(self._versions.values(), fields, strict=True):
            values.append(value)

        type_ = self._terms.find(str(RDF.type))
        rows = zip(ops, s, p, o, strict=True)
        types = [(op, subject, class_) for op, subject, p_, class_ in rows if p_ == type_]
        subjects = Counter(zip(ops, s, strict=True))
        details = {
            "headers": [self._numbers(batch, row) for batch, row in version.headers],
            "prefixes": [(b.ops[row], *self._numbers(b, row)) for b, row in version.prefixes],
            "graphs": table_of(Counter(zip(ops, g, strict=True))),
            "classes": table_of(self._classes.count(subjects, types)),
            "predicates": table_of(Counter(zip(ops, p, strict=True))),
        }
        self._open_details.append(details)
        if len(self._open_details) == BLOCK_VERSIONS:
            self._details.append(pack_json(self._open_details))
            self._open_details = []

    def _numbers(self, batch: Batch, row: int) -> tuple[int, int]:
        """Return the numbers of a header's key and value, or of a prefix's name and IRI.

        A prefix that is added is kept for the summary.
        """
        name, iri = (_short_text(batch, term) for term in (batch.s[row], batch.o[row]))
        has_room = len(self._prefixes) < _MAX_PREFIXES
        if batch.ops[row] == Op.PA and has_room and name is not None and iri is not None:
            self._prefixes[name] = iri
        numbers = self._terms.numbers_of(batch)
        return numbers[batch.s[row]], numbers[batch.o[row]]


def _title_of(version: Version) -> str | None:
    """Return the start of the header that names a version for people; None without this header."""
    for batch, row in version.headers:
        key, title = _short_text(batch, batch.s[row]), _short_text(batch, batch.o[row])
        if (
            key
            and title
            and key.lower() in _TITLES
            and batch.terms.kinds[batch.o[row]] in _LITERALS
        ):
            return title[:100]
    return None


def _short_text(batch: Batch, term: int) -> str | None:
    """Return the text of a term; None if it is long. A small input may repeat a long text often."""
    start, stop = batch.terms.offsets[term : term + 2]
    return batch.terms.text_of(term) if stop - start <= _MAX_TEXT else None
