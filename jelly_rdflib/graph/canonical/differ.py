"""The difference between statements with blank nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, count

from rdflib.term import BNode, Node

from jelly_rdflib.graph.canonical.form import Canonicalizer, Form
from jelly_rdflib.graph.canonical.pairing import pair
from jelly_rdflib.graph.canonical.quads import (
    Known,
    Quad,
    blank_nodes,
    describe,
    group,
    is_blank,
    spelling,
    split,
)


def differ(old: Sequence[Quad], new: Sequence[Quad]) -> tuple[list[Quad], list[Quad]]:
    """Find the statements of ``old`` to delete, and those to add, to turn ``old`` into ``new``.

    Each statement has a blank node. Labels don't count. The result has the blank nodes of ``old``,
    and new ones, whose labels depend only on the statements about them and differ from all labels
    of ``old``.
    """
    canonicalizer = Canonicalizer()
    old_left, new_left = _without_same(split(old), split(new), canonicalizer)
    for quads in (old_left, new_left):
        # Sort, since the order in a store may vary from process to process.
        quads.sort(key=lambda quad: (_key(quad), spelling(quad[2])))
    new_to_old = pair(old_left, new_left)
    known = {node: Known(label) for node, label in new_to_old.items()}
    renamed: list[Quad] = []
    unknown: list[Quad] = []
    for quad in new_left:
        if blank_nodes([quad]) <= new_to_old.keys():
            renamed.append(_replace(quad, new_to_old))
        else:
            unknown.append(_replace(quad, known))
    old_keys = {_key(quad) for quad in old_left}
    new_keys = {_key(quad) for quad in renamed}
    forms = [canonicalizer.form(component) for component in split(unknown)]
    labels = blank_nodes(old)
    return (
        [quad for quad in old_left if _key(quad) not in new_keys],
        [
            *(quad for quad in renamed if _key(quad) not in old_keys),
            *_with_new_labels(forms, labels),
        ],
    )


def _without_same(
    old: Sequence[Sequence[Quad]], new: Sequence[Sequence[Quad]], canonicalizer: Canonicalizer
) -> tuple[list[Quad], list[Quad]]:
    """Return the statements of the components that only one of the two datasets has.

    The statements of ``new`` get labels that don't depend on their present labels.
    """
    ours = group((_hash(canonicalizer.form(component)), component) for component in old)
    for components in ours.values():
        # It does not matter which copies of a component stay, but they must be the same each time.
        components.sort(key=lambda component: min(map(str, blank_nodes(component))), reverse=True)
    theirs: list[Form] = []
    for component in new:
        form = canonicalizer.form(component)
        same = ours.get(_hash(form))
        if same:
            same.pop()
        else:
            theirs.append(form)
    theirs.sort(key=lambda form: form.text)
    return (
        list(chain.from_iterable(chain.from_iterable(ours.values()))),
        [quad for number, form in enumerate(theirs) for quad in _numbered(form, number)],
    )


def _hash(form: Form) -> bytes:
    return sha256(form.text.encode()).digest()


def _numbered(form: Form, number: int) -> Iterator[Quad]:
    """Iterate over the statements of a form, with labels that no other form has."""
    names = {node: BNode(f"{number}-{node}") for node in blank_nodes(form.quads)}
    return (_replace(quad, names) for quad in form.quads)


def _with_new_labels(forms: Sequence[Form], taken: set[BNode]) -> Iterator[Quad]:
    """Iterate over the statements of forms, with labels that are not in ``taken``."""
    copies = count()
    text = None
    for form in sorted(forms, key=lambda form: form.text):
        if form.text != text:
            # The count distinguishes copies of a form from each other and from existing nodes.
            text, copies = form.text, count()
        nodes = blank_nodes(form.quads)
        labels: dict[BNode, BNode] = {}
        while not labels or not taken.isdisjoint(labels.values()):
            tag = sha256(f"{next(copies)} {text}".encode()).hexdigest()[:16]
            labels = {node: BNode(f"{node}-{tag}") for node in nodes}
        taken.update(labels.values())
        for quad in form.quads:
            s, p, o, g = _replace(quad, labels)
            yield _name(s), _name(p), _name(o), _name(g)


def _replace(quad: Quad, nodes: Mapping[BNode, Node]) -> Quad:
    s, p, o, g = (nodes.get(term, term) if is_blank(term) else term for term in quad)
    return s, p, o, g


def _name(term: Node) -> Node:
    return BNode(term) if isinstance(term, Known) else term


def _key(quad: Quad) -> tuple[str, ...]:
    return tuple(f"_{term}" if is_blank(term) else describe(term) for term in quad)
