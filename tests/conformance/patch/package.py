"""Runs this package as the server of ``--serve "python -m tests.conformance.patch.package"``."""

import io
import logging
import sys
from pathlib import Path
from typing import Any

import jelly_rdflib as jr
from conformance import document
from conformance.document import Plain
from tests.oracle.terms import DEFAULT_GRAPH, operation, plain_operation, with_default_graph


def to_document_terms(value: Plain) -> Plain:
    """Return what plain terms of the tests are in a document."""
    return _replaced(value, DEFAULT_GRAPH, document.DEFAULT)


def to_document(patches: list[list[Plain]], options: dict[str, Any]) -> list[list[Plain]]:
    """Return what plain operations are in a document: in a stream of quads each has a graph."""
    if options["statement_type"] == "QUADS":
        patches = [list(map(with_default_graph, patch)) for patch in patches]
    return [list(map(to_document_terms, patch)) for patch in patches]


def from_document_terms(value: Plain) -> Plain:
    """Return what terms of a document are in the tests."""
    return _replaced(value, document.DEFAULT, DEFAULT_GRAPH)


def _replaced(value: Plain, old: Plain, new: Plain) -> Plain:
    if value == old:
        return new
    return tuple(_replaced(item, old, new) if isinstance(item, tuple) else item for item in value)


def decode(data: bytes) -> bytes:
    """Return the JSON of a stream.

    Raises:
        jr.DecodeError: It is refused.
    """
    patches = jr.read_patches(data, format="jelly-patch", normalize=False)
    found = [list(map(plain_operation, patch)) for patch in patches]
    options = patches.options
    assert options is not None
    fields = {name: getattr(options, name) for name in document.OPTIONS}
    fields["stream_type"] = options.stream_type.name
    fields["statement_type"] = options.statement_type.name
    return document.dump({"options": fields, "patches": to_document(found, fields)}).encode()


def encode(data: bytes) -> bytes:
    """Return the stream of a JSON.

    Raises:
        jr.EncodeError: It can't be written.
        ValueError: There are no such options.
    """
    wanted = document.load(data)
    file = io.BytesIO()
    with jr.PatchWriter(file, jr.PatchOptions(**wanted["options"])) as writer:
        for patch in wanted["patches"]:
            for row in patch:
                writer.write(operation(from_document_terms(row)))
            writer.write((jr.Op.END,))
    return file.getvalue()


def answer(verb: str, path: Path) -> bytes:
    """Return what comes of a file.

    Raises:
        ValueError: It is refused.
    """
    return (decode if verb == "decode" else encode)(path.read_bytes())


def main() -> None:
    """Answer requests, a line each, until there are no more."""
    # Of literals whose lexical form is none of their datatype's.
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    for line in sys.stdin:
        verb, path, output = line.rstrip("\n").split("\t")
        try:
            Path(output).write_bytes(answer(verb, Path(path)))
            print("ok", flush=True)
        except ValueError as error:
            print("refused", " ".join(str(error).split()), flush=True)


if __name__ == "__main__":
    main()
