"""Opens sources and sinks by their addresses."""

from __future__ import annotations

import os
from importlib import import_module
from numbers import Real
from typing import Any

from jelly_rdflib.extras import advice
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.log.source import Source
from jelly_rdflib.options import Limits, PatchOptions, as_limits

# The modules of this package by address scheme. All but ``log`` are named after their extras.
# Each has ``open_source(address, limits, timeout)`` and ``open_sink(address, limits, options)``.
_MODULES = {
    **dict.fromkeys(("", "http", "https"), "log"),
    "kafka": "kafka",
    **dict.fromkeys(("grpc", "grpcs"), "grpc"),
    **dict.fromkeys(("mqtt", "mqtts"), "mqtt"),
}


def connect(
    url: str | os.PathLike[str],
    *,
    timeout: float | None = None,
    limits: Limits | None = None,
    position: str | None = None,
    **settings: Any,
) -> Source:
    """Connect to a stream of patches, and return a source that receives them.

    | address | source or sink |
    |---|---|
    | a folder, ``http://…``, ``https://…`` | a `jelly_rdflib.PatchLog` |
    | ``kafka://host:9092/topic`` | a Kafka topic |
    | ``grpc://host:8981/topic``, ``grpcs://…`` | a gRPC server of patches |
    | ``mqtt://host:1883/topic``, ``mqtts://…`` | a topic of an MQTT broker |

    Each transport has its own settings, which its page in the documentation lists. Give them as
    keyword arguments, or in the address: ``?group=copies``. Secrets don't belong in an address.

    Args:
        url: The address.
        timeout: The seconds without a patch after which an iteration ends; None: never.
        limits: The limits for untrusted input; by default `jelly_rdflib.Limits()`.
        position: The `Source.position` to go on from; by default the transport decides.
        settings: Settings of the transport.

    Raises:
        ConnectionError: The server can't be reached.
        ValueError: The transport or a setting is unknown; or the position belongs to another
            source.
        TypeError: The timeout is not a number, or the limits are no `jelly_rdflib.Limits`.
        ImportError: The transport needs packages that are missing; the message names the extra.

    See Also:
        - `open_sink`: send patches.
        - `Replica.follow`: apply the patches to a dataset in a folder.
        - `append_from`: append the patches to a patch log.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> from jelly_rdflib import live
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     entry = jr.PatchLog.create(folder).append([(jr.Op.TX,), (jr.Op.TC,)])
        ...     with live.connect(folder, timeout=1) as source:
        ...         for patch in source:
        ...             print(len(patch))
        3
    """
    if not isinstance(timeout, Real | None):
        raise TypeError(
            f"timeout must be an int or a float or None, not a {type(timeout).__name__}"
        )
    address = Address(os.fspath(url), settings, ("timeout", "limits", "position"))
    source: Source = _import(address).open_source(address, as_limits(limits), timeout)
    if position is not None:
        source.resume(position)
    return source


def open_sink(
    url: str | os.PathLike[str],
    *,
    limits: Limits | None = None,
    options: PatchOptions | None = None,
    **settings: Any,
) -> Sink:
    """Open a transport that accepts patches; for addresses and errors see `connect`.

    Args:
        url: The address.
        limits: The limits for reading the files that are sent.
        options: The options of the streams that are sent; by default `jelly_rdflib.PatchOptions()`.
        settings: Settings of the transport.

    See Also:
        - `connect`: receive patches.
        - `record`: record the changes of a graph or dataset as a patch.

    Examples:
        >>> import tempfile
        >>> import jelly_rdflib as jr
        >>> from jelly_rdflib import live
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = jr.PatchLog.create(folder)
        ...     with live.open_sink(folder) as sink:
        ...         sink.send([(jr.Op.TX,), (jr.Op.TC,)])
        ...     jr.PatchLog(folder).version
        1
    """
    address = Address(os.fspath(url), settings, ("limits", "options"))
    sink: Sink = _import(address).open_sink(address, as_limits(limits), options)
    return sink


def _import(address: Address) -> Any:
    module = _MODULES.get(address.scheme)
    if module is None:
        known = ", ".join(filter(None, _MODULES))
        raise ValueError(f"there is no transport {address.scheme!r}: use one of {known}")
    with advice(f"{address.scheme}://", f"jelly-rdflib[{module}]"):
        return import_module(f"jelly_rdflib.live.{module}")
