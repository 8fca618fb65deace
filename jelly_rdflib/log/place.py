"""The place of a patch in a log, and the headers that go with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rdflib.term import Literal, Node, URIRef

from jelly_rdflib.errors import LogError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.stores.statements import show_term

__all__ = ["Place"]

_ID, _PREV, _SQUASHED = "id", "prev", "squashed"


@dataclass(frozen=True)
class Place:
    """A patch's place in a log.

    Args:
        first: The first version that it stands for.
        last: The last one, which it makes; the same, unless it was squashed.
        id: Its id.
        prev: The id of the patch before it; None for the first.

    Examples:
        >>> for header in Place(2, 4, URIRef("uuid:4"), URIRef("uuid:1")).headers():
        ...     print(*header[1:])
        id uuid:4
        prev uuid:1
        squashed 2-4
    """

    first: int
    last: int
    id: URIRef
    prev: URIRef | None

    def headers(self) -> list[Operation]:
        """Return the headers that the patch begins with.

        That it was squashed from others must stand in it: where its file's name says so, the
        others may be deleted.
        """
        return [(Op.H, key, value) for key, value in self._values().items() if value is not None]

    def check(self, headers: Iterable[Operation], *, is_linked: bool = True) -> None:
        """Check the headers of a patch.

        Args:
            headers: All that it has, or those at its start.
            is_linked: Whether it is known what comes before it.

        Raises:
            LogError: They don't go with this place.
        """
        found = [(key, value) for _, key, value in self.some(headers)]
        for key, wanted in self._values().items():
            if key == _PREV and not is_linked:
                continue
            values = [value for each, value in found if each == key]
            if values != ([] if wanted is None else [wanted]):
                shown = " and ".join(map(show_term, values)) or "missing"
                wish = f"it should be {show_term(wanted)}" if wanted else "there should be none"
                raise LogError(f"its header {key} is {shown}; {wish}")

    def some(self, headers: Iterable[Operation]) -> list[Operation]:
        """Return those that say a place, as many as show what is wrong: two of each key."""
        counts = Counter(self._values().keys())
        some = []
        for header in headers:
            if 0 < counts[header[1]] <= 2:
                counts[header[1]] += 1
                some.append(header)
        return some

    @staticmethod
    def has_header(operation: Operation) -> bool:
        """Is this a header that says a place?"""
        return operation[0] == Op.H and operation[1] in (_ID, _PREV, _SQUASHED)

    def _values(self) -> dict[str, Node | None]:
        values: dict[str, Node | None] = {_ID: self.id, _PREV: self.prev}
        if self.first != self.last:
            # One that is in a place of its own may come from a log in which it was squashed.
            values[_SQUASHED] = Literal(f"{self.first}-{self.last}")
        return values
