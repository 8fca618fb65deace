"""Ids of patches: UUIDs as ``uuid:`` IRIs (RDF Patch, "Header")."""

from __future__ import annotations

import re
import uuid
from typing import Any

from rdflib.term import URIRef

from jelly_rdflib.errors import LogError
from jelly_rdflib.stores.statements import show_term

__all__ = ["SCHEME", "make_patch_id", "parse_patch_id", "patch_id_of"]

SCHEME = "uuid:"
_HEX = "[0-9a-f]"
_ID = re.compile(rf"(?:(?:urn:)?uuid:)?({_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}})", re.I)


def make_patch_id() -> URIRef:
    """Make a new id."""
    return patch_id_of(str(uuid.uuid4()))


def patch_id_of(digits: str) -> URIRef:
    """Return the id with the given digits, as in the names of files.

    Examples:
        >>> patch_id_of("0686c69d-8f89-4496-acb5-744f0157a8db")
        rdflib.term.URIRef('uuid:0686c69d-8f89-4496-acb5-744f0157a8db')
    """
    return URIRef(SCHEME + digits)


def parse_patch_id(value: Any) -> URIRef:
    """Return an id in the one form that a log has: ``uuid:`` and small letters.

    Args:
        value: What stands for an id: an IRI or text, also with ``urn:uuid:`` or the bare UUID.

    Raises:
        LogError: It is no UUID.

    Examples:
        >>> parse_patch_id(URIRef("urn:uuid:0686C69D-8F89-4496-ACB5-744F0157A8DB"))
        rdflib.term.URIRef('uuid:0686c69d-8f89-4496-acb5-744f0157a8db')
    """
    found = None
    if isinstance(value, URIRef) or type(value) is str:
        found = _ID.fullmatch(value)
    if found is None:
        raise LogError(
            f"{show_term(value)} can't be the id of a patch: those are UUIDs as IRIs,"
            f" such as <{SCHEME}0686c69d-8f89-4496-acb5-744f0157a8db>"
        )
    return patch_id_of(found[1].lower())
