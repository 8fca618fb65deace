"""Shared by MQTT sources and sinks: connections, and the errors for a broker's refusals."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.live.address import Address

CONNECT_TIMEOUT = 10.0
"""The seconds within which the broker must first respond."""
PASSING = (136, 137, 159)
"""Reason codes of a broker that is unavailable or busy, or gets too many requests."""

# The reason codes for a wrong password, a missing authorization, a ban and a bad authentication
# method; and the reason code for a packet that is too large.
_FORBIDDEN, _TOO_LARGE = (134, 135, 138, 140), 149


def connect(address: Address, client: Client, clean_start: Any, **properties: int) -> None:
    """Connect a client with the settings that are left in the address."""
    if user := address.take("user", str, ""):
        client.username_pw_set(user, address.take("password", str, "") or None)
    ca, certificate, key = (address.take(x, str, "") or None for x in ("ca", "certificate", "key"))
    is_secure = address.scheme == "mqtts"
    if is_secure:
        client.tls_set(ca, certificate, key)
    keepalive = address.take("keepalive", int, 60)
    address.check_all_taken()
    place = urlsplit(f"//{address.host}")
    client.connect_timeout = CONNECT_TIMEOUT
    try:
        client.connect(
            place.hostname or "localhost",
            place.port or (8883 if is_secure else 1883),
            keepalive,
            clean_start=clean_start,
            properties=make_properties(PacketTypes.CONNECT, **properties),
        )
    except OSError as error:
        raise ConnectionError(f"{address}: {error}") from error


def make_properties(kind: int, **values: Any) -> Any:
    """Return the properties for a kind of packet."""
    made: Any = Properties(kind)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(made, name, value)
    return made


def make_client(name: str) -> Client:
    """Return a client that does not acknowledge messages by itself."""
    return Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTv5, manual_ack=True)


def refusal(url: str, reason: Any, what: str) -> Exception:
    """Return the error for a reason code of the broker."""
    kinds: dict[int, type[Exception]]
    kinds = {**dict.fromkeys(_FORBIDDEN, PermissionError), _TOO_LARGE: EncodeError}
    return kinds.get(reason.value, ConnectionError)(f"{url}: the broker refuses {what}: {reason}")
