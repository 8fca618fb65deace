"""Small files and folders in any file system that Spark can reach, through Hadoop's interface."""

from __future__ import annotations

import uuid
from typing import Any

from pyspark.sql import SparkSession


class Storage:
    """A folder, of this machine or of a store such as HDFS or S3.

    Args:
        spark: The session that knows the store. It has to run in this process: Spark Connect gives
            no access to files.
        path: The folder; it need not be there.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        self._make_path = jvm.org.apache.hadoop.fs.Path
        self._io = jvm.org.apache.commons.io.IOUtils
        self._root = self._make_path(path)
        self._system = self._root.getFileSystem(configuration)
        self.path = path

    def path_of(self, name: str) -> str:
        """Return the path of something in the folder."""
        return f"{self.path.rstrip('/')}/{name}"

    def names(self, folder: str) -> list[str]:
        """Return what is in a folder, sorted; nothing if it is not there."""
        path = self._path(folder)
        if not self._system.exists(path):
            return []
        names = [status.getPath().getName() for status in self._system.listStatus(path)]
        return sorted(name for name in names if not name.startswith((".", "_")))

    def read(self, name: str) -> str | None:
        """Return what a file has; None if it is not there."""
        path = self._path(name)
        if not self._system.exists(path):
            return None
        stream = self._system.open(path)
        try:
            text: str = self._io.toString(stream, "UTF-8")
        finally:
            stream.close()
        return text

    def write(self, name: str, text: str) -> None:
        """Make a file, wholly or not at all: it is written beside its place, and then moved.

        Raises:
            FileExistsError: It is there.
        """
        folder, _, last = name.rpartition("/")
        staged = self._path(f"{folder}/.{last}-{uuid.uuid4()}")
        self._system.mkdirs(self._path(folder))
        stream = self._system.create(staged)
        try:
            stream.write(text.encode())
        finally:
            stream.close()
        path = self._path(name)
        if self._system.exists(path) or not self._system.rename(staged, path):
            self._system.delete(staged, False)
            raise FileExistsError(f"{self.path_of(name)} is there already")

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that is in it; nothing if it is not there."""
        self._system.delete(self._path(name), True)

    def _path(self, name: str) -> Any:
        return self._make_path(self._root, name)
