"""The chain of patches: each may name the one before it (RDF Patch, "Header": id and prev)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from jelly_rdflib.errors import PatchError


@dataclass(frozen=True)
class Place:
    """The place of a patch: its file, and its number in the file."""

    file: str
    patch: int

    def __str__(self) -> str:
        return f"patch {self.patch} of {self.file}"


@dataclass(frozen=True)
class Run:
    """Consecutive patches of a file.

    Attributes:
        file: The file.
        first, last: The numbers of the first and the last patch.
        prev: The header ``prev`` of the first patch; None if it has none.
        id: The id of the last patch; None if it has none.
    """

    file: str
    first: int
    last: int
    prev: str | None
    id: str | None

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def start(self) -> Place:
        """The first patch."""
        return Place(self.file, self.first)


@dataclass(frozen=True)
class Root:
    """The patch before the first patch of a chain.

    Args:
        id: Its id; None if the chain starts with a patch without ``prev``.
        is_any: Whether the first patch may come after any patch.
    """

    id: str | None = None
    is_any: bool = False


def link(runs: Iterable[Run], root: Root, find: Callable[[str], Place | None]) -> list[Run]:
    """Order runs by the chain.

    Args:
        runs: All runs. No id comes twice.
        root: The patch before the first one.
        find: Finds a patch by its id. It is called only for the message of an error.

    Raises:
        PatchError: The runs are not one chain: a patch comes after a missing one, two come after
            the same one, or the chain has several first patches.

    Examples:
        >>> runs = [Run("b", 0, 3, prev="<urn:2>", id="<urn:6>"), Run("a", 0, 1, None, "<urn:2>")]
        >>> [run.file for run in link(runs, Root(), lambda id: None)]
        ['a', 'b']
    """
    runs = sorted(runs, key=lambda run: (run.file, run.first))
    by_last_id = {run.id: run for run in runs if run.id is not None}
    followers: dict[Run, Run] = {}
    starts: list[Run] = []
    for run in runs:
        if run.prev is None or run.prev == root.id:
            starts.append(run)
            continue
        before = by_last_id.get(run.prev)
        if before is None:
            inside = find(run.prev)
            if inside is not None:
                # The next patch of its run already follows it.
                raise _fork(run, Place(inside.file, inside.patch + 1))
            if not root.is_any:
                raise _gap(run, root)
            starts.append(run)
        elif before in followers:
            raise _fork(run, followers[before].start)
        else:
            followers[before] = run
    if not runs:
        return []
    _check_starts(starts, runs, root)
    chain = [starts[0]]
    while (following := followers.get(chain[-1])) is not None:
        chain.append(following)
    if len(chain) < len(runs):
        linked = set(chain)
        raise _circle(next(run for run in runs if run not in linked))
    return chain


def _check_starts(starts: list[Run], runs: list[Run], root: Root) -> None:
    if not starts:
        raise _circle(runs[0])
    first, *others = starts
    if others:
        raise PatchError(
            f"the chain has more than one start: {_describe(first)}, and {_describe(others[0])};"
            " patches without a chain need order_by"
        )
    if not root.is_any and first.prev != root.id:
        raise PatchError(f"{_describe(first)}, but is to come after {root.id}")


def _describe(run: Run) -> str:
    if run.prev is None:
        return f"{run.start} names no patch before it (prev)"
    return f"{run.start} comes after {run.prev} (prev)"


def _gap(run: Run, root: Root) -> PatchError:
    more = f"; what is there so far ends with {root.id}"
    if root.id is None:
        more = "; if all this is built on that, say so by base= or after= of the function"
    return PatchError(f"the chain is broken: {_describe(run)}, which is not there{more}")


def _fork(run: Run, other: Place) -> PatchError:
    return PatchError(f"the chain forks: {_describe(run)}, and so does {other}")


def _circle(run: Run) -> PatchError:
    return PatchError(f"the chain is a circle: {_describe(run)}, which comes after it")
