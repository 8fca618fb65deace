"""Shared by the sources and sinks of a topic: the settings, and the brokers' reports."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import TopicWarning
from jelly_rdflib.live.address import Address

_T = TypeVar("_T")
# The client library's reports go to this logger, not to standard error.
_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())
# The seconds to wait for a broker's first response.
_FIRST_ANSWER = 10.0

# The settings that make a topic delete messages.
_BOUNDS = ("retention.ms", "retention.bytes")

LARGEST = 1_000_000
"""The size in bytes of the largest message that the client library sends by default."""
PAUSE = 3600.0
"""The seconds without a patch after which a sink starts a new stream."""


def is_one_of(error: ck.KafkaError, words: tuple[str, ...]) -> bool:
    """Return whether the name of an error contains one of the words."""
    return any(word in error.name() for word in words)


class KafkaClient:
    """A topic: the connection to its brokers, and their reports."""

    def __init__(self, address: Address, own: dict[str, Any]) -> None:
        self.url, self.topic = str(address), address.path
        names = [name for name in address.settings if "." in name]
        given = {name: address.settings.pop(name) for name in names}
        address.check_all_taken()
        shared = {"bootstrap.servers": address.host, "error_cb": self._note}
        for name in given.keys() & {*own, *shared}:
            raise ValueError(f"{self.url}: {name} can't be set")
        self.error: ck.KafkaError | None = None
        # Whether the client library has reported that all brokers are down. The source sets this
        # to False when a broker answers.
        self.is_down = False
        self._end, self.reason = time.monotonic() + 2 * _FIRST_ANSWER, "there is no answer"
        # Add `own` after `_describe`, which uses an admin client: that does not accept the settings
        # of producers or consumers.
        self.config = given | shared
        self._describe()
        self.config |= own

    def _note(self, error: ck.KafkaError) -> None:
        if error.fatal() or "AUTH" in error.name():
            self.error = error
        elif error.code() == ck.KafkaError._ALL_BROKERS_DOWN:
            # Wait only a little longer, since the reason is reported soon after this.
            self._end = min(self._end, time.monotonic() + 0.5)
            self.is_down = True
        else:
            self.reason = error.str()

    def make(self, kind: Callable[..., _T]) -> _T:
        """Make a producer or consumer; raise a ValueError that names a wrong setting."""
        try:
            return kind(self.config, logger=_LOG)
        except ck.KafkaException as error:
            raise ValueError(f"{self.url}: {error.args[0].str()}") from None

    def exception(self, error: ck.KafkaError, what: str = "") -> OSError:
        """Return the exception for an error; ``what`` precedes the text, and explains the error."""
        # Look at the text, too: it may be the only place that says that access was refused.
        is_refused = "AUTH" in error.name() or "authorization failed" in error.str()
        kind = PermissionError if is_refused else ConnectionError
        return kind(f"{self.url}: {what}{error.str()}")

    def ask_id(self) -> str:
        """Return the topic's current id, which changes if the topic is deleted and recreated."""
        try:
            return str(self._ask_for_topic(_FIRST_ANSWER).result().topic_id)
        except ck.KafkaException as error:
            raise self.exception(error.args[0]) from None

    def _describe(self) -> None:
        """Ask for the topic's properties; refuse a compacted topic."""
        self.admin = admin = self.make(AdminClient)
        resource = ConfigResource("topic", self.topic)
        topic = self._ask_for_topic(_FIRST_ANSWER)
        config = admin.describe_configs([resource], request_timeout=_FIRST_ANSWER)[resource]
        while not (topic.done() and config.done()):
            admin.poll(0.05)
            if self.error:
                raise self.exception(self.error)
            if time.monotonic() > self._end:
                raise ConnectionError(f"{self.url}: no broker can be reached: {self.reason}")
        self.largest, self.retention = LARGEST, ""
        try:
            self.id = str(topic.result().topic_id)
            self.partitions = sorted(each.id for each in topic.result().partitions)
            settings = {name: each.value for name, each in config.result().items()}
            self.largest = int(settings["max.message.bytes"])
        except ck.KafkaException as error:
            if topic.exception() or "AUTH" not in error.args[0].name():
                raise self.exception(error.args[0]) from None
            # Only warn: few clients are allowed to see the settings, and few topics are compacted.
            warn(
                f"{self.url}: Kafka does not show the topic's settings to this user: make sure that"
                " cleanup.policy is delete, since compaction removes frames that are needed, and"
                " that retention.ms and retention.bytes are -1, which keeps all messages",
                TopicWarning,
            )
            return
        bounds = [f"{name}={settings[name]}" for name in _BOUNDS if settings[name] != "-1"]
        policy = settings["cleanup.policy"]
        self.retention = ", ".join(bounds) if "delete" in policy else ""
        if "compact" in policy:
            raise ValueError(
                f"{self.url}: the topic is compacted, which removes frames that later ones need:"
                " its cleanup.policy must be delete"
            )

    def _ask_for_topic(self, timeout: float) -> Any:
        topics = ck.TopicCollection([self.topic])
        return self.admin.describe_topics(topics, request_timeout=timeout)[self.topic]

    def check_topic(self, timeout: float) -> None:
        """Check that the topic was not deleted and recreated, if a broker responds in time."""
        try:
            id = str(self._ask_for_topic(timeout).result().topic_id)
        except ck.KafkaException as error:
            if "UNKNOWN_TOPIC" in error.args[0].name():
                raise self.exception(error.args[0]) from None
            return
        if id != self.id:
            raise ConnectionError(
                f"{self.url}: the topic was deleted and recreated, so its patches don't continue"
                " those already received: start again with an empty copy"
            )
