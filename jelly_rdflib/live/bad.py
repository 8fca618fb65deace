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

# File systems allow names of 255 bytes. A longer name is cut at its start: its end has the digest.
_LONGEST_NAME = 200


class BadMessages:
    """Handles messages that can't be used, according to the settings ``bad`` and ``bad_to``."""

    def __init__(self, address: Address) -> None:
        self._are_skipped = address.choose("bad", ("error", "skip")) == "skip"
        self._folder = address.take("bad_to", str, "")
        if self._folder:
            if not self._are_skipped:
                raise ValueError(f"{address}: bad_to, where skipped messages go, needs bad=skip")
            make_folder(Path(os.path.abspath(self._folder)))

    def leave_out(
        self, error: JellyError, place: str, where: Iterable[object], data: bytes
    ) -> None:
        """Raise the error with its position, or with ``bad=skip`` warn and store the message.

        The folder is ``bad_to``. The file name consists of the parts of the position in ``where``
        and a digest of the message and the error. The digest includes the error since one message
        may have several bad patches.
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
            # Topic names are not trusted, so quote each part: then none contains "/" or ",".
            name = ",".join(quote(part, safe="") for part in parts)[-_LONGEST_NAME:]
            path = Path(self._folder, name)
            stored = f" and stored in {path}.bin"
            for suffix, content in ((".txt", reason), (".bin", data)):
                # Sync the file, since the source will soon move past the message.
                with open(f"{path}{suffix}", "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            sync_folder(Path(self._folder))
        warn(f"the message is left out{stored}: {error}", TopicWarning)
