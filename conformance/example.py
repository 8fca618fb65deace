"""A runner to copy: replace `decode` and `encode` with calls of your implementation.

Try it with ``python -m conformance "python -m conformance.example"``. Here the two functions call
the suite's own reader and writer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from conformance import document, reader, rows, spelling
from conformance.cases.case import bytes_of


def decode(data: bytes) -> str:
    """Return a stream's document as JSON; raise ValueError to refuse the stream."""
    try:
        return document.dump(reader.read(data))
    except reader.FaultError as error:
        raise ValueError(error) from error


def encode(json: str) -> bytes:
    """Return the stream for a JSON document; raise ValueError to refuse the document."""
    wanted = document.load(json)
    data = rows.delimited(map(bytes_of, spelling.frames(wanted, compact=True)))
    differs = document.difference(wanted, document.load(decode(data)))
    if differs is not None:
        raise ValueError(differs)
    return data


def run(verb: str, path: str) -> bytes:
    """Decode or encode a file, and return the output."""
    data = Path(path).read_bytes()
    return decode(data).encode() if verb == "decode" else encode(data.decode())


def serve() -> None:
    """Answer requests, one per line, until the input ends."""
    for line in sys.stdin:
        verb, path, output = line.rstrip("\n").split("\t")
        try:
            Path(output).write_bytes(run(verb, path))
            print("ok", flush=True)
        except ValueError as error:
            print("refused", " ".join(str(error).split()), flush=True)


def main() -> NoReturn:
    """Run ``decode FILE`` or ``encode FILE``; without arguments, serve."""
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
