"""`Link` tracks whether a log's server can be reached, and warns when this changes."""

from __future__ import annotations

import datetime
import threading
import time

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import ConnectionWarning

# The seconds after which a connection counts as working, even if nothing was received.
_STANDS = 2.0


class Link:
    """Tracks whether a server can be reached; warns when it is lost, and when it is back.

    Args:
        url: The address of the server, or the folder of the log; for messages.

    Attributes:
        error: Why the server can't be reached; None if it can, as far as is known.
        is_closed: Whether the caller has closed the connection: then warnings stop.

    Examples:
        >>> import warnings
        >>> link = Link("http://localhost:8080")
        >>> with warnings.catch_warnings(record=True) as told:
        ...     warnings.simplefilter("always")
        ...     for error in (ConnectionError("refused"), ConnectionError("refused"), None, None):
        ...         link.set(error)
        >>> [str(each.message).partition(", at ")[0] for each in told]
        ['http://localhost:8080 is lost', 'http://localhost:8080 is there again']
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.error: Exception | None = None
        self.is_closed = False
        self._begun = 0.0
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Link], tuple[str]]:
        return Link, (self._url,)

    def begin(self) -> None:
        """Record a new connection, which counts once data arrive or it has lasted `_STANDS`."""
        with self._lock:
            self._stop_timer()
            self._begun = time.monotonic()
            if self.error is not None:
                self._timer = threading.Timer(_STANDS, self._stand)
                self._timer.daemon = True
                self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stand(self) -> None:
        with self._lock:
            # If the connection was lost just when the timer ran out, this timer no longer counts.
            is_news = threading.current_thread() is self._timer and self._change(None)
        if is_news:
            self._tell(None)

    def end(self) -> None:
        """Record that the server has ended the connection; an early end is an error."""
        if time.monotonic() < self._begun + _STANDS:
            self.set(ConnectionError("the server has ended its response without sending anything"))

    def set(self, error: Exception | None) -> None:
        """Set why the server can't be reached, or None if it can; may be repeated."""
        with self._lock:
            is_news = self._change(error)
        if is_news:
            self._tell(error)

    def _change(self, error: Exception | None) -> bool:
        """Store the state, and return whether it has changed."""
        self._begun = 0.0
        self._stop_timer()
        was_lost, self.error = self.error is not None, error
        return not self.is_closed and was_lost != (error is not None)

    def _tell(self, error: Exception | None) -> None:
        # Python shows a repeated warning only once; the time makes each text different.
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
        if error is None:
            warn(f"{self._url} is there again, at {now}", ConnectionWarning)
        else:
            warn(f"{self._url} is lost, at {now}, and is tried again: {error}", ConnectionWarning)
