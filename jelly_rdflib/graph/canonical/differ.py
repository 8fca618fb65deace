"""The difference of statements with blank nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, count

from rdflib.term import BNode, Node

from jelly_rdflib.graph.canonical.form import Canonicalizer, Form
from jelly_rdflib.graph.canonical.pairing import pair
from jelly_rdflib.graph.canonical.quads import Describe, Known, Quad, describer, is_blank, split


def differ(
    old: Sequence[Quad], new: Sequence[Quad], *, folds_strings: bool
) -> tuple[list[Quad], list[Quad]]:
    """Find the statements that turn one set into the other, whatever the labels of blank nodes.

    Args:
        old: Statements, each with a blank node.
        new: The same of the other dataset.
        folds_strings: Whether ``"x"`` and ``"x"^^xsd:string`` are the same.

    Returns:
        The statements of ``old`` to delete, and those to add. Their blank nodes are those of
        ``old``, and new ones. A new label depends only on the statements about its node, and no
        node of ``old`` has it.

    Raises:
        ImportError: pyoxigraph is missing; the message names the extra.
        PatchError: One is no statement of RDF 1.1.
    """
    canonicalizer = Canonicalizer(folds_strings=folds_strings)
    describe = describer(folds_strings=folds_strings)
    old_left, new_left = _without_same(split(old), split(new), canonicalizer)
    new_to_old = pair(old_left, new_left, describe)
    known = {node: Known(label) for node, label in new_to_old.items()}
    renamed: list[Quad] = []
    unknown: list[Quad] = []
    for quad in new_left:
        if all(term in new_to_old for term in quad if is_blank(term)):
            renamed.append(_replace(quad, new_to_old))
        else:
            unknown.append(_replace(quad, known))
    old_keys = {_key(quad, describe) for quad in old_left}
    new_keys = {_key(quad, describe) for quad in renamed}
    forms = [canonicalizer.form(component) for component in split(unknown)]
    labels: set[Node] = {term for quad in old for term in quad if is_blank(term)}
    return (
        [quad for quad in old_left if _key(quad, describe) not in new_keys],
        [
            *(quad for quad in renamed if _key(quad, describe) not in old_keys),
            *_with_new_labels(forms, labels),
        ],
    )


def _without_same(
    old: Sequence[Sequence[Quad]], new: Sequence[Sequence[Quad]], canonicalizer: Canonicalizer
) -> tuple[list[Quad], list[Quad]]:
    """Return the statements of the components that only one of the two has."""
    by_form: dict[bytes, list[Sequence[Quad]]] = {}
    for component in old:
        form = _hash(canonicalizer.text(component))
        by_form.setdefault(form, []).append(component)
    new_left: list[Sequence[Quad]] = []
    same: dict[bytes, int] = {}
    for component in new:
        form = _hash(canonicalizer.text(component))
        if same.get(form, 0) < len(by_form.get(form, ())):
            same[form] = same.get(form, 0) + 1
        else:
            new_left.append(component)
    old_left: list[Sequence[Quad]] = []
    for form, components in by_form.items():
        if len(components) > 1:
            # Any of them may stay, but the same ones each time.
            components.sort(key=_least_label)
        old_left += components[same.get(form, 0) :]
    return list(chain.from_iterable(old_left)), list(chain.from_iterable(new_left))


def _with_new_labels(forms: Sequence[Form], taken: set[Node]) -> Iterator[Quad]:
    """Iterate over the statements of forms, with labels that are not taken."""
    copies = count()
    text = None
    for form in sorted(forms, key=lambda form: form.text):
        if form.text != text:
            # The number tells copies of a form apart, and from nodes that were there before.
            text, copies = form.text, count()
        nodes = {term for quad in form.quads for term in quad if is_blank(term)}
        labels: dict[BNode, Node] = {}
        while not labels or any(label in taken for label in labels.values()):
            tag = sha256(f"{next(copies)} {text}".encode()).hexdigest()[:16]
            labels = {node: BNode(f"{node}-{tag}") for node in nodes}
        taken.update(labels.values())
        for quad in form.quads:
            yield _name_known(_replace(quad, labels))


def _hash(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _least_label(component: Sequence[Quad]) -> str:
    return min(str(term) for quad in component for term in quad if is_blank(term))


def _replace(quad: Quad, nodes: Mapping[BNode, Node]) -> Quad:
    s, p, o, g = (nodes.get(term, term) if is_blank(term) else term for term in quad)
    return s, p, o, g


def _name_known(quad: Quad) -> Quad:
    s, p, o, g = (BNode(term) if isinstance(term, Known) else term for term in quad)
    return s, p, o, g


def _key(quad: Quad, describe: Describe) -> tuple[str, ...]:
    return tuple(f"_{term}" if is_blank(term) else describe(term) for term in quad)
