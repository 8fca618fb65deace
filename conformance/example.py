"""A runner to copy: put your implementation in the place of the two functions.

``python -m conformance "python -m conformance.example"`` tries it. Here the two are the suite's own
reader and speller.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from conformance import document, reader, rows, spelling
from conformance.cases.case import bytes_of


def decode(data: bytes) -> str:
    """Return the JSON of a stream; raise ValueError to refuse it."""
    try:
        return document.dump(reader.read(data))
    except reader.FaultError as error:
        raise ValueError(error) from error


def encode(json: str) -> bytes:
    """Return the stream of a JSON; raise ValueError to refuse it."""
    wanted = document.load(json)
    data = rows.delimited(map(bytes_of, spelling.frames(wanted, compact=True)))
    differs = document.difference(wanted, document.load(decode(data)))
    if differs is not None:
        raise ValueError(differs)
    return data


def run(verb: str, path: str) -> bytes:
    """Return what comes of a file."""
    data = Path(path).read_bytes()
    return decode(data).encode() if verb == "decode" else encode(data.decode())


def serve() -> None:
    """Answer requests, a line each, until there are no more."""
    for line in sys.stdin:
        verb, path, output = line.rstrip("\n").split("\t")
        try:
            Path(output).write_bytes(run(verb, path))
            print("ok", flush=True)
        except ValueError as error:
            print("refused", " ".join(str(error).split()), flush=True)


def main() -> NoReturn:
    """Do what the arguments say: ``decode FILE``, ``encode FILE``, or nothing, to serve."""
    if len(sys.argv) == 1:
        serve()
        sys.exit(0)
    try:
        sys.stdout.buffer.write(run(*sys.argv[1:]))
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    sys.exit(0)


if __name__ == "__main__":
    main()
