"""The chain of patches: each may name the patch before it (RDF Patch, "Header": id and prev)."""

# pyarrow generates the functions of its module `compute` when it is imported.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from jelly_rdflib.errors import PatchError

VERSION = "_version"
RUN = "_run"
MAX_RUNS = 1 << 20
# A table of up to this many rows is sent from the driver to all executors for a join.
MAX_BROADCAST = 100_000
# The maximum size of all strings in a table that the driver sends, in bytes.
MAX_BYTES = 8 << 20
# The columns for each run: its file, its first patch, its last wanted patch, its number, and its
# first version.
_RUNS = pa.schema(
    [("file", pa.string()), *((name, pa.int64()) for name in ("_first", "_last", RUN, "_start"))]
)
# The value of `root` if the first patch of a chain may follow any patch. No id equals it.
ANY = "*"


class PatchPlace(NamedTuple):
    """The position of a patch: its file, and its number in the file."""

    file: str
    patch: int

    def __str__(self) -> str:
        return f"patch {self.patch} of {self.file}"


@dataclass(frozen=True, order=True)
class PatchRun:
    """Consecutive patches of a file, with the ``prev`` of the first and the id of the last one."""

    file: str
    first: int
    last: int
    prev: str | None
    id: str | None

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def start(self) -> PatchPlace:
        """The first patch."""
        return PatchPlace(self.file, self.first)

    def __str__(self) -> str:
        if self.prev is None:
            return f"{self.start} names no patch before it (prev)"
        return f"{self.start} comes after {self.prev} (prev)"


def link(
    runs: Iterable[PatchRun], root: str | None, find: Callable[[str], PatchPlace | None]
) -> list[PatchRun]:
    """Order all runs by the chain; raise a PatchError if they are not one chain.

    All ids must differ. ``root`` is the id of the patch before the first one; None if the first
    patch has no ``prev``. ``find`` finds a patch by its id, for error messages.
    """
    runs = sorted(runs)
    last_ids = {run.id for run in runs}
    # Each run, by the id of the patch before it; None for the first run of the chain.
    followers: dict[str | None, PatchRun] = {}
    for run in runs:
        before = None
        if run.prev is not None and run.prev != root:
            if run.prev in last_ids:
                before = run.prev
            elif (inside := find(run.prev)) is not None:
                # Another patch already follows that patch: the next one of its run.
                other = PatchPlace(inside.file, inside.patch + 1)
                raise PatchError(f"the chain forks: {run}, and so does {other}")
            elif root != ANY:
                more = f"the chain so far ends with {root}"
                if root is None:
                    more = "to start from there, give base or after (jellyp: --base, --after)"
                raise PatchError(f"the chain is broken: {run}, which is missing; {more}")
        first = followers.setdefault(before, run)
        if first is not run and before is None:
            raise PatchError(
                f"the chain has more than one start: {first}, and {run}; patches without a chain"
                " need order_by (jellyp: --order-by)"
            )
        if first is not run:
            raise PatchError(f"the chain forks: {run}, and so does {first.start}")
    chain: list[PatchRun] = []
    following = followers.pop(None, None)
    if following is not None and following.prev is None and root not in (None, ANY):
        raise PatchError(f"{following}, but must come after {root}")
    while following is not None:
        chain.append(following)
        following = followers.pop(following.id, None)
    if followers:
        run = min(followers.values())
        raise PatchError(f"the chain is a circle: {run}, which comes after it")
    return chain


@dataclass(frozen=True)
class PatchOrder:
    """The patches, as `Marks.patches` returns them, and all runs in the order of the chain."""

    patches: pa.Table
    runs: list[PatchRun]

    @property
    def version(self) -> int:
        """The number of patches: the newest version."""
        return sum(map(len, self.runs))

    @property
    def head(self) -> str | None:
        """The id of the last patch, if it has one."""
        return self.runs[-1].id if self.runs else None

    def resolve(self, upto: int | str | None) -> int:
        """Return the number of a version that is given by its number or by its patch's id.

        None means the newest version. Raise a PatchError if the version does not exist, and a
        TypeError for any other type.
        """
        if upto is None:
            return self.version
        if isinstance(upto, str):
            id = as_id(upto)
            made = find_patch(self.patches, id)
            if made is None:
                hint = f": {upto!r} is a str, but the number of a version is an int, {upto}"
                raise PatchError(f"there is no patch {id}{hint if upto.isdecimal() else ''}")
            version = 1
            for run in self.runs:
                if run.file == made.file and run.first <= made.patch <= run.last:
                    return version + made.patch - run.first
                version += len(run)
        if not isinstance(upto, int) or isinstance(upto, bool):
            raise TypeError(
                f"a version is a number or the id of a patch, not a {type(upto).__name__}"
            )
        if not 0 <= upto <= self.version:
            raise PatchError(f"there is no version {upto}; there are 0 to {self.version}")
        return upto

    def number(self, table: DataFrame, upto: int) -> DataFrame:
        """Add the columns `VERSION` and `RUN`, and drop the rows after the version ``upto``.

        The table has the columns ``file`` and ``patch``. `VERSION` is the version that the row's
        patch makes, `RUN` the number of its run, below `MAX_RUNS`.
        """
        rows: list[dict[str, Any]] = []
        version = 1
        for number, run in enumerate(self.runs):
            if version > upto:
                break
            last = min(run.last, run.first + upto - version)
            values = (run.file, run.first, last, number, version)
            rows.append(dict(zip(_RUNS.names, values, strict=True)))
            version += len(run)
        runs = local_table(table, pa.Table.from_pylist(rows, _RUNS))
        keys, size = ["file"], len(rows)
        if len({row["file"] for row in rows}) < size:
            # A file has several runs: make a row for each patch, so that a join finds it without
            # comparing all runs of the file.
            keys, size = ["file", "patch"], self.version
            runs = runs.withColumn("patch", F.explode(F.sequence("_first", "_last")))
        runs = runs.hint("broadcast" if size <= MAX_BROADCAST else "merge")
        joined = table.join(runs, keys).where("patch between _first and _last")
        version_made = (F.col("patch") - F.col("_first") + F.col("_start")).alias(VERSION)
        return joined.select(*table.columns, version_made, RUN)


def order_patches(patches: pa.Table, root: str | None) -> PatchOrder:
    """Order patches by their chain; a patch without ``prev`` follows the previous one in its file.

    Raise a PatchError if they are not one chain, two have the same id, or they have more than
    `MAX_RUNS` runs. The arguments are as for `PatchOrder` and `link`.
    """
    counts = patches["id"].drop_null().value_counts()
    more = pc.greater(counts.field("counts"), 1)
    repeated = patches.filter(pc.is_in(patches["id"], counts.field("values").filter(more)))
    if repeated.num_rows > 0:
        same = repeated.filter(pc.equal(repeated["id"], repeated["id"][0]))
        one, *_, other = (PatchPlace(row["file"], row["patch"]) for row in same.to_pylist())
        raise PatchError(f"{one} and {other} have the same id {same['id'][0]}")
    runs = link(_find_runs(patches), root, lambda id: find_patch(patches, id))
    return PatchOrder(patches, runs)


def find_patch(patches: pa.Table, id: str) -> PatchPlace | None:
    """Return the position of the patch with an id; None if no patch has it."""
    row = pc.index(patches["id"], id).as_py()
    if row < 0:
        return None
    return PatchPlace(patches["file"][row].as_py(), patches["patch"][row].as_py())


def local_table(table: DataFrame, rows: pa.Table) -> DataFrame:
    """Create a table from the driver's rows, in the session of another table."""
    # PySpark's type hints don't allow Arrow tables.
    session: Any = table.sparkSession
    # Pass the schema, since Spark Connect needs it for a table without rows.
    made: DataFrame = session.createDataFrame(rows, from_arrow_schema(rows.schema))
    # One partition is enough; by default Spark would make a task for each core.
    return made.coalesce(1)


def at_hand(table: DataFrame, *, is_small: bool = False) -> tuple[DataFrame, pa.Table | None]:
    """Fetch a table's rows to the driver if they are few and short; return a table and its rows.

    With ``is_small`` they are known to be few and short. Otherwise the table itself may be
    returned, with None for the rows.

    For a small table, starting jobs costs more than processing its rows. If the driver has the
    rows, in one partition, Spark groups and joins them without a shuffle, whose stages would be
    separate jobs.
    """
    if not is_small:
        texts = [each.name for each in table.schema if each.dataType.typeName() == "string"]
        lengths = (F.coalesce(F.sum(F.octet_length(name)), F.lit(0)) for name in texts)
        rows, *sizes = table.agg(F.count("*"), *lengths).collect()[0]
        if rows > MAX_BROADCAST or sum(sizes) > MAX_BYTES:
            return table, None
    rows = table.toArrow()
    return local_table(table, rows), rows


def as_id(text: str) -> str:
    """Return the id of a patch as tables spell it: with angle brackets."""
    return text if text.startswith("<") else f"<{text}>"


def _find_runs(patches: pa.Table) -> list[PatchRun]:
    file, number, id, prev = (patches[name].combine_chunks() for name in patches.column_names)
    follows = pc.or_(pc.is_null(prev[1:]), pc.fill_null(pc.equal(prev[1:], id[:-1]), False))
    follows = pc.and_(follows, pc.equal(file[1:], file[:-1]))
    starts = [0, *pc.add(pc.indices_nonzero(pc.invert(follows)), 1).to_pylist()]
    if len(starts) > MAX_RUNS:
        raise PatchError(
            f"the patches go back and forth between files more than {MAX_RUNS:,} times: put those"
            " that follow one another into one file, or give order_by (jellyp: --order-by)"
        )
    if len(file) == 0:
        return []
    ends = [start - 1 for start in (*starts[1:], len(file))]
    fields = ((file, starts), (number, starts), (number, ends), (prev, starts), (id, ends))
    return list(map(PatchRun, *(column.take(rows).to_pylist() for column, rows in fields)))
