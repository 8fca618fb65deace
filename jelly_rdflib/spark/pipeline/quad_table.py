"""A table of quads as Parquet: each version is written completely or not at all.

A hash distributes the quads to buckets. A version writes the buckets that it changes into a folder
of its own, and then a commit: a small file with the folder of each bucket. The last commit is the
current version. Folders and commits are never changed, so that a reader of an earlier version can
continue until that version is deleted.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline.last import IS_ADD
from jelly_rdflib.spark.pipeline.storage import Storage
from jelly_rdflib.spark.pipeline.table import QUAD, QUADS, same_quad

_FORMAT = "jelly-rdflib quads 1"
_COMMITS = "commits"
_DATA = "data"
_BUCKET = "bucket"


@dataclass(frozen=True)
class Commit:
    """A version of a table.

    Attributes:
        buckets: The number of buckets.
        folders: The folder of each bucket with quads, relative to the table's, by the bucket's
            number as text.
        time: The time of the commit, in seconds of Unix time.
        batch: The number of the stream's last batch in the version; -1 for none.
        query: The id of the stream's query; None before the first batch.
        version: The number of patches in the version.
        head: The id of the last patch; None if it has none, or without a chain.
        format: The name and version of the file's format.
    """

    buckets: int
    folders: dict[str, str]
    time: float
    batch: int = -1
    query: str | None = None
    version: int = 0
    head: str | None = None
    format: str = _FORMAT

    @property
    def name(self) -> str:
        """The commit's file."""
        return f"{_COMMITS}/{self.batch + 1:020}.json"


class QuadTable:
    """The table in a folder.

    Args:
        spark: The session.
        path: The folder.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._storage = Storage(spark, path)
        self._read: dict[str, Commit] = {}

    def create(self, buckets: int, time: float) -> None:
        """Make an empty table, if the table does not exist."""
        if not self._storage.names(_COMMITS):
            self.commit(Commit(buckets, {}, time))

    def last_commit(self) -> Commit:
        """Return the commit of the current version.

        Raises:
            FileNotFoundError: The table does not exist.
            LogError: The table is damaged, or of another format.
        """
        names = self._storage.names(_COMMITS)
        if not names:
            raise FileNotFoundError(f"{self._storage.path} is no table of quads: it has no commits")
        return self._read_commit(names[-1])

    def commit(self, commit: Commit) -> None:
        """Make a commit the last one."""
        self._storage.write(commit.name, json.dumps(asdict(commit)) + "\n")

    def quads(self, commit: Commit) -> DataFrame:
        """Return the quads of a commit."""
        return self._load(self._spark, list(commit.folders.values()))

    def update(self, commit: Commit, last: DataFrame) -> dict[str, str]:
        """Write the buckets that operations change.

        Args:
            commit: The current version.
            last: The last operation on each quad, see `jelly_rdflib.spark.pipeline.last`.

        Returns:
            The new folder of each bucket, see `Commit`.
        """
        bucket = _bucket_of(commit.buckets)
        last = last.select(*QUAD, IS_ADD).persist()
        try:
            changed = {str(row[0]) for row in last.select(bucket).distinct().collect()}
            if not changed:
                return commit.folders
            paths = [path for key, path in commit.folders.items() if key in changed]
            # A batch of a stream has a session of its own.
            before = self._load(last.sparkSession, paths)
            after = before.join(last, same_quad(before, last), "left_anti").unionByName(
                last.where(IS_ADD).select(*QUAD)
            )
            folder = f"{_DATA}/{commit.batch + 1:020}-{uuid.uuid4()}"
            (
                after.withColumn(_BUCKET, bucket)
                .repartition(_BUCKET)
                .write.partitionBy(_BUCKET)
                .parquet(self._storage.path_of(folder))
            )
        finally:
            last.unpersist()
        folders = {key: path for key, path in commit.folders.items() if key not in changed}
        for name in self._storage.names(folder):
            folders[name.removeprefix(f"{_BUCKET}=")] = f"{folder}/{name}"
        return folders

    def delete_old(self, before: float) -> None:
        """Delete the versions that were replaced before a time, and folders without a version.

        Nobody else may be writing to the table.
        """
        names = self._storage.names(_COMMITS)
        commits = [self._read_commit(name) for name in names]
        kept = [
            commit
            for commit, following in zip(commits, [*commits[1:], None], strict=True)
            if following is None or following.time >= before
        ]
        # Commits are deleted first, so that no commit ever lacks a folder.
        for commit in commits:
            if commit not in kept:
                self._storage.delete(commit.name)
                self._read.pop(commit.name.rpartition("/")[2], None)
        used = {path.split("/")[1] for commit in kept for path in commit.folders.values()}
        for name in self._storage.names(_DATA):
            if name not in used:
                self._storage.delete(f"{_DATA}/{name}")

    def _load(self, spark: SparkSession, folders: list[str]) -> DataFrame:
        if not folders:
            return spark.createDataFrame([], QUADS)
        paths = [self._storage.path_of(folder) for folder in folders]
        return spark.read.schema(QUADS).parquet(*paths)

    def _read_commit(self, name: str) -> Commit:
        if name not in self._read:
            path = self._storage.path_of(f"{_COMMITS}/{name}")
            try:
                commit = Commit(**json.loads(self._storage.read(f"{_COMMITS}/{name}") or ""))
            except (ValueError, TypeError) as error:
                raise LogError(f"{path} is no commit of a table of quads: {error}") from None
            if commit.format != _FORMAT:
                raise LogError(f"{path} is of another format, {commit.format!r}, not {_FORMAT!r}")
            self._read[name] = commit
        return self._read[name]


def _bucket_of(buckets: int) -> Column:
    return F.pmod(F.xxhash64(*QUAD), F.lit(buckets)).alias(_BUCKET)
