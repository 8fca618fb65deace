"""Protobuf's own classes of the messages in ``jelly_rdflib/proto``.

They are made from these files on first use, since protobuf's Python package has no compiler. Their
descriptor pool is not protobuf's default pool, in which another package, such as pyjelly, may
register messages with the same names.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from jelly_rdflib.errors import DecodeError

_PACKAGE = "jelly_rdflib"
_TOKEN = re.compile(r'"[^"]*"|[\w.]+|[{}=;<>,]')
# The values of `FieldDescriptorProto.Label`.
_OPTIONAL, _REPEATED = 1, 3
_SCALARS = ("bool", "bytes", "double", "sint64", "sint32", "string", "uint32", "uint64")


@functools.cache
def message_class(file: str, name: str) -> Any:
    """Return protobuf's class of a message that a file in ``jelly_rdflib/proto`` describes."""
    pool, packages = _make_pool()
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{packages[file]}.{name}"))


def parse_message(file: str, name: str, data: bytes) -> Any:
    """Parse bytes as a message of a file; other bytes raise a `jelly_rdflib.DecodeError`."""
    try:
        return message_class(file, name).FromString(data)
    except message.DecodeError:
        raise DecodeError(f"these bytes are not a valid {name}") from None


@functools.cache
def _make_pool() -> tuple[Any, dict[str, str]]:
    """Return a descriptor pool with all files, and the package of each file."""
    found: dict[str, Any] = {}
    for path in files(_PACKAGE).joinpath("proto").iterdir():
        if path.name.endswith(".proto"):
            file = found[path.name] = descriptor_pb2.FileDescriptorProto(name=path.name)
            _read_file(file, path.read_text("utf-8"))
    pool = descriptor_pool.DescriptorPool()

    packages = {name: file.package for name, file in found.items()}

    def add(name: str) -> None:
        # A file is added after the files that it imports.
        file = found.pop(name, None)
        if file is not None:
            for imported in file.dependency:
                add(imported)
            pool.Add(file)

    for name in packages:
        add(name)
    return pool, packages


def _read_file(file: Any, text: str) -> None:
    """Read a file in protobuf's language; only the features that these files use are supported."""
    tokens = iter(_TOKEN.findall(re.sub(r"//.*", "", text)))
    for token in tokens:
        if token == "message":
            _read_message(file.message_type.add(name=next(tokens)), tokens)
        elif token == "service":
            # Skip the service, which needs no class. Its methods contain no braces.
            while next(tokens) != "}":
                pass
        elif token == "enum":
            enum = file.enum_type.add(name=next(tokens))
            _skip(tokens, "{")
            while (name := next(tokens)) != "}":
                enum.value.add(name=name, number=_read_number(tokens))
        else:
            values = []
            while (value := next(tokens)) != ";":
                values.append(value.strip('"'))
            if token == "import":
                file.dependency.append(values[0])
            else:
                # The token is "syntax" or "package".
                setattr(file, token, values[-1])


def _read_message(message: Any, tokens: Iterator[str]) -> None:
    """Read the body of a message, from the opening brace to the closing one."""
    _skip(tokens, "{")
    is_in_oneof = False
    while (token := next(tokens)) != "}" or is_in_oneof:
        if token == "}":
            is_in_oneof = False
        elif token == "oneof":
            message.oneof_decl.add(name=next(tokens))
            _skip(tokens, "{")
            is_in_oneof = True
        else:
            field = message.field.add(label=_OPTIONAL)
            if is_in_oneof:
                field.oneof_index = len(message.oneof_decl) - 1
            if token == "map":
                token = _add_entry(message, tokens)
                field.label = _REPEATED
            elif token == "repeated":
                token = next(tokens)
                field.label = _REPEATED
            _set_type(field, token)
            field.name = next(tokens)
            field.number = _read_number(tokens)


def _add_entry(message: Any, tokens: Iterator[str]) -> str:
    """Add the message type for the entries of a map; return its name."""
    entry = message.nested_type.add(name="MetadataEntry")
    entry.options.map_entry = True
    for number, name in enumerate(("key", "value"), 1):
        next(tokens)
        _set_type(entry.field.add(name=name, number=number, label=_OPTIONAL), next(tokens))
    next(tokens)
    return str(entry.name)


def _set_type(field: Any, name: str) -> None:
    if name in _SCALARS:
        field.type = field.Type.Value(f"TYPE_{name.upper()}")
    else:
        # The pool determines whether the name refers to a message or to an enum.
        field.type_name = name


def _read_number(tokens: Iterator[str]) -> int:
    """Read the number of a field or of an enum's value, with the tokens around the number."""
    _skip(tokens, "=")
    number = int(next(tokens))
    _skip(tokens, ";")
    return number


def _skip(tokens: Iterator[str], wanted: str) -> None:
    found = next(tokens)
    if found != wanted:
        raise ValueError(
            f"{found!r} in a file of protobuf's language, where {wanted!r} is expected"
        )
