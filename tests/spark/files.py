"""Files of changes for the tests of the data sources."""

from pathlib import Path
from typing import Any

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.operations import Operation
from jelly_rdflib.spark.planning import Cluster, Look
from jelly_rdflib.streams.index import FilePart
from tests.oracle.terms import DEFAULT_GRAPH, Plain, operation

COLUMNS = ("patch", "txn", "seq", "op", "s", "p", "o", "g", "name")


class Here(Cluster):
    """A cluster whose driver scans long files itself."""

    def parts_of(self, looks: list[Look]) -> list[list[FilePart]]:
        return [look.parts() for look in looks]


def iri(name: object) -> Plain:
    return ("iri", f"http://example.org/{name}")


def make_operations(patches: int, size: int, seed: int = 0) -> list[Plain]:
    """Return patches, each with a header, a prefix and a transaction of statements."""
    result: list[Plain] = []
    for patch in range(patches):
        result += [
            ("H", "id", iri(f"patch{seed}-{patch}")),
            ("TX",),
            ("PA", "ex", iri(""), DEFAULT_GRAPH),
        ]
        for number in range(size):
            graph = DEFAULT_GRAPH if number % 3 else iri(f"graph{number % 7}")
            terms = [
                iri(f"s{number % 11}"),
                iri(f"p{number % 5}"),
                ("literal", f"{seed} {patch} {number}", None, None),
                ("literal", str(number), None, "http://www.w3.org/2001/XMLSchema#integer"),
                ("literal", "chat", "fr", None),
                ("bnode", f"b {number % 4}"),
            ]
            result.append(
                ("D" if number % 4 == 3 else "A", *terms[:2], terms[2 + number % 4], graph)
            )
        result += [("TC",), ("END",)]
    return result


def paid(count: int) -> list[Operation]:
    """Return a patch of `count` payments; `forge` changes the first from 10 to 99."""
    s, p = URIRef("urn:s"), URIRef("urn:p")
    return [(Op.A, s, p, Literal(f"paid {n:<120}"), None) for n in range(10, 10 + count)]


def forge(path: Path) -> None:
    data = path.read_bytes()
    assert b"paid 10" in data
    path.write_bytes(data.replace(b"paid 10", b"paid 99", 1))


def write_file(path: Path, operations: list[Plain], **options: Any) -> Path:
    """Write operations: as RDF Patch text to ``.rdfp``, otherwise as Jelly-Patch."""
    is_text = path.suffix == ".rdfp"
    made, format = (None, None) if is_text else (jr.PatchOptions(**options), "jelly-patch")
    with jr.PatchWriter(path, made, format=format) as writer:
        writer.write_all([operation(each) for each in operations])
    return path


def read_rows(table: Any, *names: str) -> list[dict[str, Any]]:
    """Return a table's rows, ordered by file and position."""
    rows = [row.asDict(recursive=True) for row in table.collect()]
    rows.sort(key=lambda row: (row.get("file") or "", row.get("seq") or 0))
    return [{name: row[name] for name in names or COLUMNS} for row in rows]
