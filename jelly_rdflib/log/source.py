"""`Source`, the base class of sources of patches."""

from __future__ import annotations

import asyncio
import math
import time
from abc import abstractmethod
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from jelly_rdflib.errors import JellyError, LogError
from jelly_rdflib.log.connection import Connection
from jelly_rdflib.log.link import Link
from jelly_rdflib.patch.patch import Patch

# The longest wait in seconds without a check for signals and `close`.
_LONGEST_WAIT = 0.25


class Source(Connection):
    """Patches that arrive over a transport, in order; see `jelly_rdflib.live.connect`.

    Iterate over it with ``for`` or ``async for``: the iteration waits for the next patch. It ends
    after ``timeout`` seconds without a patch, or when any thread calls `close`. A lost connection
    is retried after longer and longer waits; one `jelly_rdflib.ConnectionWarning` reports the loss,
    and another one reports that the server can be reached again.

    Use it from one thread, or one event loop. With ``async for`` a separate thread waits for the
    transport, so the event loop keeps running. If a reader is cancelled while it waits, the patch
    is kept for the next reader.

    Attributes:
        url: The address, without its settings.
        has_positions: Whether the source can resume from a `position`.

    Args:
        url: The address, for messages.
        timeout: The seconds without a patch after which the iteration ends; None: never.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> from jelly_rdflib import live
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     entry = jr.PatchLog.create(folder).append([(jr.Op.TX,), (jr.Op.TC,)])
        ...     with live.connect(folder) as source:
        ...         patch = source.receive(timeout=10)
        ...         print(source.version, source.position == f"1 {entry.id}")
        1 True
    """

    has_positions = True

    def __init__(self, url: str, timeout: float | None = None) -> None:
        super().__init__(url)
        self._timeout = timeout
        self._link = Link(url)
        self._is_closed = Event()
        self._thread: ThreadPoolExecutor | None = None
        # The patch that a reader is waiting for, and the position and version before that patch.
        self._next: Future[Patch | None] | None = None
        self._before: tuple[str | None, int | None] = (None, None)

    @abstractmethod
    def _receive(self, wait: float) -> Patch | None:
        """Return the next patch; None if none has arrived after ``wait`` seconds."""

    @abstractmethod
    def _close(self) -> None:
        """Close the connections."""

    @property
    @abstractmethod
    def _position(self) -> str | None:
        """The `position` after the last patch that `_receive` has returned."""

    @property
    def _version(self) -> int | None:
        """The `version` that the last patch from `_receive` makes."""
        return None

    @abstractmethod
    def _acknowledge(self) -> None:
        """Tell the transport that all patches up to the last one from `_receive` are stored."""

    @property
    def position(self) -> str | None:
        """The position after the last patch, from which `resume` can continue.

        It is None if the transport has no positions: such a transport sends unacknowledged patches
        again.
        """
        return self._position if self._next is None else self._before[0]

    @abstractmethod
    def resume(self, position: str) -> None:
        """Continue from a `position`; call this before the first patch is received.

        Raises:
            ValueError: The position belongs to another source.
        """

    @property
    def is_connected(self) -> bool:
        """Whether the server can be reached, as far as is known."""
        return self._link.error is None

    @property
    def last_error(self) -> Exception | None:
        """Why the server can't be reached; None if it can."""
        return self._link.error

    @property
    def version(self) -> int | None:
        """The version that the last patch makes, if the source is a patch log."""
        return self._version if self._next is None else self._before[1]

    def acknowledge(self) -> None:
        """Tell the transport that all patches received so far have been stored.

        If the transport remembers this, the next connection continues after these patches, unless
        `resume` is called.
        """
        # A cancelled reader has left a patch: don't acknowledge it before the next reader has it.
        if self._next is None:
            self._acknowledge()

    def leave_out(self, error: JellyError) -> None:
        """Leave out the last patch because of an error, if the setting is ``bad=skip``.

        Raises:
            LogError, LimitError: The setting has another value. The error has the position of the
                patch.
        """
        raise LogError(f"{self.url}: the patch at {self.position}: {error}") from error

    @property
    def must_be_acknowledged(self) -> bool:
        """Whether the transport will soon stop sending unless `acknowledge` is called."""
        return False

    def receive(self, timeout: float | None = None) -> Patch | None:
        """Return the next patch.

        Args:
            timeout: The seconds to wait for it; None: for ever.

        Returns:
            None after the timeout, or if the source is closed.

        Raises:
            ConnectionError: The server can't be reached, or refuses the request.
            PermissionError: The server does not allow it.
            DecodeError: A frame breaks a rule; the message names the frame.
            LimitError: A frame or patch exceeds the limits.
        """
        end = time.monotonic() + (math.inf if timeout is None else timeout)
        while not self._is_closed.is_set():
            patch = self._receive(max(0.0, min(end - time.monotonic(), _LONGEST_WAIT)))
            if patch is not None or time.monotonic() >= end:
                return patch
        return None

    def listen(self, interval: float) -> Iterator[Patch | None]:
        """Iterate over the patches, with None after each ``interval`` seconds without a patch."""
        timeout = math.inf if self._timeout is None else self._timeout
        end = time.monotonic() + timeout
        while not self._is_closed.is_set():
            patch = self.receive(min(interval, end - time.monotonic()))
            if patch is not None:
                end = time.monotonic() + timeout
            elif time.monotonic() >= end:
                return
            yield patch

    def __iter__(self) -> Source:
        return self

    def __next__(self) -> Patch:
        patch = self.receive(self._timeout)
        if patch is None:
            raise StopIteration
        return patch

    __aiter__ = __iter__

    async def __anext__(self) -> Patch:
        if self._next is None:
            if self._is_closed.is_set():
                raise StopAsyncIteration
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix=repr(self))
            self._before = self._position, self._version
            self._next = self._thread.submit(self.receive, self._timeout)
        try:
            patch = await asyncio.shield(asyncio.wrap_future(self._next))
        except Exception:
            # This reader gets the error, so the next one must not get it again.
            self._next = None
            raise
        # A reader that is cancelled skips this line, and leaves the patch for the next one.
        self._next = None
        if patch is None:
            raise StopAsyncIteration
        return patch

    def close(self) -> None:
        """End the iteration, and close the connections; unacknowledged patches are sent again."""
        if self._is_closed.is_set():
            return
        self._is_closed.set()
        self._link.is_closed = True
        if self._thread is None:
            self._close()
        else:
            self._thread.submit(self._close).result()
            self._thread.shutdown()
