"""Handles messages that are not patches, or whose patches a log refuses."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, JellyError, LogError, TopicWarning
from jelly_rdflib.live.address import Address
from jelly_rdflib.log.staging import make_folder, sync_folder

# File systems allow names of 255 bytes. A longer name keeps its end, with the numbers and digest.
_LONGEST_NAME = 200


class BadMessages:
    """Handles messages that can't be used, as the settings ``bad`` and ``bad_to`` say."""

    def __init__(self, address: Address) -> None:
        self._are_skipped = address.choose("bad", ("error", "skip")) == "skip"
        self._folder = address.take("bad_to", str, "")
        if self._folder:
            if not self._are_skipped:
                raise ValueError(f"{address}: bad_to is a folder for messages that bad=skip skips")
            make_folder(Path(os.path.abspath(self._folder)))

    def leave_out(
        self, error: JellyError, place: str, where: Iterable[object], data: bytes
    ) -> None:
        """Raise the error with its place; with ``bad=skip`` warn, and store the message in bad_to.

        The file's name consists of the parts of the place in ``where``, and of a digest of the
        message and the error. The error is included since one message may have several bad
        patches.
        """
        if isinstance(error, DecodeError):
            error.source = place
        else:
            error = LogError(f"{place}: {error}")
        if not self._are_skipped:
            raise error
        stored = ""
        if self._folder:
            reason = f"{error}\n".encode("utf-8", "backslashreplace")
            parts = [*map(str, where), sha256(reason + data).hexdigest()[:16]]
            # Others choose the names of topics, so quote each part: then none has "/" or ",".
            name = ",".join(quote(part, safe="") for part in parts)[-_LONGEST_NAME:]
            path = Path(self._folder, name)
            stored = f" and is in {path}.bin"
            for suffix, content in ((".txt", reason), (".bin", data)):
                # Sync the file, since the source will soon be past the message and forget it.
                with open(f"{path}{suffix}", "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            sync_folder(Path(self._folder))
        warn(f"the message is left out{stored}: {error}", TopicWarning)
