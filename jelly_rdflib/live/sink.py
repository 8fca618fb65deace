"""`Sink`, the base class of sinks for patches."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterable

from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.connection import Connection
from jelly_rdflib.operations import Operation
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.patch.reading import PatchIterator
from jelly_rdflib.streams.open_input import open_read
from jelly_rdflib.types import ChangeFormat, Readable


class Sink(Connection):
    r"""A transport that accepts patches; see `jelly_rdflib.live.open_sink`.

    To be sure that the transport has accepted all patches, leave the ``with`` or ``async with``
    block, or call `flush`.
    Use it from one thread, or one event loop.

    Attributes:
        url: The address, without its settings.

    Args:
        url: The address, for messages.
        limits: The limits for reading the files that are sent.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> from jelly_rdflib import live
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = jr.PatchLog.create(folder)
        ...     with live.open_sink(folder) as sink:
        ...         sink.send(b'TX .\nA <urn:s> <urn:p> "o" .\nTC .\n', format="rdf-patch")
        ...     jr.PatchLog(folder).version
        1
    """

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        super().__init__(url)
        self._limits = as_limits(limits)
        self._is_closed = False

    @abstractmethod
    def _send(self, patch: Patch) -> None:
        """Send a patch; don't wait until the transport has accepted it: `flush` does that."""

    @abstractmethod
    def _close(self) -> None:
        """Close the connections."""

    def send(
        self,
        patch: Patch | LogEntry | Readable | Iterable[Operation],
        *,
        format: ChangeFormat | None = None,
    ) -> None:
        """Send a patch, or each patch of a file.

        If patches are sent faster than the transport accepts them, this waits.

        Args:
            patch: A `Patch`, a patch of a log, operations, or anything that
                `jelly_rdflib.read_patches` reads.
            format: The format of a file; see `jelly_rdflib.read_patches`.

        Raises:
            ConnectionError: The transport did not accept this patch, or an earlier one.
            PermissionError: The transport does not allow it.
            EncodeError: The patch can't be expressed with the options, or is too large.
            LogConflict: The sink is a log, and the patch's ``prev`` does not name the newest patch
                of the log.
        """
        patches: Iterable[Patch]
        if isinstance(patch, LogEntry):
            patches = [patch.read()]
        elif opened := open_read(patch, limits=self._limits, normalize=False, format=format):
            patches = PatchIterator(opened, max_held_operations=self._limits.max_held_operations)
        elif format is not None:
            raise ValueError("format is only for bytes, a path or a file, not for operations")
        elif isinstance(patch, Iterable):
            patches = [patch if isinstance(patch, Patch) else Patch(patch)]  # type: ignore[arg-type]
        else:
            raise TypeError(f"can't send a {type(patch).__name__}: give a patch or a patch file")
        for each in patches:
            self._send(each)

    async def send_async(
        self,
        patch: Patch | LogEntry | Readable | Iterable[Operation],
        *,
        format: ChangeFormat | None = None,
    ) -> None:
        """Send a patch as `send` does, without blocking the event loop."""
        await asyncio.to_thread(self.send, patch, format=format)

    def flush(self) -> None:
        """Wait until the transport has accepted all patches.

        Raises:
            ConnectionError: The transport did not accept a patch.
        """

    def close(self) -> None:
        """Wait until all patches are accepted, as `flush` does, and close the connections."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self.flush()
        finally:
            self._close()
