"""Tests that the message classes equal those that protobuf's own compiler generates."""

import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2

from jelly_rdflib.formats.protobuf.messages import message_class
from tests.oracle import schema

FILES = sorted(path.name for path in schema.PROTO_DIR.glob("*.proto"))


def described(file: descriptor_pb2.FileDescriptorProto) -> str:
    """Return the description in `file`, without JSON names of fields and without services."""
    file.ClearField("service")
    for message in (*file.message_type, *(m for f in file.message_type for m in f.nested_type)):
        for field in message.field:
            field.ClearField("json_name")
    return str(file)


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_as_protobufs_compiler_reads_them(name: str) -> None:
    found, wanted = descriptor_pb2.FileDescriptorProto(), descriptor_pb2.FileDescriptorProto()
    first = schema.file_descriptor(name).message_types_by_name
    message_class(name, next(iter(first))).DESCRIPTOR.file.CopyToProto(found)
    schema.file_descriptor(name).CopyToProto(wanted)
    assert described(found) == described(wanted)


def test_they_work_beside_pyjelly() -> None:
    """The package works alongside pyjelly, which registers the same names in protobuf's pool."""
    code = (
        "import pyjelly.jelly.rdf_pb2\n"
        "from jelly_rdflib.formats.protobuf.messages import message_class\n"
        "message_class('rdf.proto', 'RdfStreamFrame')()\n"
    )
    for lines in (code, "\n".join([*code.splitlines()[1:], code.splitlines()[0]])):
        subprocess.run([sys.executable, "-c", lines], check=True)


@pytest.mark.parametrize("implementation", ["python", "upb"])
def test_each_implementation_of_protobuf_takes_them(implementation: str) -> None:
    code = (
        f"import os; os.environ['PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION'] = {implementation!r}\n"
        "from jelly_rdflib.formats.protobuf.messages import message_class\n"
        "frame = message_class('patch.proto', 'RdfPatchFrame')()\n"
        "frame.rows.add().statement_add.o_literal.lex = 'a'\n"
        "assert frame.SerializeToString() == bytes((10, 7, 18, 5, 90, 3, 10, 1, 97)), frame\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
