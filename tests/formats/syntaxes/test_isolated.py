"""Tests parsing in a child process: results are the same, and a crash ends only the child."""

import gc
import gzip
import io
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.formats.syntaxes import isolated, messages
from tests.formats.syntaxes.support import ISOLATED, LINES, PARSED
from tests.formats.syntaxes.test_reader import SAMPLES
from tests.oracle.terms import plain_operation
from tests.pieces import Chunks, Pieces, breaking
from tests.support import run

pytestmark = ISOLATED

LINE = b"<urn:s> <urn:p> <urn:o> .\n"


def outcome(source: Any, format: str, **arguments: Any) -> tuple[Any, ...]:
    """Return the operations of a text, and the type and message of the error that ends it.

    A child process escapes control characters in its messages. Some labels are random.
    """
    found = []
    error: jr.DecodeError | None = None
    try:
        for batch in jr.read_batches(source, format=format, **arguments):
            found += map(plain_operation, batch)
    except jr.DecodeError as caught:
        error = caught
    told: tuple[Any, ...] = ()
    if error is not None:
        message = re.sub("[\0-\x1f]", lambda found: f"\\u{ord(found[0]):04X}", error.message)
        message = re.sub("_:[0-9a-f]{20,}", "_:label", message)
        told = (type(error), message, error.offset, error.line, error.column)
    return found, told


def assert_same(make_source: Callable[[], Any], format: str, **arguments: Any) -> None:
    here = outcome(make_source(), format, **arguments)
    assert outcome(make_source(), format, isolated=True, **arguments) == here


def refuse(source: Any, format: str = "turtle", **arguments: Any) -> jr.DecodeError:
    with pytest.raises(jr.DecodeError) as caught:
        list(jr.read_batches(source, format=format, isolated=True, **arguments))
    return caught.value


class TestSame:
    """A child process produces the same statements and the same errors as this process."""

    @pytest.mark.parametrize("format", PARSED)
    def test_damaged_texts(self, format: str) -> None:
        rng = random.Random(format)
        text = SAMPLES[format]
        for _ in range(3):
            at = rng.randrange(len(text))
            damaged = text[:at] + rng.choice([b"", b"\xff", b"<", b"\0", b'"']) + text[at + 1 :]
            assert_same(lambda damaged=damaged: damaged, format)  # type: ignore[misc]

    @pytest.mark.parametrize(
        "limits",
        [
            {"max_frame_size": 30},
            {"max_string_size": 7},
            {"max_text_size": 40},
            {"max_expansion": 0, "max_text_size": 30},
            {"max_prefixes": 0},
            {"max_nesting_depth": 0},
        ],
        ids=str,
    )
    def test_limits(self, limits: dict[str, int]) -> None:
        text = (
            b'@prefix ex: <urn:e#> . ex:s ex:p "a longer string"@en, 1, [], <<( ex:a ex:b 2 )>> .'
        )
        assert_same(lambda: text, "turtle", limits=jr.Limits(**limits))

    def test_a_batch_with_all_the_text_that_may_be(self) -> None:
        """A batch may have as much text as the limit allows; the child's answer has no more."""
        prefix = "http://example.org/"
        lines = [f"<{prefix}{n:04}> <urn:p> '{n:04}' .\n" for n in range(1000)]
        size = 1000 * (len(prefix) + 4) + len("urn:p") + 4 * 1000
        for less in (0, 1):
            limits = jr.Limits(max_text_size=size - less)
            assert_same(lambda: "".join(lines).encode(), "turtle", limits=limits)

    @pytest.mark.parametrize("make", [io.BytesIO, lambda data: Pieces(data, 100)])
    def test_a_source_that_fails(self, make: Callable[[bytes], Any]) -> None:
        """The statements before the fault are read, and the error is the source's own."""
        data = gzip.compress(b"".join(b'<urn:%d> <urn:p> "x" .\n' % n for n in range(9999)))[:-9]
        assert_same(lambda: make(data), "turtle")
        error = refuse(make(data))
        assert "gzip" in error.message
        assert error.offset is not None

    def test_the_highest_limits(self) -> None:
        most = (1 << 31) - 1
        limits = jr.Limits(
            max_text_size=most, max_parser_seconds=most, max_parser_memory=(1 << 63) - 1
        )
        assert_same(lambda: LINE, "turtle", limits=limits)

    @pytest.mark.parametrize("format", LINES)
    def test_lines_are_read_in_this_process(
        self, format: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        assert_same(lambda: LINE, format)


# These texts crashed pyoxigraph's process when this test was written.
ENDS: dict[str, tuple[str, str]] = {
    "quoted triples": (
        "turtle",
        "<urn:s> <urn:p> " + "<<( <urn:s> <urn:p> " * 200_000 + "<urn:o>" + " )>>" * 200_000 + " .",
    ),
    "a container of graphs": (
        "json-ld",
        '{"@context": {"t": {"@id": "urn:t", "@container": "@graph"}}, "t": {"@list": ["a"]}}',
    ),
}


class TestEnds:
    """If the child crashes, reading raises an error in this process."""

    def test_a_crash_is_told(self) -> None:
        text = ENDS["quoted triples"][1].encode()
        error = refuse(LINE * 1500 + text, "turtle")
        assert "the parser's process was ended by signal" in error.message
        assert error.offset == len(LINE * 1500 + text)

    def test_memory(self) -> None:
        text = b'{"urn:p":[1%s]}' % (b",1" * 1_000_000)
        error = refuse(text, "json-ld", limits=jr.Limits(max_parser_memory=64 << 20))
        assert isinstance(error, jr.LimitError)
        assert "limit max_parser_memory" in error.message

    @pytest.mark.parametrize("most", [0, 1 << 20])
    def test_less_memory_than_python_takes(self, most: int) -> None:
        text = b"<urn:s> <urn:p> '%s' ." % (b"x" * 4_000_000)
        error = refuse(text, limits=jr.Limits(max_parser_memory=most))
        assert isinstance(error, jr.LimitError)

    @pytest.mark.slow
    def test_processor_time_grows_with_the_text(self) -> None:
        """The child may use more processor time for a longer text."""
        limits = jr.Limits(max_parser_seconds=1)
        line = b"<http://example.org/s%d> <http://example.org/p> 'text %d'@en .\n"

        def lines() -> Iterator[bytes]:
            for number in range(0, 3_000_000, 1000):
                yield b"".join(line % (n, n) for n in range(number, number + 1000))

        batches = jr.read_batches(Chunks(lines()), format="turtle", isolated=True, limits=limits)
        assert sum(map(len, batches)) == 3_000_000


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that makes a child run other code, with a limit on its time."""

    def replace(code: str, *, patience: float = 60, time_to_end: float = 60) -> None:
        monkeypatch.setattr(isolated, "_PATIENCE", patience)
        monkeypatch.setattr(isolated, "_TIME_TO_END", time_to_end)
        answer = "import os, signal, struct, sys, time; out = sys.stdout.buffer\n"
        if "out.write" in code:
            # Before it answers, the child reads the settings, which may arrive late.
            answer += "sys.stdin.buffer.raw.read(1 << 16)\n"
        monkeypatch.setattr(isolated, "_START", answer + code)

    return replace


def tagged_frame(tag: str, *, has_option: bool = True) -> bytes:
    """Return a frame with a quoted triple that contains a literal with the language `tag`."""
    literal = Literal("x")
    literal._language = tag
    options = jr.StreamOptions(physical_type="TRIPLES", rdf_star=True)
    quoted = jr.TripleTerm(URIRef("urn:s"), URIRef("urn:s"), literal)
    encoder = jr.StatementEncoder(options)
    encoder._encoder.keep_directions()
    frame = encoder.encode_frame([(quoted, URIRef("urn:s"), BNode())])
    # The option is field 4 of the options.
    return frame if has_option else frame.replace(b"\x20\x01", b"\x20\x00", 1)


BAD_FRAMES = [
    (tagged_frame("ar--x"), "a bad frame: this is not a language tag"),
    # A base direction in a frame does not turn off the other checks.
    (tagged_frame("ar--rtl", has_option=False), "a bad frame: .* rdf_star"),
]


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("os.abort()", jr.DecodeError, r"was ended by signal 6 \(Aborted\)"),
        ("os.kill(os.getpid(), 40)", jr.DecodeError, r"was ended by signal 40"),
        ("sys.exit(3)", jr.DecodeError, r"process ended with status 3 \(byte"),
        ("raise KeyError('x\\x1b[31m' * 99)", jr.DecodeError, r"with status 1: .{200} \(byte"),
        ("sys.exit('a\\nb\\x1b\\udcff')", jr.DecodeError, r"1: b\\u001B\\udcff \(byte"),
        ("sys.stderr.write('memory allocation of 9 bytes failed\\n'); os.abort()",
         jr.LimitError, "limit max_parser_memory"),
        ("raise MemoryError", jr.LimitError, "limit max_parser_memory"),
        ("os._exit(12)", jr.LimitError, "limit max_parser_memory"),
        ("os.kill(os.getpid(), signal.SIGXCPU)", jr.LimitError, "limit max_parser_seconds"),
        # Children of this package never send these messages.
        ("out.write(b'x' * 100)", jr.DecodeError, "unexpected"),
        ("out.write(struct.pack('>cI', b'F', 1 << 31))", jr.DecodeError, "unexpected"),
        ("out.write(struct.pack('>cI', b'F', 3) + b'abc')", jr.DecodeError, "a bad frame: "),
        *((f"out.write(struct.pack('>cI', b'F', {len(frame)}) + {frame!r})", jr.DecodeError, found)
          for frame, found in BAD_FRAMES),
        # The largest frame is 8 MiB plus four times max_text_size.
        ("out.write(struct.pack('>cI', b'F', 56 << 20))", jr.DecodeError, "status 0"),
        ("out.write(struct.pack('>cI', b'F', (56 << 20) + 1))", jr.DecodeError, "unexpected"),
        ("out.write(struct.pack('>cI', b'E', 1 << 16))", jr.DecodeError, "status 0"),
        ("out.write(struct.pack('>cI', b'E', (1 << 16) + 1))", jr.DecodeError, "unexpected"),
        ("out.write(struct.pack('>cI', b'E', 25))", jr.DecodeError, "unexpected"),
        ("out.write(struct.pack('>cI??qqq', b'E', 27, 0, 0, 0, 0, 0) + b'\\n')",
         jr.DecodeError, r"line 0, column 0"),
        ("out.write(struct.pack('>cI??qqq', b'E', 26 + 4, 1, 1, 7, -1, -9) + b'\\na\\x1b\\xff')",
         jr.LimitError, r"a\\u001B� \(byte 7\)"),
        ("out.write(struct.pack('>cI', b'W', 1 << 31))", jr.DecodeError, "(status 0|signal)"),
    ],
)  # fmt: skip
def test_what_a_child_does(
    code: str, kind: type[jr.DecodeError], message: str, child: Callable[..., None]
) -> None:
    child(code)
    check_the_error(kind, message)


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(1000)",
        "while True: out.write(b'F'); out.flush(); time.sleep(.2)",
        "sys.stderr.write('x' * 1_000_000); os.abort()",
        # Nor does this child read the text that it asks for.
        "out.write(struct.pack('>cI', b'W', 1 << 16) * 99); out.flush(); time.sleep(1000)",
    ],
)
def test_a_child_that_hangs(code: str, child: Callable[..., None]) -> None:
    child(code, patience=0.5)
    check_the_error(jr.LimitError, "has not answered for 0.5 seconds")


def test_a_child_that_closes_its_socket_and_does_not_end(child: Callable[..., None]) -> None:
    child("os.close(0); os.close(1); time.sleep(1000)", time_to_end=0.3)
    check_the_error(jr.DecodeError, "ended by signal 9")


def check_the_error(kind: type[jr.DecodeError], message: str) -> None:
    limits = jr.Limits(max_parser_seconds=1)
    with pytest.raises(jr.DecodeError, match=message) as caught:
        list(jr.read_batches(LINE * 100_000, format="turtle", isolated=True, limits=limits))
    assert type(caught.value) is kind
    assert caught.value.offset is not None
    assert len(str(caught.value)) < 2000


def test_no_time(child: Callable[..., None]) -> None:
    child("time.sleep(1000)")
    error = refuse(LINE, limits=jr.Limits(max_parser_seconds=0))
    assert "has not answered for 0 seconds" in error.message


def test_an_error_of_the_parser_though_the_source_failed(child: Callable[..., None]) -> None:
    """The source's error is raised only if the child reports having stopped because of it."""
    ask = "out.write(struct.pack('>cI', b'W', 1 << 16)); out.flush()\n"
    tell = "out.write(struct.pack('>cI??qqq', b'E', 30, 0, 0, -1, 7, 8) + b'\\nown')"
    child(ask + tell)
    error = refuse(io.BytesIO(gzip.compress(LINE)[:-4]))
    assert (error.message, error.offset, error.line, error.column) == ("own", None, 7, 8)


def test_messages_keep_to_their_sizes() -> None:
    """The tests above build messages by hand, so these formats must not change."""
    assert (messages.ANSWER.format, messages.TOLD.format) == (">cI", ">??qqq")


@pytest.mark.slow
def test_a_live_source_may_be_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a live source is slow, the child waits; the wait does not count as hanging."""
    monkeypatch.setattr(isolated, "_PATIENCE", 2)

    class Slow:
        parts = iter([LINE, LINE[:9], LINE[9:]])

        def read(self, size: int) -> bytes:
            time.sleep(2.2)
            return next(self.parts, b"")

    limits = jr.Limits(max_parser_seconds=1)
    batches = jr.read_batches(Slow(), format="turtle", isolated=True, limits=limits)
    assert sum(map(len, batches)) == 2


def count_open() -> int:
    return len(os.listdir("/proc/self/fd"))


def children() -> set[str]:
    """Return the process ids of the child processes, including zombies."""
    lists = Path("/proc/self/task").glob("*/children")
    return {child for each in lists for child in each.read_text().split()}


HAS_PROC = pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc")


@HAS_PROC
class TestEnd:
    """Reading leaves behind no process, thread or open file, however it ends."""

    @pytest.fixture(autouse=True)
    def nothing_is_left(self) -> Iterator[None]:
        gc.collect()
        before = count_open(), threading.active_count(), children()
        yield
        gc.collect()
        assert (count_open(), threading.active_count(), children()) == before

    @pytest.mark.parametrize("call", [jr.read_batches, jr.read_statements])
    def test_every_way_to_end(self, call: Callable[..., Any], tmp_path: Path) -> None:
        path = tmp_path / "x.ttl"
        path.write_bytes(LINE * 5000)
        list(call(path, isolated=True))
        call(path, isolated=True)
        call(path, isolated=True).close()
        reader = call(path, isolated=True)
        next(reader)
        reader.close()
        reader.close()
        reader = call(path, isolated=True)
        next(reader)
        del reader
        path.write_bytes(LINE * 5000 + b"x")
        with pytest.raises(jr.DecodeError):
            list(call(path, isolated=True))
        assert list(call(b"", format="turtle", isolated=True)) == []

    def test_errors_of_the_source(self) -> None:
        for error in (KeyboardInterrupt(), TimeoutError(), BrokenPipeError()):
            source = breaking(error, LINE * 5000)
            with pytest.raises(type(error)):
                list(jr.read_batches(source, format="turtle", isolated=True))
        # The reader is deleted before it reaches the error.
        reader = jr.read_batches(gzip.compress(LINE * 5000)[:-4], format="turtle", isolated=True)
        next(reader)
        del reader


@HAS_PROC
def test_an_interrupt_is_for_the_parent() -> None:
    """Ctrl+C reaches all processes on a terminal, but the child ignores it."""
    before = children()
    text = b"".join(b"<urn:s> <urn:p> %d .\n" % number for number in range(9999))
    batches = jr.read_batches(text, format="turtle", isolated=True)
    count = len(next(batches))
    (child,) = children() - before
    os.kill(int(child), signal.SIGINT)
    assert count + sum(map(len, batches)) == 9999


@HAS_PROC
@pytest.mark.parametrize("size", [0, 9])
def test_the_system_limits_the_child(size: int) -> None:
    """The limit on processor time grows with the text."""
    before = children()
    text = b"".join(b"<urn:s> <urn:p> %d .\n" % number for number in range(9999))
    source = Pieces((b"#" * 1023 + b"\n") * (size << 10) + text, 1 << 16)
    limits = jr.Limits(max_parser_memory=300 << 20, max_parser_seconds=20)
    batches = jr.read_batches(source, format="turtle", isolated=True, limits=limits)
    count = len(next(batches))
    (child,) = children() - before
    proc = Path("/proc", child)
    told = (proc / "limits").read_text()
    seconds = 1 + 20 * (1 + (source.at >> 20) // 8)
    assert re.search(rf"^Max cpu time +{seconds} ", told, re.MULTILINE)
    assert re.search(rf"^Max data size +{300 << 20} ", told, re.MULTILINE)
    assert re.search(r"^Max core file size +0 ", told, re.MULTILINE)
    # The child does not wait for its error output to be read.
    [flags] = re.findall(r"^flags:\s*(\d+)", (proc / "fdinfo/2").read_text(), re.MULTILINE)
    assert int(flags, 8) & os.O_NONBLOCK
    assert count + sum(map(len, batches)) == 9999


def test_the_caller_has_lower_limits_itself() -> None:
    """Lower limits of the caller stay; a signal that the caller ignores still ends the child."""
    out = run(
        """
import resource, signal
from pathlib import Path
import jelly_rdflib as jr
resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, 400 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (25, 25))
_, most = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (most, most))
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
data = b"<urn:s> <urn:p> <urn:o> .\\n" * 5000
batches = jr.read_batches(data, format="turtle", isolated=True)
count = len(next(batches))
for path in Path("/proc/self/task").glob("*/children"):
    for child in path.read_text().split():
        told = Path("/proc", child, "status").read_text()
        ignored = int(told.partition("SigIgn:")[2].split()[0], 16)
        assert not ignored & 1 << signal.SIGXCPU - 1, told
        told = Path("/proc", child, "limits").read_text()
        assert re.search("Max core file size +0 ", told), told
print(count + sum(map(len, batches)))
"""
    )
    assert out == "5000\n"


def test_a_fork_leaves_the_child_alone() -> None:
    out = run(
        """
import os
import jelly_rdflib as jr
data = b"<urn:s> <urn:p> <urn:o> .\\n" * 5000
batches = jr.read_batches(data, format="turtle", isolated=True)
count = len(next(batches))
fork = os.fork()
if fork == 0:
    try:
        next(batches)
    except RuntimeError as error:
        assert "forked" in str(error)
        del batches
        os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 7
print(count + sum(map(len, batches)))
"""
    )
    assert out == "5000\n"


@HAS_PROC
def test_the_child_ends_with_its_parent() -> None:
    child = int(
        run(
            """
import os
import jelly_rdflib as jr
data = b"<urn:s> <urn:p> <urn:o> .\\n" * 50000
batches = jr.read_batches(data, format="turtle", isolated=True)
next(batches)
with open(f"/proc/self/task/{os.getpid()}/children") as file:
    print(file.read(), flush=True)
# Nothing is cleaned up.
os._exit(0)
"""
        )
    )
    deadline = time.monotonic() + 60
    while os.path.exists(f"/proc/{child}/fd") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert time.monotonic() < deadline


def test_nothing_is_imported_from_the_current_directory(tmp_path: Path) -> None:
    for name in ("json", "struct", "jelly_rdflib", "pyoxigraph"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w').close()")
    code = (
        "import os, sys\n"
        "import jelly_rdflib as jr\n"
        "import json, struct, pyoxigraph\n"
        "os.chdir(sys.argv[1])\n"
        "sys.path.insert(0, '')\n"
        "print(len(list(jr.read_batches(sys.argv[2].encode(), format='turtle', isolated=True))))\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path), LINE.decode()]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert not (tmp_path / "imported").exists()


class TestUnsupported:
    """If processes can't be limited or started, the reader raises an error immediately."""

    def test_no_limits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(isolated.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(NotImplementedError, match="limits for processes"):
            jr.read_statements(LINE, format="turtle", isolated=True)

    @pytest.mark.parametrize(("name", "value"), [("executable", None), ("frozen", True)])
    def test_no_interpreter(self, name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, name, value, raising=False)
        with pytest.raises(NotImplementedError, match="interpreter"):
            jr.read_batches(LINE, format="turtle", isolated=True)


def test_other_uses() -> None:
    """Every function that reads text can parse it in a child."""
    from jelly_rdflib.arrow import read_arrow

    text = ENDS["a container of graphs"][1].encode()
    assert jr.inspect(LINE, format="turtle", isolated=True).statements == 1
    report = jr.inspect(text, format="json-ld", isolated=True)
    assert "process was ended" in str(report.error)
    assert list(jr.validate(LINE, format="turtle", isolated=True)) == []
    [fault] = jr.validate(text, format="json-ld", isolated=True)
    assert "process was ended" in fault.message
    [rows] = read_arrow(LINE, format="turtle", columns=["s", "o"], isolated=True)
    assert rows.to_pylist() == [{"s": "<urn:s>", "o": "<urn:o>"}]
    with pytest.raises(jr.DecodeError, match="process was ended"):
        list(read_arrow(text, format="json-ld", isolated=True))
