"""Access to stores: the settings of Hadoop's connectors, and the Arrow file systems made from them.

`register` reads the settings from the session. Options of a reader or writer take precedence.
"""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jelly_rdflib.extras import advice, missing

if TYPE_CHECKING:
    import pyarrow.fs
    from pyspark.sql import SparkSession

_S3_SCHEMES = ("s3", "s3a", "s3n")
# Settings of S3, after the prefix fs.s3a. or fs.s3a.bucket.BUCKET.
_SECRETS = ("access.key", "secret.key", "session.token")
_S3_SETTINGS = (
    *_SECRETS,
    "aws.credentials.provider",
    "connection.ssl.enabled",
    "endpoint",
    "endpoint.region",
    "path.style.access",
)
_S3_SETTING = re.compile(rf"fs\.s3a\.(?:bucket\..+?\.)?({'|'.join(map(re.escape, _S3_SETTINGS))})")
_PREFIXES = ("fs.", "dfs.")


def take_settings(options: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split the options of a reader or writer into settings for stores, and all others.

    Raise a ValueError for an unknown setting.
    """
    settings = {name: text for name, text in options.items() if name.startswith(_PREFIXES)}
    for name in settings:
        if name.startswith("fs.") and not _S3_SETTING.fullmatch(name):
            names = ", ".join(map("fs.s3a.{}".format, _S3_SETTINGS))
            raise ValueError(
                f"there is no option {name!r} for a store; there are {names} and dfs.…"
            )
    return settings, {name: text for name, text in options.items() if name not in settings}


def check_no_secrets(options: Mapping[str, str]) -> None:
    """Raise a ValueError for options with secrets: everybody who sees a table sees its options."""
    for name in options:
        found = _S3_SETTING.fullmatch(name)
        if found and found[1] in _SECRETS:
            raise ValueError(
                f"{name}: a table must not contain a password, since others see it: set"
                f" spark.hadoop.{name} for the session"
            )


def settings_of_session(spark: SparkSession) -> dict[str, str]:
    """Return the settings from users and from the cluster's files, without Hadoop's defaults."""
    configured, start = spark.conf.getAll, "spark.hadoop."
    # Start with Hadoop's settings in Spark's configuration; the session's own override them.
    found = {
        name.removeprefix(start): text
        for name, text in configured.items()
        if name.startswith(start)
    }
    context = getattr(spark, "sparkContext", None)
    if context is not None:
        hadoop = context._jsc.hadoopConfiguration()
        names = [f"fs.s3a.{name}" for name in _S3_SETTINGS]
        for prefix in ("fs.s3a.bucket.", "dfs."):
            names += [prefix + name for name in hadoop.getPropsWithPrefix(prefix)]
        for name in names:
            sources = hadoop.getPropertySources(name)
            if sources is not None and not str(sources[0]).endswith("-default.xml"):
                found[name] = hadoop.get(name)
    return {
        name: text
        for name, text in {**found, **configured}.items()
        if name.startswith("dfs.") or _S3_SETTING.fullmatch(name)
    }


def is_known(scheme: str) -> bool:
    """Return whether URLs with a scheme are supported."""
    return scheme in _MAKERS


@lru_cache
def connect(start: str, settings: tuple[tuple[str, str], ...]) -> tuple[pyarrow.fs.FileSystem, str]:
    """Return the file system for URLs with this start, and the start's path in it; both are cached.

    If a package is missing, an ImportError names the extra to install.
    """
    scheme, _, authority = start.partition("://")
    return _MAKERS[scheme](start, authority, dict(settings))


def _s3(start: str, bucket: str, settings: dict[str, str]) -> tuple[pyarrow.fs.FileSystem, str]:
    from pyarrow.fs import S3FileSystem, resolve_s3_region

    def setting(name: str) -> str | None:
        general = settings.get(f"fs.s3a.{name}")
        return settings.get(f"fs.s3a.bucket.{bucket}.{name}", general) or None

    endpoint, region = setting("endpoint"), setting("endpoint.region")
    if endpoint is None and region is None:
        region = resolve_s3_region(bucket)
    scheme, has_scheme, rest = (endpoint or "").partition("://")
    if not has_scheme:
        scheme = "http" if setting("connection.ssl.enabled") == "false" else "https"
    provider = setting("aws.credentials.provider") or ""
    return S3FileSystem(
        access_key=setting("access.key"),
        secret_key=setting("secret.key"),
        session_token=setting("session.token"),
        anonymous=provider.endswith("AnonymousAWSCredentialsProvider"),
        region=region,
        scheme=scheme,
        endpoint_override=rest.rstrip("/") if has_scheme else endpoint,
        # By default Arrow makes the bucket a part of the path for a custom endpoint.
        force_virtual_addressing=setting("path.style.access") == "false",
    ), bucket


def _hdfs(start: str, host: str, settings: dict[str, str]) -> tuple[pyarrow.fs.FileSystem, str]:
    try:
        from hdfs_native import fsspec as native
    except ModuleNotFoundError as error:
        try:
            return _by_arrow(start, host, settings)
        except OSError as without:
            raise missing(f"{start}: HDFS", "jelly-rdflib[hdfs]", error.name) from without
    made = native.ViewfsFileSystem if start.startswith("viewfs:") else native.HdfsFileSystem
    name, _, port = host.partition(":")
    config = {each: text for each, text in settings.items() if each.startswith("dfs.")}
    return _of_fsspec(made(name or None, int(port) if port else None, **config)), ""


def _webhdfs(start: str, host: str, settings: dict[str, str]) -> tuple[pyarrow.fs.FileSystem, str]:
    with advice(f"{start}: WebHDFS", "jelly-rdflib[hdfs]"):
        from fsspec.implementations.webhdfs import WebHDFS
    name, _, port = host.partition(":")
    user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
    is_secure = start.startswith("swebhdfs:")
    return _of_fsspec(WebHDFS(name, int(port or 9870), user=user, use_https=is_secure)), ""


def _of_fsspec(files: Any) -> pyarrow.fs.FileSystem:
    """Wrap fsspec's file system for HDFS as an Arrow file system that also returns files' times."""
    from pyarrow.fs import FileInfo, FileType, FSSpecHandler, PyFileSystem

    class Handler(FSSpecHandler):  # type: ignore[misc]
        def info(self, path: str, told: dict[str, Any]) -> FileInfo:
            if told["type"] == "directory":
                return FileInfo(path, FileType.Directory)
            # The time is in milliseconds; WebHDFS has another name for it.
            (time,) = (
                told[name] for name in ("modification_time", "modificationTime") if name in told
            )
            return FileInfo(path, FileType.File, size=told["size"], mtime_ns=time * 10**6)

        def get_file_info(self, paths: list[str]) -> list[FileInfo]:
            return list(map(self.find, paths))

        def find(self, path: str) -> FileInfo:
            try:
                return self.info(path, self.fs.info(path))
            except FileNotFoundError:
                return FileInfo(path, FileType.NotFound)

        def get_file_info_selector(self, selector: Any) -> list[FileInfo]:
            told = self.fs.ls(selector.base_dir, detail=True)
            if selector.base_dir in (each["name"].rstrip("/") for each in told):
                raise NotADirectoryError(selector.base_dir)
            return [self.info(each["name"], each) for each in told]

        def move(self, src: str, dest: str) -> None:
            self.fs.mv(src, dest)
            # WebHDFS doesn't report a failure, so check whether the file is still there.
            if self.fs.exists(src):
                raise OSError(f"{src} can't be moved to {dest}")

    return PyFileSystem(Handler(files))


def _by_arrow(start: str, _: str, settings: dict[str, str]) -> tuple[pyarrow.fs.FileSystem, str]:
    from pyarrow.fs import FileSystem

    # By default Arrow tries to reach Google for a quarter of an hour.
    limit = "?retry_limit_seconds=60" if start.startswith("gs:") else ""
    files, root = FileSystem.from_uri(f"{start}/{limit}")
    return files, root.rstrip("/")


_Maker = Callable[[str, str, dict[str, str]], "tuple[pyarrow.fs.FileSystem, str]"]
_MAKERS: dict[str, _Maker] = {
    **dict.fromkeys(_S3_SCHEMES, _s3),
    **dict.fromkeys(("hdfs", "viewfs"), _hdfs),
    **dict.fromkeys(("webhdfs", "swebhdfs"), _webhdfs),
    **dict.fromkeys(("gs", "abfs", "abfss"), _by_arrow),
}
