"""Make protobuf's classes for ``proto/*.proto``, in a separate descriptor pool.

The pool is not protobuf's default one, so that a package that registers files of the same names
there (as pyjelly does) may be imported in the same process.
"""

from __future__ import annotations

import importlib.resources
import tempfile
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

__all__ = ["PROTO_DIR", "compile_files", "find_class", "message_class"]

PROTO_DIR = Path(__file__).resolve().parent / "proto"

_RDF = "eu.ostrzyciel.jelly.core.proto.v1."


def compile_files(proto_dir: Path) -> descriptor_pool.DescriptorPool:
    """Return a descriptor pool with the ``*.proto`` files of a folder."""
    include = importlib.resources.files("grpc_tools") / "_proto"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "descriptors"
        arguments = [
            "protoc",
            f"--proto_path={proto_dir}",
            f"--proto_path={include}",
            f"--descriptor_set_out={out}",
            "--include_imports",
            *map(str, sorted(proto_dir.glob("*.proto"))),
        ]
        if protoc.main(arguments) != 0:
            raise RuntimeError(f"protoc failed: {arguments}")
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


def find_class(pool: descriptor_pool.DescriptorPool, name: str, *packages: str) -> Any:
    """Return protobuf's class for a message, from the first of the packages that defines it.

    Raises:
        KeyError: No package defines the message.
    """
    for package in packages:
        try:
            descriptor = pool.FindMessageTypeByName(package + name)
        except KeyError:
            continue
        return message_factory.GetMessageClass(descriptor)
    raise KeyError(name)


_pool = compile_files(PROTO_DIR)


def message_class(name: str) -> Any:
    """Return protobuf's class for a Jelly-Patch or Jelly-RDF message."""
    return find_class(_pool, name, f"{_RDF}patch.", _RDF)


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
