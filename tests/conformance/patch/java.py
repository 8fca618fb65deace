"""Runs Java programs: ``python -m tests.conformance.patch.java [OPTION…]``.

Without an OPTION for Java it runs the program in ``tests/interop/jvm``. That program uses
Jelly-JVM's code for terms, lookups, repeated terms and quads, and our own code for rows and frames.
With options such as ``-cp`` this module runs the program that they name; `tests.interop.jelly_jvm`
builds such programs. Patches may end without a punctuation mark; this module finds their ends.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance import document
from conformance.document import Plain
from tests.conformance.patch.package import from_document_terms, to_document_terms
from tests.interop.jvm import project
from tests.interop.jvm.peer import Peer, PeerError

_END = ("END",)
_STACK = ("-Xss8m",)


def decode(peer: Peer, data: bytes) -> bytes:
    """Return the JSON of the stream `data`."""
    rows = peer.read_changes(data, "jellyp")
    _, *values = json.loads(peer.convert(data, "jellyp", "options"))
    statements, stream, *rest = map(json.loads, values)
    order = (stream, statements, *rest)
    options: dict[str, Any] = dict(zip(document.OPTIONS, order, strict=True))
    options["stream_type"] = document.STREAM_TYPES[stream]
    options["statement_type"] = document.STATEMENT_TYPES[statements]
    patches: list[list[Plain]] = [[]]
    for row in rows:
        if row == _END:
            patches.append([])
        else:
            patches[-1].append(to_document_terms(row))
    if options["stream_type"] != "FLAT" and not patches[-1]:
        del patches[-1]
    return document.dump({"options": options, "patches": patches}).encode()


def encode(peer: Peer, data: bytes) -> bytes:
    """Return the stream of the JSON `data`.

    Raises:
        NotImplementedError: Jena can't express a row: a prefix without an IRI, or a header without
            a value.
    """
    wanted = document.load(data)
    options = dict(wanted["options"])
    features = (options.pop("rdf_star"), options.pop("generalized_statements"))
    preset = {(False, False): "STRICT", (True, False): "RDF_STAR", (False, True): "GENERALIZED"}
    rows: list[Plain] = []
    for patch in wanted["patches"]:
        if any(row[0] in ("PA", "H") and row[2] is None for row in patch):
            raise NotImplementedError(
                "Jena has no namespace without an IRI, nor a header without value"
            )
        rows += map(from_document_terms, patch)
        if options["stream_type"] != "FLAT" or patch is not wanted["patches"][-1]:
            rows.append(_END)
    return peer.write_changes(
        rows,
        "jellyp",
        preset=f"SMALL_{preset.get(features, 'ALL_FEATURES')}",
        stream=options.pop("stream_type"),
        statements=options.pop("statement_type"),
        rows=512,
        delimited=True,
        **options,
    )


def _answer(error: str) -> str:
    """Return the answer that corresponds to a Java exception."""
    # An exception means that the input is refused or unsupported. A StackOverflowError is a crash.
    if error.startswith("StackOverflowError"):
        return f"crashed {error}"
    if error.startswith("UnsupportedOperationException") or "Cannot create generalized" in error:
        return "unsupported RDF4J has no generalized statements"
    return f"refused {error}"


def main() -> None:
    """Read requests, one per line, and answer them until the input ends."""
    options = sys.argv[1:]
    if not options:
        project.build()
    command = ["java", *_STACK, *options, "interop.Server"] if options else None
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(Path(folder), command)
        for line in sys.stdin:
            verb, path, output = line.rstrip("\n").split("\t")
            work = decode if verb == "decode" else encode
            try:
                Path(output).write_bytes(work(peer, Path(path).read_bytes()))
                print("ok", flush=True)
            except NotImplementedError as error:
                print("unsupported", error, flush=True)
            except PeerError as error:
                print(_answer(str(error)), flush=True)
        peer.close()


if __name__ == "__main__":
    main()
