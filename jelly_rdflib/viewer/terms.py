"""The distinct terms of all batches, each with one number."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain, islice, pairwise

from rdflib import XSD

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.viewer.blocks import pack_json

BLOCK_TERMS = 1 << 14
"""The number of terms in a block of the page."""

# The letter for each `TermKind` in a block, by the number of the kind.
_LETTERS = " ibl@^< s"
# Where the text starts in a term's key: after its kind, and the number of its tag or datatype.
_TEXT = 5


class Terms:
    """Gives each distinct term a number, in the order of first occurrence.

    Number 0 is the default graph, and never a term. A term is kept as bytes: its kind, the
    number of its language tag or datatype, and its text. The spellings of a literal have one number
    (see `jelly_rdflib.terms.identity`): it is shown as ``"x"``, or with its first tag.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        # Language tags, by their lower case.
        self._tags: dict[bytes, int] = {}
        self.text_size = 0
        self._batch: Batch | None = None
        self._translation: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers) + 1

    def find(self, iri: str) -> int:
        """Return the number of an IRI; 0 if it is unknown."""
        return self._numbers.get(_key(TermKind.IRI, 0, iri.encode()), 0)

    def numbers_of(self, batch: Batch) -> list[int]:
        """Return the number of each term of a batch, by its number in the batch."""
        # Keep the result, since the rows of a batch may come in several pieces.
        if batch is not self._batch:
            self._translation = self._translate(batch)
            self._batch = batch
        return self._translation

    def _translate(self, batch: Batch) -> list[int]:
        terms = batch.terms
        extras, data, offsets = list(terms.extras), bytes(terms.data), list(terms.offsets)
        numbers: list[int] = []
        # A term follows the terms that it refers to.
        for kind, extra, (start, stop) in zip(terms.kinds, extras, pairwise(offsets), strict=True):
            if kind in (TermKind.NONE, TermKind.DEFAULT_GRAPH):
                numbers.append(0)
                continue
            text = data[start:stop]
            if kind == TermKind.TRIPLE_TERM:
                text = array("I", [numbers[term] for term in array("I", text)]).tobytes()
            own = numbers[extra] if extra else 0
            if kind == TermKind.LANGUAGE_LITERAL:
                tag = data[offsets[extra] : offsets[extra + 1]].lower()
                own = self._tags.setdefault(tag, own)
            elif kind == TermKind.TYPED_LITERAL and own == self._numbers.get(_STRING):
                kind, own = TermKind.SIMPLE_LITERAL, 0
            key = _key(kind, own, text)
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = len(self._numbers) + 1
                self.text_size += len(text)
            numbers.append(number)
        return numbers

    def kinds(self) -> str:
        """Pack the kinds of all terms, a letter for each, so that blank nodes can be sorted."""
        return pack_json("".join(_LETTERS[key[0]] for key in self._keys()))

    def blocks(self) -> Iterator[str]:
        """Yield the terms in blocks: texts, and numbers of tags or datatypes.

        The text of a quoted triple is the numbers of its terms.
        """
        keys = self._keys()
        while block := list(islice(keys, BLOCK_TERMS)):
            extras = [int.from_bytes(key[1:_TEXT], "little") for key in block]
            yield pack_json([list(map(_text_of, block)), extras])

    def _keys(self) -> Iterator[bytes]:
        return chain([_key(TermKind.NONE, 0, b"")], self._numbers)


def _key(kind: int, extra: int, text: bytes) -> bytes:
    return b"%c%b%b" % (kind, extra.to_bytes(4, "little"), text)


def _text_of(key: bytes) -> str | list[int]:
    text = key[_TEXT:]
    return list(array("I", text)) if key[0] == TermKind.TRIPLE_TERM else text.decode()


_STRING = _key(TermKind.IRI, 0, str(XSD.string).encode())
