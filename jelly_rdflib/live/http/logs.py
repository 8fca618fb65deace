"""The logs of a server: their folders and their names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import HTTPException

from jelly_rdflib.errors import LogConflict, LogError, MissingVersion
from jelly_rdflib.live.http.events import Feed, Followers
from jelly_rdflib.log import PatchLog
from jelly_rdflib.log.history import NAME, FolderHistory
from jelly_rdflib.options import Limits, as_limits

# The paths that a server of several logs uses for itself.
_OWN_PATHS = "docs", "health", "ready", "metrics"
# The first part excludes names that the interface uses or may use later.
_LOG_NAME = re.compile(
    f"(?!({'|'.join(_OWN_PATHS)}|swagger|redoc|logs|patches|snapshots|squash|problems|events)$)"
    "[A-Za-z0-9_][A-Za-z0-9_-]{0,63}"
)


class Served:
    """A log of a server."""

    def __init__(self, path: Path, limits: Limits | None, timeout: float, all: Followers) -> None:
        self._options: Any = {"limits": limits, "timeout": timeout}
        self.history = FolderHistory(path, as_limits(limits), timeout)
        self.feed = Feed(self.history, all)

    def open(self) -> PatchLog:
        """Open the log."""
        return PatchLog(self.history.path, **self._options)


class Logs:
    """The logs of a server: one, several, or all in a folder that isn't itself a log.

    A log that is created in that folder later is included, too. ``options`` are passed to `Served`.

    Raises:
        LogError, OSError: A folder is not a log, or does not exist.
        ValueError: A folder's name can't be the name of a log, or two folders have the same name.
    """

    def __init__(
        self, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *options: Any
    ) -> None:
        self._options = options
        given = [path] if isinstance(path, str | os.PathLike) else list(path)
        paths = [Path(os.path.abspath(each)) for each in given]
        self.opened: dict[str, Served] = {}
        """The logs that were given or requested so far; other threads may add some at any time."""
        # The folder of several logs, in which new ones may appear.
        self._folder: Path | None = None
        first, *others = paths
        if not others and not (first / NAME).exists() and first.is_dir() and _names_in(first):
            self._folder = paths.pop()
        for each in paths:
            if len(paths) > 1 and (each.name in self.opened or not _LOG_NAME.fullmatch(each.name)):
                raise ValueError(f"{each}: another log has this name, or it can't be a log's name")
            self.opened[each.name] = Served(each, *options)
            self.opened[each.name].history.read_log()
        self.single = paths[0].name if len(paths) == 1 else None
        """The name of the only log; None if there may be others."""
        ends = [f"/{each.name}" if len(paths) > 1 else "" for each in paths] or [""]
        self.places = dict(zip(map(str, given), ends, strict=True))
        """For each folder, the path of its log below the server's address."""

    def all(self) -> dict[str, Served]:
        """Return the logs by name, in order; some may be unreadable or gone."""
        for name in [] if self._folder is None else _names_in(self._folder):
            # A log may vanish between the two steps: ignore it.
            with suppress(MissingVersion):
                self.find(name)
        return dict(sorted(self.opened.copy().items()))

    def find(self, name: str | None) -> Served:
        """Return the log with a name, or the only one; raise a MissingVersion if it is missing."""
        name = self.single if name is None else name
        if name is None:
            raise MissingVersion("there are several logs here: the address must end with a name")
        found = self.opened.get(name)
        if found is None and self._folder is not None and _is_log(self._folder, name):
            # If two threads get here at the same time, both use the same object.
            found = self.opened.setdefault(name, Served(self._folder / name, *self._options))
        if found is None:
            raise MissingVersion(f"there is no log {name!r} here")
        return found

    def create(self, name: str, compression: str | None) -> bool:
        """Create an empty log, unless it exists; return whether it was created.

        If a log can't have this name here, an HTTPException is raised.
        """
        if name in _OWN_PATHS:
            raise HTTPException(405)
        if self._folder is None:
            if name in self.opened:
                return False
            what = "this server can't create logs: it serves given logs, not a folder of logs"
            raise HTTPException(403, what)
        if not _LOG_NAME.fullmatch(name):
            what = "a name has up to 64 of A-Z a-z 0-9 _ -, and must not be reserved"
            raise HTTPException(400, what)
        history = FolderHistory(self._folder / name, Limits(), self._options[1])
        try:
            return history.create(compression)
        except LogConflict:
            raise
        except (LogError, NotADirectoryError):
            if history.path.is_dir() and history.database.exists():
                raise
            raise HTTPException(409, "the name is taken by something that is not a log") from None


def _names_in(folder: Path) -> list[str]:
    """Return the names of the logs in a folder."""
    return sorted(path.name for path in folder.iterdir() if _is_log(folder, path.name))


def _is_log(folder: Path, name: str) -> bool:
    # The name comes from a client, and may contain slashes.
    return _LOG_NAME.fullmatch(name) is not None and (folder / name / NAME).is_file()
