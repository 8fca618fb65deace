"""What both sides of gRPC say: the messages that are no frames, options, and ports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import grpc

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits, PatchOptions, StreamOptions
from jelly_rdflib.streams.codecs import (
    PatchDecoder,
    PatchEncoder,
    StatementDecoder,
    StatementEncoder,
)

_T = TypeVar("_T")
_Options = TypeVar("_Options", PatchOptions, StreamOptions)

RDF_SERVICE = "eu.ostrzyciel.jelly.core.proto.v1.RdfStreamService"
PATCH_SERVICE = "jelly_rdflib.live.v1.RdfPatchStreamService"

MAX_FRAME = 3 << 20
"""The largest frame that is sent, in bytes: by default gRPC takes messages of up to 4 MiB."""
LOOKUPS = {
    name: getattr(StreamOptions(), name)
    for name in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
}
"""The names of the options for lookups, and the largest that are used by default."""
SERVER_OPTIONS = [
    # Two servers at one port would share its clients.
    ("grpc.so_reuseport", 0),
    # Clients and servers look whether the other one is there still.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
]

# Types of fields in protobuf's wire format.
_VARINT, _BYTES = 0, 2
_BAD = "the request is no message of this service"


def open_port(
    server: Any,
    host: str,
    port: int,
    certificate: str | os.PathLike[str] | None,
    key: str | os.PathLike[str] | None,
) -> str:
    """Have a server listen, with TLS if there is a certificate; return its address."""
    name, scheme = f"[{host}]" if ":" in host else host, "grpc"
    try:
        if certificate is None or key is None:
            found = server.add_insecure_port(f"{name}:{port}")
        else:
            pair, scheme = (Path(key).read_bytes(), Path(certificate).read_bytes()), "grpcs"
            credentials = grpc.ssl_server_credentials([pair])
            found = server.add_secure_port(f"{name}:{port}", credentials)
    except RuntimeError as error:
        raise OSError(f"gRPC can't listen at {name}:{port}") from error
    return f"{scheme}://{name}:{found}"


def _varint(number: int) -> bytes:
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def write_message(fields: Mapping[int, str | bytes | int | None]) -> bytes:
    """Return a message of protobuf; fields that are None are left out.

    Examples:
        >>> read_message(write_message({1: "topic", 3: 300, 4: None}))
        {1: b'topic', 3: 300}
    """
    data = b""
    for field, value in fields.items():
        if isinstance(value, int):
            data += _varint(field << 3 | _VARINT) + _varint(value)
        elif value is not None:
            content = value.encode() if isinstance(value, str) else value
            data += _varint(field << 3 | _BYTES) + _varint(len(content)) + content
    return data


def read_message(data: bytes) -> dict[int, Any]:
    """Return the fields of a message: numbers and bytes; a DecodeError if it is no message."""
    rest: memoryview = memoryview(data)
    fields: dict[int, Any] = {}

    def number() -> int:
        nonlocal rest
        size = next((at for at, byte in enumerate(rest[:10]) if byte < 0x80), None)
        if size is None:
            raise DecodeError(_BAD)
        found = sum((byte & 0x7F) << 7 * at for at, byte in enumerate(rest[: size + 1]))
        rest = rest[size + 1 :]
        return found

    while rest:
        tag, value = number(), number()
        if tag & 7 not in (_VARINT, _BYTES) or (tag & 7 == _BYTES and value > len(rest)):
            raise DecodeError(_BAD)
        fields[tag >> 3] = value
        if tag & 7 == _BYTES:
            fields[tag >> 3], rest = bytes(rest[:value]), rest[value:]
    return fields


def field_of(fields: dict[int, Any], field: int, kind: type[_T]) -> _T | None:
    """Return a text, message or number; None if it is not there, a DecodeError if it is none."""
    value = fields.get(field)
    try:
        value = value.decode() if kind is str and value is not None else value
    except (UnicodeDecodeError, AttributeError):
        raise DecodeError(_BAD) from None
    if value is not None and not isinstance(value, kind):
        raise DecodeError(_BAD)
    return value


def options_message(options: PatchOptions | StreamOptions) -> bytes:
    """Return options as the message that a stream starts with."""
    if isinstance(options, PatchOptions):
        frame = PatchEncoder(options).encode_frame([])
    else:
        frame = StatementEncoder(options).encode_frame([])
    # A frame without statements is one row of options.
    message: bytes = read_message(read_message(frame)[1])[1]
    return message


def read_options(message: bytes | None, limits: Limits, *, of_patches: bool) -> Any:
    """Return the options of a message; None without one.

    A LimitError says that they ask for larger lookups than the limits.
    """
    if message is None:
        return None
    decoder = (PatchDecoder if of_patches else StatementDecoder)(limits)
    decoder.decode_frame(write_message({1: write_message({1: message})}))
    return decoder.options


def narrowed(offered: _Options, requested: _Options, *types: str) -> _Options:
    """Return the options of a stream for a subscriber who asks for some: with smaller lookups.

    The ``types`` are the options that must be the same. A ValueError says that the stream can't be
    as the subscriber asks for.
    """
    for name in (*types, "generalized_statements", "rdf_star", "version"):
        found, wanted = getattr(offered, name), getattr(requested, name)
        if found != wanted if name in types else found > wanted:
            shown = [getattr(each, "name", each) for each in (found, wanted)]
            raise ValueError(f"{name} is {shown[0]} here, and {shown[1]} is asked for")
    return replace(
        offered, **{each: min(getattr(offered, each), getattr(requested, each)) for each in LOOKUPS}
    )
