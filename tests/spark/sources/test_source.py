"""What the sources, and what they make for Spark, say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark")
from jelly_rdflib.spark.sources.source import make_sources


def test_each_names_its_format_and_its_files(tmp_path: Path) -> None:
    path = str(tmp_path)
    for made in make_sources({"fs.s3a.secret.key": "hush"}):
        source = made({"path": path})
        stream = made({"path": path, "checkpointLocation": f"{path}/checkpoint"})
        schema = source.schema()
        things = [
            source,
            source.reader(schema),
            source.streamReader(schema),
            source.writer(schema, overwrite=False),
            stream.streamWriter(schema, overwrite=False),
        ]
        name = made.name()
        assert list(map(repr, things)) == [
            f"<FileSource of {name}>",
            f"<FilesReader of {name}: {path}>",
            f"<FolderReader of {name}: {path}>",
            f"<FolderWriter of {name}: {path}>",
            f"<FolderStreamWriter of {name}: {path}>",
        ]
