"""The options of Jelly-RDF 1.2, a draft: they are shown, though its rows can't be read."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.core.jelly_decoder import BatchReader
from jelly_rdflib.options import PhysicalStreamType

_SIZES = {"max_name_table_size": 9, "max_prefix_table_size": 10, "max_datatype_table_size": 11}
# Two drafts have the same version and other numbers: the later one, and the one before it.
_LATER = {"physical_type": 2, "stream_type": 5, "rdf_version": 6}
_EARLIER = {"physical_type": 5, "stream_type": 6, "rdf_version": 7}
_NAMES = {
    "physical_type": {0: "unspecified", **{kind.value: kind.name for kind in PhysicalStreamType}},
    "stream_type": {0: "FLAT", 1: "MESSAGES"},
    "rdf_version": {0: "unspecified", 1: "1.1", 2: "1.2-basic", 3: "1.2"},
}


def draft_options(batches: BatchSource) -> dict[str, Any] | None:
    """Return the options of a stream of Jelly-RDF 1.2 that was refused; None of any other one.

    They are JSON values: types by name, and by number if the draft has no name for them.
    """
    fields = batches.draft_options if isinstance(batches, BatchReader) else None
    if fields is None:
        return None
    # Each stream has a physical type, and the earlier draft has no field 2.
    types = _LATER if 2 in fields or 5 not in fields else _EARLIER
    numbers = {**types, **_SIZES, "version": 15}
    values: dict[str, Any] = {"stream_name": fields.get(1, "")}
    values |= {name: fields.get(number, 0) for name, number in numbers.items()}
    for name, names in _NAMES.items():
        values[name] = names.get(values[name], values[name])
    return values
