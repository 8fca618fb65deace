"""Tests a broker that requires a password, over TLS, and restricts its users."""

from typing import Any

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from jelly_rdflib import live
from tests.live.kafka.broker import PASSWORD, USER, Broker
from tests.live.kafka.support import read
from tests.live.patches import patch_of, receive_all


def settings(broker: Broker, password: str) -> dict[str, Any]:
    return {
        "security.protocol": "SASL_SSL",
        "ssl.ca.location": str(broker.certificate),
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": password,
    }


def allow(broker: Broker, kind: ResourceType, name: str, *operations: AclOperation) -> None:
    rules = [
        AclBinding(kind, name, ResourcePatternType.LITERAL, f"User:{USER}", "*", each,
                   AclPermissionType.ALLOW)
        for each in operations
    ]  # fmt: skip
    for made in broker.admin.create_acls(rules).values():
        made.result(30)


@pytest.fixture
def asking(broker: Broker, topic: str) -> str:
    """Return the address of a topic on the broker that requires a password."""
    return f"kafka://{broker.sasl_address}/{topic}"


# The changed settings; None means that the setting is removed.
REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"sasl.password": "Guessed!"}, PermissionError, "Authentication failed"),
    ({"security.protocol": None}, ConnectionError, r"no broker can be reached: .+"),
    ({"ssl.ca.location": None}, ConnectionError, "certificate verify failed"),
    # The user has no rights yet.
    ({}, PermissionError, "Topic authorization failed"),
]


@pytest.mark.parametrize("open_it", [live.connect, live.open_sink])
@pytest.mark.parametrize(("change", "error", "message"), REFUSED)
def test_who_is_refused(
    broker: Broker, asking: str, open_it: Any, change: dict[str, Any], error: Any, message: str
) -> None:
    changed = {**settings(broker, PASSWORD), **change}
    with pytest.raises(error, match=message) as caught:
        open_it(asking, **{name: text for name, text in changed.items() if text is not None})
    assert "Guessed" not in str(caught.value)


def test_the_right_password_opens(broker: Broker, topic: str, asking: str) -> None:
    operations = (AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE_CONFIGS)
    allow(broker, ResourceType.TOPIC, topic, *operations)
    with live.open_sink(asking, **settings(broker, PASSWORD)) as sink:
        sink.send(patch_of(0))
        assert PASSWORD not in repr(sink)
    with live.connect(asking, **settings(broker, PASSWORD)) as source:
        assert receive_all(source, 1) == [patch_of(0)]
        assert PASSWORD not in repr(source) + str(source.position)


def test_who_may_not_see_the_topics_settings_is_warned(
    broker: Broker, topic: str, asking: str
) -> None:
    allow(broker, ResourceType.TOPIC, topic, AclOperation.READ, AclOperation.WRITE)
    with pytest.warns(UserWarning, match="cleanup.policy is delete") as caught:
        sink = live.open_sink(asking, **settings(broker, PASSWORD))
    assert caught[0].filename == __file__
    with sink:
        sink.send(patch_of(0))
    assert read(f"kafka://{broker.address}/{topic}", 1) == [0]


def test_who_may_only_read_can_not_send(broker: Broker, topic: str, asking: str) -> None:
    allow(broker, ResourceType.TOPIC, topic, AclOperation.READ, AclOperation.DESCRIBE_CONFIGS)
    sink = live.open_sink(asking, **settings(broker, PASSWORD))
    with pytest.raises(PermissionError, match=r"(?i)1 of the patches.*authorization failed"):  # noqa: SIM117
        with sink:
            sink.send(patch_of(0))


def test_a_group_that_is_not_allowed_is_refused(broker: Broker, topic: str, asking: str) -> None:
    allow(broker, ResourceType.TOPIC, topic, AclOperation.READ, AclOperation.DESCRIBE_CONFIGS)
    with (
        live.connect(asking, group="secret", **settings(broker, PASSWORD)) as source,
        pytest.raises(PermissionError, match="Group authorization failed"),
    ):
        source.receive(20)
