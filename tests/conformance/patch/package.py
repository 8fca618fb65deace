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
    """Convert `value` from the tests' plain terms to terms of a document."""
    return _replaced(value, DEFAULT_GRAPH, document.DEFAULT)


def to_document(patches: list[list[Plain]], options: dict[str, Any]) -> list[list[Plain]]:
    """Convert plain operations to a document's form; in quad streams, each has a graph."""
    if options["statement_type"] == "QUADS":
        patches = [list(map(with_default_graph, patch)) for patch in patches]
    return [list(map(to_document_terms, patch)) for patch in patches]


def from_document_terms(value: Plain) -> Plain:
    """Convert `value` from terms of a document to the tests' plain terms."""
    return _replaced(value, document.DEFAULT, DEFAULT_GRAPH)


def _replaced(value: Plain, old: Plain, new: Plain) -> Plain:
    if value == old:
        return new
    return tuple(_replaced(item, old, new) if isinstance(item, tuple) else item for item in value)


def decode(data: bytes) -> bytes:
    """Return the JSON of the stream `data`.

    Raises:
        jr.DecodeError: The stream is refused.
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
    """Return the stream of the JSON `data`.

    Raises:
        jr.EncodeError: The document can't be written.
        ValueError: The document has invalid options.
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
    """Return the result of decoding or encoding the file at `path`.

    Raises:
        ValueError: The file is refused.
    """
    return (decode if verb == "decode" else encode)(path.read_bytes())


def main() -> None:
    """Read requests, one per line, and answer them until the input ends."""
    # rdflib warns about literals whose lexical form is invalid for their datatype.
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
