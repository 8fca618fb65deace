"""Runs stores from Maven on this machine: an S3 server, and HDFS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.java_server import JavaServer, free_port

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(__file__).resolve().parent
ID = "jelly"
SECRET = "ThisMustNotBeTold"
S3PROXY = """
s3proxy.authorization=aws-v2-or-v4
s3proxy.endpoint=http://{address}
s3proxy.identity={id}
s3proxy.credential={secret}
jclouds.provider=filesystem-nio2
jclouds.identity=none
jclouds.credential=none
jclouds.filesystem.basedir={folder}/buckets
"""


class S3(JavaServer):
    """An S3 server with one bucket, whose objects are the files in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(FOLDER / "s3", folder, free_port())
        (folder / "buckets" / "bucket").mkdir(parents=True)
        text = S3PROXY.format(address=self.address, id=ID, secret=SECRET, folder=folder)
        (folder / "s3proxy.conf").write_text(text, encoding="utf-8")
        self.url = "s3a://bucket"
        self.settings = {
            "fs.s3a.endpoint": f"http://{self.address}",
            "fs.s3a.access.key": ID,
            "fs.s3a.secret.key": SECRET,
        }

    def start(self) -> None:
        """Start the server, and wait until it responds."""
        self.start_main("org.gaul.s3proxy.Main", "--properties", "s3proxy.conf")

    def put(self, spark: SparkSession, path: Path, name: str) -> None:
        """Copy a file of this machine into the bucket."""
        from pyarrow.fs import S3FileSystem

        files = S3FileSystem(
            access_key=ID, secret_key=SECRET, endpoint_override=self.address, scheme="http"
        )
        with files.open_output_stream(f"bucket/{name}", compression=None) as file:
            file.write(path.read_bytes())

    def names(self, spark: SparkSession) -> list[str]:
        """Return the names of all files on the server."""
        bucket = self.folder / "buckets" / "bucket"
        return sorted(str(each.relative_to(bucket)) for each in bucket.rglob("*") if each.is_file())


class Hdfs(JavaServer):
    """A name node and a data node of HDFS in one process."""

    def __init__(self, folder: Path) -> None:
        super().__init__(FOLDER / "hdfs", folder, free_port())
        self.http = f"127.0.0.1:{free_port()}"
        self.url = f"hdfs://{self.address}"
        self.settings: dict[str, str] = {}

    def start(self) -> None:
        """Start the servers, and wait until files can be written."""
        (self.folder / "details.json").unlink(missing_ok=True)
        has_files = (self.folder / "target").exists()
        self.start_main(
            "org.apache.hadoop.mapreduce.MiniHadoopClusterManager",
            *("-nomr", *(() if has_files else ("-format",))),
            *("-nnport", self.address.split(":")[1], "-nnhttpport", self.http.split(":")[1]),
            *("-writeDetails", "details.json", "-D", "dfs.replication=1"),
        )

    def answers(self) -> bool:
        """Return whether the data node is also ready."""
        return (self.folder / "details.json").exists()

    def put(self, spark: SparkSession, path: Path, name: str) -> None:
        """Copy a file of this machine to HDFS with Spark's own client."""
        made = self._path(spark, name)
        self._files(spark).copyFromLocalFile(self._path(spark, f"file:{path}"), made)

    def names(self, spark: SparkSession) -> list[str]:
        """Return the names of all files, as Spark's own client lists them."""
        found = self._files(spark).listFiles(self._path(spark, "/"), True)
        names = []
        while found.hasNext():
            names.append(found.next().getPath().toUri().getPath().removeprefix("/"))
        return sorted(names)

    def _path(self, spark: SparkSession, name: str) -> Any:
        full = name if name.startswith(("/", "file:")) else f"/{name}"
        return spark._jvm.org.apache.hadoop.fs.Path(full)

    def _files(self, spark: SparkSession) -> Any:
        hadoop: Any = spark._jvm.org.apache.hadoop
        uri = hadoop.fs.Path(self.url).toUri()
        return hadoop.fs.FileSystem.get(uri, spark.sparkContext._jsc.hadoopConfiguration())
