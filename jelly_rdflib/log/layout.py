"""Where the files of a log are, and the file that says that a folder is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jelly_rdflib.errors import LogError
from jelly_rdflib.log.durable import StagedFile, make_folder, staged
from jelly_rdflib.log.head import Head

__all__ = ["COMPRESSIONS", "Layout"]

COMPRESSIONS = (None, "zst")
_FORMAT = "jelly-rdflib patch log"
_VERSION = 1
# Ours has less than a hundred bytes.
_MAX_MARKER = 1 << 12


class Layout:
    """The places in the folder of a log.

    Args:
        path: The folder.

    Attributes:
        path: The folder.
        marker: The file that says that it is a log, of which version of this format, and whether
            its files are compressed. It is made last.
        head: The log's lock.
        segments: The folder with a segment for each patch.
        snapshots: The folder with the snapshots.
        staging: The folder with files that are being written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.marker = path / "log.json"
        self.head = Head(path / "head")
        self.segments = path / "segments"
        self.snapshots = path / "snapshots"
        self.staging = path / "staging"

    def exists(self) -> bool:
        """Is there a log?"""
        return self.marker.exists()

    def create(self, compression: str | None) -> bool:
        """Make an empty log, with the folders that it is in; nothing is done if there is one.

        Returns:
            Whether it was made.

        Raises:
            LogError: The folder has other things in it.
            ValueError: There is no such compression.
        """
        if compression not in COMPRESSIONS:
            raise ValueError(f"compression is 'zst' or None, not {compression!r}")
        self._check_free()
        make_folder(self.path)
        with self.head.locked() as head:
            if self.exists():
                return False
            self.make_folders()
            head.write(0)
            text = json.dumps({"format": _FORMAT, "version": _VERSION, "compression": compression})
            with staged(StagedFile(self.staging)) as file:
                file.write(text.encode() + b"\n")
                file.sync()
                file.publish(self.marker)
        return True

    def make_folders(self) -> None:
        """Make the folders in the log's that are not there. Call it with the lock held."""
        for folder in (self.segments, self.snapshots, self.staging):
            make_folder(folder)

    def _check_free(self) -> None:
        # What an attempt to make a log has left, one that broke off, is not in the way.
        ours = {"head", "segments", "snapshots", "staging"}
        others = [path for path in _visible(self.path) if path.name not in ours]
        others += _visible(self.segments)
        if others and not self.exists():
            raise LogError(f"{self.path} is no patch log, but is not empty: there is {others[0]}")

    def read_marker(self) -> str | None:
        """Return how the log's files are compressed.

        Raises:
            LogError: The folder is no log, or is one of a later version of this format.
            OSError: The folder is not there, or can't be read.
        """
        try:
            with open(self.marker, "rb") as file:
                text = file.read(_MAX_MARKER)
        except FileNotFoundError:
            if not self.path.exists():
                raise
            raise LogError(f"{self.path} is no patch log: it has no {self.marker.name}") from None
        try:
            content = json.loads(text)
            version: Any = content["version"]
            compression: Any = content["compression"]
            is_ours = content["format"] == _FORMAT and isinstance(version, int)
        except (ValueError, TypeError, KeyError, RecursionError):
            is_ours = False
        if not is_ours:
            raise LogError(f"{self.marker} does not say what a patch log's does")
        if version != _VERSION or compression not in COMPRESSIONS:
            raise LogError(
                f"{self.path} is a patch log of version {version} (compression {compression!r});"
                f" this package knows version {_VERSION}"
            )
        known: str | None = compression
        return known


def _visible(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except FileNotFoundError:
        return []
