"""A table of quads as Parquet: each version is written completely or not at all.

A hash distributes the quads to buckets. A version writes the buckets that it changes into a folder
of its own, and then a commit: a small file with the folder of each bucket. The last commit is the
current version. Folders and commits are never changed, so that a reader of an earlier version can
continue until that version is deleted.
"""

from __future__ import annotations

import json
import time
import uuid
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline.order import IS_ADD
from jelly_rdflib.spark.pipeline.table import QUAD, QUADS

_FORMAT = "jelly-rdflib quads 1"
_COMMITS = "commits"
_DATA = "data"
_BUCKET = "bucket"


class Storage:
    """A folder in any file system that Spark can reach, through Hadoop's interface.

    The session has to run in this process: Spark Connect gives no access to files.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        self._make_path = jvm.org.apache.hadoop.fs.Path
        self._to_text = jvm.org.apache.commons.io.IOUtils.toString
        self._root = self._make_path(path)
        self._system = self._root.getFileSystem(configuration)
        self.path = path

    def path_of(self, name: str) -> str:
        """Return the path of a name in the folder."""
        return f"{self.path.rstrip('/')}/{name}"

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; an empty list if it does not exist."""
        path = self._path(folder)
        if not self._system.exists(path):
            return []
        names = [status.getPath().getName() for status in self._system.listStatus(path)]
        return sorted(name for name in names if not name.startswith((".", "_")))

    def read(self, name: str) -> str:
        """Return the text of a file."""
        with closing(self._system.open(self._path(name))) as stream:
            return str(self._to_text(stream, "UTF-8"))

    def write(self, name: str, text: str) -> None:
        """Write a file completely or not at all: under a temporary name, which is then changed.

        A FileExistsError if the file exists.
        """
        folder, _, last = name.rpartition("/")
        staged, path = self._path(f"{folder}/.{last}-{uuid.uuid4()}"), self._path(name)
        self._system.mkdirs(self._path(folder))
        with closing(self._system.create(staged)) as stream:
            stream.write(text.encode())
        if self._system.exists(path) or not self._system.rename(staged, path):
            self._system.delete(staged, False)
            raise FileExistsError(f"{self.path_of(name)} is there already")

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with its content, if it exists."""
        self._system.delete(self._path(name), True)

    def _path(self, name: str) -> Any:
        return self._make_path(self._root, name)


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
    """The table in a folder."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._storage = Storage(spark, path)
        self._commits: dict[str, Commit] = {}

    def create(self, buckets: int) -> None:
        """Make an empty table, if the table does not exist."""
        if not self._storage.names(_COMMITS):
            self.commit(Commit(buckets, {}, time.time()))

    def last_commit(self) -> Commit:
        """Return the commit of the current version.

        A FileNotFoundError if the table does not exist, a LogError if it is damaged, or of another
        format.
        """
        names = self._storage.names(_COMMITS)
        if not names:
            raise FileNotFoundError(f"{self._storage.path} is no table of quads: it has no commits")
        return self._read(names[-1])

    def commit(self, commit: Commit) -> None:
        """Make a commit the last one."""
        self._storage.write(commit.name, json.dumps(asdict(commit)) + "\n")

    def quads(self, commit: Commit) -> DataFrame:
        """Return the quads of a commit."""
        return self._load(self._spark, list(commit.folders.values()))

    def update(self, commit: Commit, last: DataFrame) -> dict[str, str]:
        """Write the buckets that operations change; return the new folder of each bucket.

        ``commit`` is the current version, ``last`` has the last operation on each quad.
        """
        bucket = F.pmod(F.xxhash64(*QUAD), F.lit(commit.buckets)).alias(_BUCKET)
        last = last.select(*QUAD, IS_ADD).persist()
        try:
            changed = {str(row[0]) for row in last.select(bucket).distinct().collect()}
            if not changed:
                return commit.folders
            paths = [path for key, path in commit.folders.items() if key in changed]
            # A batch of a stream has a session of its own.
            before = self._load(last.sparkSession, paths)
            # The default graph, null, equals itself.
            same = [before[name].eqNullSafe(last[name]) for name in QUAD]
            after = before.join(last, same, "left_anti").unionByName(
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
        # Only new ones are read.
        self._commits = {name: self._commits.get(name) or self._read(name) for name in names}
        commits = list(self._commits.values())
        kept = [
            commit
            for commit, following in zip(commits, [*commits[1:], None], strict=True)
            if following is None or following.time >= before
        ]
        # Commits are deleted first, so that no commit ever lacks a folder.
        for commit in commits:
            if commit not in kept:
                self._storage.delete(commit.name)
        used = {path.split("/")[1] for commit in kept for path in commit.folders.values()}
        for name in self._storage.names(_DATA):
            if name not in used:
                self._storage.delete(f"{_DATA}/{name}")

    def _load(self, spark: SparkSession, folders: list[str]) -> DataFrame:
        if not folders:
            return spark.createDataFrame([], QUADS)
        return spark.read.schema(QUADS).parquet(*map(self._storage.path_of, folders))

    def _read(self, name: str) -> Commit:
        path = f"{_COMMITS}/{name}"
        try:
            commit = Commit(**json.loads(self._storage.read(path)))
        except (ValueError, TypeError) as error:
            path = self._storage.path_of(path)
            raise LogError(f"{path} is no commit of a table of quads: {error}") from None
        if commit.format != _FORMAT:
            path = self._storage.path_of(path)
            raise LogError(f"{path} is of another format, {commit.format!r}, not {_FORMAT!r}")
        return commit
