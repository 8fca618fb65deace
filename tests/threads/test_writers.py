"""Tests writers that are called by several threads or by their own file: nothing is lost."""

import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.errors import InUseError

S, P = URIRef("urn:s"), URIRef("urn:p")

CHANGES = ("jelly-patch", "rdf-patch", "rdf-patch-thrift")
STATEMENTS = ("jelly-rdf", "n-quads", "turtle", "rdf-xml")


class CallingFile:
    """A file that calls a function when it is written to."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.call: Callable[[], object] = list
        self.errors: list[Exception] = []

    def write(self, data: bytes) -> None:
        """Call the function, and accept the data."""
        try:
            self.call()
        except Exception as error:
            self.errors.append(error)
        self.data += data


def open_writer(file: Any, format: str) -> Any:
    """Make a writer; if its format has frames, each has one row."""
    if format == "jelly-patch":
        return jr.PatchWriter(file, jr.PatchOptions(frame_rows=1))
    if format == "jelly-rdf":
        return jr.StatementWriter(file, jr.StreamOptions(frame_rows=1))
    return (jr.PatchWriter if format in CHANGES else jr.StatementWriter)(file, format=format)


def hand_on(writer: Any) -> None:
    """Make a writer write its pending rows."""
    (writer.end_patch if isinstance(writer, jr.PatchWriter) else writer.end_frame)()


def count(data: bytes, format: str) -> int:
    """Count the written statements."""
    return sum(1 for op in jr.read_batches(data, format=format) for row in op if row[0] == jr.Op.A)


CALLS: dict[str, Callable[[Any], object]] = {
    "close": lambda writer: writer.close(),
    "add": lambda writer: writer.add(S, P, Literal("lost")),
    "write_all": lambda writer: writer.write_all(
        [(S, P, Literal("lost"))]
        if isinstance(writer, jr.StatementWriter)
        else [(jr.Op.A, S, P, Literal("lost"), None)]
    ),
    "hand on": hand_on,
    "exit": lambda writer: writer.__exit__(None, None, None),
    "exit by an error": lambda writer: writer.__exit__(ValueError, ValueError(), None),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("format", CHANGES + STATEMENTS)
@pytest.mark.parametrize("is_threaded", [False, True])
def test_a_call_while_a_file_is_written(
    format: str, call: Callable[[Any], object], is_threaded: bool
) -> None:
    """The file itself or another thread calls the writer while the file is written."""
    file = CallingFile()
    writer = open_writer(file, format)

    def call_in_a_thread() -> object:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(call, writer).result()

    file.call = call_in_a_thread if is_threaded else lambda: call(writer)
    writer.add(S, P, Literal("kept"))
    writer.close()
    assert file.errors
    assert all(isinstance(error, InUseError) for error in file.errors)
    assert count(bytes(file.data), format) == 1


@pytest.mark.parametrize("format", CHANGES + STATEMENTS)
def test_what_was_acknowledged_is_written(format: str) -> None:
    """If one thread closes while others write, all statements that `add` accepted are written."""
    file = CallingFile()
    # Other threads run during the write.
    file.call = lambda: threading.Event().wait(1e-5)
    writer = open_writer(file, format)
    acknowledged: list[int] = []
    refused: list[Exception] = []

    def write(number: int) -> None:
        for index in range(100):
            try:
                writer.add(S, P, Literal(f"{number} {index}"))
            except InUseError as error:  # noqa: PERF203
                refused.append(error)
            except jr.EncodeError:
                return
            else:
                acknowledged.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while True:
        try:
            writer.close()
        except InUseError:
            continue
        break
    for thread in threads:
        thread.join()
    assert count(bytes(file.data), format) == len(acknowledged)


@pytest.mark.parametrize("make", [jr.PatchEncoder, jr.StatementEncoder])
def test_frames_made_at_once(make: Any) -> None:
    encoder = make()
    row = (S, P, S) if make is jr.StatementEncoder else (jr.Op.A, S, P, S, None)

    def rows() -> Any:
        with pytest.raises(InUseError):
            encoder.encode_frame([row])
        yield row

    assert encoder.encode_frame(rows())
    assert encoder.encode_frame([row])


@pytest.mark.parametrize("format", [*CHANGES, *STATEMENTS])
def test_a_file_that_calls_back_while_a_batch_is_written(format: str) -> None:
    """The file calls the writer when its term table is full and about to be cleared."""
    options = jr.StreamOptions(physical_type="TRIPLES")
    statements = [(URIRef(f"urn:{number}"), P, Literal("x" * 200)) for number in range(5000)]
    message = jr.StatementEncoder(options).encode_frame(statements)
    batch = jr.StatementDecoder().decode_frame(message).batch
    file = CallingFile()
    make = jr.PatchWriter if format in CHANGES else jr.StatementWriter
    with make(file, format=format) as writer:
        # With the predicate and the object, these terms fill the table.
        for number in range(4094):
            writer.add(URIRef(f"urn:{number}"), P, S)
        file.call = lambda: writer.add(URIRef("urn:new"), P, S)
        writer.write_all(batch)
        writer.close()
        file.call = list
    assert file.errors
    assert all(isinstance(error, InUseError) for error in file.errors)


def test_statements_that_write_to_their_own_writer_do_no_harm() -> None:
    """An iterable of statements may run any code, even call the same writer."""
    for physical_type in ("TRIPLES", "QUADS", "GRAPHS"):
        file = io.BytesIO()
        options = jr.StreamOptions(physical_type=physical_type, frame_rows=3)
        with jr.StatementWriter(file, options) as writer:

            def statements(writer: Any = writer) -> Any:
                for number in range(20):
                    writer.add(S, P, Literal(f"inner {number}"))
                    yield S, P, Literal(f"outer {number}")

            writer.write_all(statements())
        assert len(list(jr.read_statements(file.getvalue()))) == 40
