"""Orders all patches; consecutive patches of a file are one run."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from jelly_rdflib.errors import PatchError
from jelly_rdflib.spark.pipeline.chain import Place, Root, Run, link

MAX_RUNS = 1 << 20


@dataclass(frozen=True)
class PatchOrder:
    """The patches in their order, as runs.

    Attributes:
        patches: A row for each patch, see `jelly_rdflib.spark.pipeline.marks.Marks.patches`.
        runs: All of them, in their order.
    """

    patches: DataFrame
    runs: list[Run]

    @property
    def version(self) -> int:
        """The number of patches: the newest version."""
        return sum(map(len, self.runs))

    def resolve(self, upto: int | str | None) -> int:
        """Return the number of a version.

        Args:
            upto: Its number, or the id of the patch that makes it. None is the newest version.

        Raises:
            PatchError: The version does not exist.
            TypeError: ``upto`` is of another type.
        """
        if upto is None:
            return self.version
        if isinstance(upto, str):
            id = as_id(upto)
            place = find_patch(self.patches, id)
            if place is None:
                raise PatchError(f"there is no patch {id}")
            return self.version_of(place)
        if not isinstance(upto, int) or isinstance(upto, bool):
            raise TypeError(
                f"a version is a number or the id of a patch, not a {type(upto).__name__}"
            )
        if not 0 <= upto <= self.version:
            raise PatchError(f"there is no version {upto}; there are 0 to {self.version}")
        return upto

    def version_of(self, place: Place) -> int:
        """Return the version that a patch makes."""
        before = 0
        for run in self.runs:
            if run.file == place.file and run.first <= place.patch <= run.last:
                return before + place.patch - run.first + 1
            before += len(run)
        raise AssertionError(f"{place} is in no run")


def order_patches(patches: DataFrame, root: Root) -> PatchOrder:
    """Order patches by their chain.

    A patch without ``prev`` comes after the one before it in its file.

    Args:
        patches: A row for each, see `jelly_rdflib.spark.pipeline.marks.Marks.patches`.
        root: The patch before the first one.

    Raises:
        PatchError: The patches are not one chain, an id comes twice, or there are more than
            `MAX_RUNS` runs.
    """
    _check_ids(patches)
    runs = _collect_runs(patches)
    return PatchOrder(patches, link(runs, root, lambda id: find_patch(patches, id)))


def as_id(text: str) -> str:
    """Return the id of a patch as in tables: with angle brackets."""
    return text if text.startswith("<") else f"<{text}>"


def find_patch(patches: DataFrame, id: str) -> Place | None:
    """Return the place of the patch with an id."""
    found = patches.where(F.col("id") == id).select("file", "patch").first()
    return None if found is None else Place(*found)


def _check_ids(patches: DataFrame) -> None:
    place = F.struct("file", "patch")
    twice = (
        patches.where("id is not null")
        .groupBy("id")
        .agg(F.count("*").alias("count"), F.min(place).alias("one"), F.max(place).alias("other"))
        .where("count > 1")
        .orderBy("one")
        .first()
    )
    if twice is not None:
        one, other = Place(*twice["one"]), Place(*twice["other"])
        raise PatchError(f"{one} and {other} have the same id {twice['id']}")


def _collect_runs(patches: DataFrame) -> list[Run]:
    """Return the runs. The driver holds these, and not the patches."""
    in_file = Window.partitionBy("file").orderBy("patch")
    comes_after_another = F.col("prev").isNotNull() & ~F.col("prev").eqNullSafe(
        F.lag("id").over(in_file)
    )
    is_start = comes_after_another | F.lag("patch").over(in_file).isNull()
    numbered = patches.withColumn("starts", is_start.cast("long")).withColumn(
        "run", F.sum("starts").over(in_file)
    )
    runs = (
        numbered.groupBy("file", "run")
        .agg(
            F.min("patch"),
            F.max("patch"),
            F.min_by("prev", "patch"),
            F.max_by("id", "patch"),
        )
        .drop("run")
        .limit(MAX_RUNS + 1)
        .collect()
    )
    if len(runs) > MAX_RUNS:
        raise PatchError(
            f"the patches go back and forth between files more than {MAX_RUNS:,} times: put those"
            " that follow one another into one file, or give order_by"
        )
    return [Run(*run) for run in runs]
