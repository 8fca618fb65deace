"""Protobuf's classes of ``proto/*.proto``, in a descriptor pool of their own.

The pool is not protobuf's default one, so that another package which registers files of the same
names (pyjelly does) may be imported in the same process.
"""

from __future__ import annotations

import importlib.resources
import tempfile
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

__all__ = ["PROTO_DIR", "file_descriptor", "message_class"]

PROTO_DIR = Path(__file__).resolve().parent / "proto"

_RDF = "eu.ostrzyciel.jelly.core.proto.v1."
_PATCH = _RDF + "patch."
_JENA = "jelly_rdflib.jena."
_LIVE = "jelly_rdflib.live.v1."


def _compile() -> descriptor_pool.DescriptorPool:
    include = importlib.resources.files("grpc_tools") / "_proto"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "descriptors"
        arguments = [
            "protoc",
            f"--proto_path={PROTO_DIR}",
            f"--proto_path={include}",
            f"--descriptor_set_out={out}",
            "--include_imports",
            *map(str, sorted(PROTO_DIR.glob("*.proto"))),
        ]
        if protoc.main(arguments) != 0:
            raise RuntimeError(f"protoc failed: {arguments}")
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


_pool = _compile()


def message_class(name: str) -> Any:
    """Return protobuf's class of a message of any file."""
    for package in (_PATCH, _RDF, _JENA, _LIVE):
        try:
            descriptor = _pool.FindMessageTypeByName(package + name)
        except KeyError:
            continue
        return message_factory.GetMessageClass(descriptor)
    raise KeyError(name)


def file_descriptor(name: str) -> Any:
    """Return protobuf's description of a file."""
    return _pool.FindFileByName(name)


RdfIri = message_class("RdfIri")
RdfLiteral = message_class("RdfLiteral")
RdfDefaultGraph = message_class("RdfDefaultGraph")
RdfTriple = message_class("RdfTriple")
RdfQuad = message_class("RdfQuad")
RdfNameEntry = message_class("RdfNameEntry")
RdfPrefixEntry = message_class("RdfPrefixEntry")
RdfDatatypeEntry = message_class("RdfDatatypeEntry")
RdfPatchNamespace = message_class("RdfPatchNamespace")
RdfPatchHeader = message_class("RdfPatchHeader")
RdfPatchOptions = message_class("RdfPatchOptions")
RdfPatchRow = message_class("RdfPatchRow")
RdfPatchFrame = message_class("RdfPatchFrame")
