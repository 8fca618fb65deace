"""Shared by gRPC clients and servers: options, ports, and messages other than frames."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import grpc

from jelly_rdflib.formats.protobuf.messages import message_class
from jelly_rdflib.options import PatchOptions, StreamOptions
from jelly_rdflib.streams.codecs import PatchDecoder, StatementDecoder

_Options = TypeVar("_Options", PatchOptions, StreamOptions)

RDF_SERVICE = "eu.ostrzyciel.jelly.core.proto.v1.RdfStreamService"
PATCH_SERVICE = "jelly_rdflib.live.v1.RdfPatchStreamService"

MAX_FRAME = 3 << 20
"""The largest frame that is sent, in bytes; by default gRPC accepts messages of up to 4 MiB."""
LOOKUPS = {
    name: getattr(StreamOptions(), name)
    for name in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
}
"""The options for the maximum sizes of lookups, with their defaults."""
SERVER_OPTIONS = [
    # Let a second server on the same port fail: otherwise the two would share the clients.
    ("grpc.so_reuseport", 0),
    # Clients and servers check whether the other side is still there.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    # Close connections that make no call, or never finish connecting.
    ("grpc.max_connection_idle_ms", 60_000),
    ("grpc.server_handshake_timeout_ms", 20_000),
]


def open_port(
    server: Any,
    host: str,
    port: int,
    certificate: str | os.PathLike[str] | None,
    key: str | os.PathLike[str] | None,
    newest: Callable[[], Any] = lambda: None,
) -> str:
    """Make a server listen, with TLS if it has a certificate; return its address.

    ``newest`` is called for each connection; it returns a new key and certificate, or None.
    """
    name, scheme = f"[{host}]" if ":" in host else host, "grpc"
    try:
        if certificate is None or key is None:
            found = server.add_insecure_port(f"{name}:{port}")
        else:
            pair, scheme = (Path(key).read_bytes(), Path(certificate).read_bytes()), "grpcs"
            made = grpc.ssl_server_certificate_configuration
            credentials = grpc.dynamic_ssl_server_credentials(
                made([pair]), lambda: made([newest() or pair])
            )
            found = server.add_secure_port(f"{name}:{port}", credentials)
    except RuntimeError as error:
        raise OSError(f"gRPC can't listen on {name}:{port}") from error
    return f"{scheme}://{name}:{found}"


def subscribe_message(
    file: str, name: str, options: PatchOptions | StreamOptions | None, **fields: Any
) -> bytes:
    """Return a subscriber's request: the message ``name`` of a file in ``proto``.

    Fields whose value is None are left out.
    """
    known = {key: value for key, value in fields.items() if value is not None}
    message = message_class(file, name)(**known)
    if options is not None:
        for field in message.requested_options.DESCRIPTOR.fields:
            setattr(message.requested_options, field.name, getattr(options, field.name))
    data: bytes = message.SerializeToString()
    return data


def requested_options(request: Any, decoder: PatchDecoder | StatementDecoder) -> Any:
    """Return the options in a request, or None; ``decoder`` checks them.

    A LimitError is raised if the request asks for larger lookups than the decoder's limits allow.
    """
    if not request.HasField("requested_options"):
        return None
    options = request.requested_options
    kind = "Patch" if isinstance(decoder, PatchDecoder) else "Stream"
    frame = message_class("patch.proto" if kind == "Patch" else "rdf.proto", f"Rdf{kind}Frame")()
    frame.rows.add(options=options)
    decoder.decode_frame(frame.SerializeToString())
    return decoder.options


def narrowed(offered: _Options, requested: _Options, *types: str) -> _Options:
    """Return the offered options, with lookups that are no larger than requested.

    A ValueError is raised if an option in ``types`` differs, or if another one exceeds the request.
    """
    for name in (*types, "generalized_statements", "rdf_star", "version"):
        found, wanted = getattr(offered, name), getattr(requested, name)
        if found != wanted if name in types else found > wanted:
            shown = [getattr(each, "name", each) for each in (found, wanted)]
            raise ValueError(f"{name} is {shown[0]} here, but {shown[1]} is requested")
    return replace(
        offered, **{each: min(getattr(offered, each), getattr(requested, each)) for each in LOOKUPS}
    )
