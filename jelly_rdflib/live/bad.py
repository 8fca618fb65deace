"""Messages of topics that can't be decoded: an error, or they are left out."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, TopicWarning
from jelly_rdflib.live.address import Address

# File systems take 255 bytes. The end of a name has its numbers.
_LONGEST_NAME = 200


class BadMessages:
    """What a source does with messages that can't be decoded: settings ``bad`` and ``bad_to``."""

    def __init__(self, address: Address) -> None:
        self._are_skipped = address.choose("bad", ("error", "skip")) == "skip"
        self._folder = address.take("bad_to", str, "")
        if self._folder:
            if not self._are_skipped:
                raise ValueError(f"{address}: bad_to is a folder for what bad=skip leaves out")
            Path(self._folder).mkdir(parents=True, exist_ok=True)

    def leave_out(self, error: DecodeError, name: str, data: bytes | None) -> None:
        """Raise the error; or keep its message under a name, if there is a folder, and warn."""
        if not self._are_skipped:
            raise error
        place = ""
        if self._folder:
            # Topics have names of strangers.
            path = Path(self._folder, quote(name, safe="")[-_LONGEST_NAME:])
            place = f" and is in {path}.bin"
            reason = f"{error}\n".encode("utf-8", "backslashreplace")
            for suffix, content in ((".txt", reason), (".bin", data or b"")):
                # On the disk, since the position soon passes the message.
                with open(f"{path}{suffix}", "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
        warn(f"the message is left out{place}: {error}", TopicWarning)
