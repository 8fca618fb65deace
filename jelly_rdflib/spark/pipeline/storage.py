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
        path: The folder; it need not exist.
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
        """Return the path of a name in the folder."""
        return f"{self.path.rstrip('/')}/{name}"

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; an empty list if it does not exist."""
        path = self._path(folder)
        if not self._system.exists(path):
            return []
        names = [status.getPath().getName() for status in self._system.listStatus(path)]
        return sorted(name for name in names if not name.startswith((".", "_")))

    def read(self, name: str) -> str | None:
        """Return the text of a file; None if it does not exist."""
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
        """Write a file completely or not at all: under a temporary name, which is then changed.

        Raises:
            FileExistsError: The file exists.
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
        """Delete a file, or a folder with its content, if it exists."""
        self._system.delete(self._path(name), True)

    def _path(self, name: str) -> Any:
        return self._make_path(self._root, name)
