"""Batches of an indexed file that several threads decode: they are those of one thread."""

from __future__ import annotations

import gc
import gzip
import io
import itertools
import os
import random
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import XSD

import jelly_rdflib as jr
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.streams import parallel
from jelly_rdflib.streams.index import find_parts, index_path, write_index
from tests import strategies
from tests.conformance.test_conformance import FROM_JELLY
from tests.core.jelly.formats import PATCH_QUADS, RDF_QUADS, Format, formats
from tests.core.jelly.streams import PATCH_REALISTIC, REALISTIC, SMALL, damage
from tests.oracle import build as b
from tests.oracle import rdf_build
from tests.sanitized import UNDER_SANITIZERS
from tests.support import run

S, P = URIRef("urn:s"), URIRef("urn:p")
NUMBERS = itertools.count()
LIMITS = [
    *("max_frame_size", "max_frame_rows", "max_frame_terms", "max_string_size", "max_text_size"),
    *("max_expansion", "max_name_table_size", "max_prefix_table_size", "max_nesting_depth"),
]


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST_PART", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parallel")


def save(folder: Path, data: bytes, *, spacing: int = 1, **settings: Any) -> Path:
    """Save a file of Jelly with an index; return its path."""
    path = folder / str(next(NUMBERS))
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            options = next(batches := jr.read_batches(path, strict=False), None) and batches.options
        except jr.DecodeError:
            options = None
    is_statements = isinstance(options, jr.StreamOptions)
    parts = find_parts(path, is_statements=is_statements, spacing=spacing, **settings)
    write_index(path, parts, is_statements=is_statements)
    return path


def columns(batch: Batch) -> tuple[Any, ...]:
    terms = batch.terms
    return (
        *(column.tolist() for column in (batch.ops, batch.s, batch.p, batch.o, batch.g)),
        *(column.tolist() for column in (terms.kinds, terms.offsets, terms.extras)),
        terms.data.tobytes(),
        batch.metadata,
        list(terms),
        # Whether statements have a graph.
        [len(statement) for statement in batch.statements()],
    )


def outcome(path: Path, threads: int, **settings: Any) -> list[Any]:
    """Return all that a user sees: batches, options and places after each, warnings, the error."""
    seen: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        batches = jr.read_batches(path, threads=threads, **settings)
        try:
            for batch in batches:
                place = ApplyError("")
                batches.place_error(place)
                seen.append((columns(batch), batches.options, place.offset, place.frame))
        except jr.DecodeError as error:
            seen.append((type(error), str(error), error.offset, error.frame, error.row))
        assert next(batches, None) is None
    told = [str(each.message) for each in caught if "one thread reads" not in str(each.message)]
    return [*seen, told]


def assert_same(path: Path, **settings: Any) -> list[Any]:
    expected = outcome(path, 1, **settings)
    for threads in (2, 3):
        assert outcome(path, threads, **settings) == expected
    return expected


class TestSame:
    @formats
    @given(data=st.data(), rng=strategies.dice)
    def test_streams(
        self, folder: Path, f: Format, data: st.DataObject, rng: random.Random
    ) -> None:
        frames = f.spoken(data.draw(f.streams()), rng)
        stream = b.delimited(frame.SerializeToString() for frame in frames)
        assert_same(save(folder, stream, spacing=rng.choice([1, 1, 100])))

    @pytest.mark.parametrize("data", [*SMALL.values(), *REALISTIC.values()])
    @settings(max_examples=20)
    @given(rng=strategies.dice)
    def test_damaged_streams(self, folder: Path, data: bytes, rng: random.Random) -> None:
        damaged = bytearray(data)
        damage(damaged, rng)
        assert_same(save(folder, bytes(damaged)))

    def test_conformance_cases(self, folder: Path) -> None:
        for case in FROM_JELLY:
            assert_same(save(folder, case.action[0].read_bytes()))

    @given(
        st.sampled_from(LIMITS),
        st.integers(0, 60),
        st.sampled_from([PATCH_REALISTIC, *REALISTIC.values()]),
    )
    def test_limits(self, folder: Path, name: str, most: int, data: bytes) -> None:
        limits = jr.Limits(**{name: most})
        assert_same(save(folder, data), limits=limits)
        assert_same(save(folder, data, limits=limits), limits=limits)

    @pytest.mark.parametrize("meaning", ["continue", "restart", "error"])
    @pytest.mark.parametrize("is_statements", [False, True])
    def test_files_put_together(self, folder: Path, meaning: str, is_statements: bool) -> None:
        sink = io.BytesIO()
        f = RDF_QUADS if is_statements else PATCH_QUADS
        with f.writer(sink, frame_rows=3) as writer:
            for n in range(30):
                writer.add(S, P, URIRef(f"urn:{n % 7}"))
        seen = assert_same(save(folder, sink.getvalue() * 3), on_repeated_options=meaning)
        if meaning != "continue":
            assert (seen[-2][0] is jr.DecodeError) == (meaning == "error")

    def test_a_stream_that_starts_anew_with_other_options(self, folder: Path) -> None:
        """The index goes on past them if they are the same; the parts behind are other ones."""
        streams = [
            b.stream(
                [b.options(stream_type=b.FLAT), b.name(f"urn:{n}"), b.add("s", b.iri(0, 1), "o")],
                [b.add(o=b.iri(0, 1))],
                [b.name("urn:next"), b.add(o=b.iri(0, 2))],
            )
            for n in range(2)
        ]
        path = save(folder, b"".join(streams))
        with pytest.warns(UserWarning, match=r"^from byte \d+ on, one thread reads .* anew"):
            list(jr.read_batches(path, threads=2, on_repeated_options="restart"))
        assert_same(path, on_repeated_options="restart")

    def test_a_type_that_does_not_fit(self, folder: Path) -> None:
        options = rdf_build.options(physical_type=rdf_build.TRIPLES, logical_type=2)
        data = rdf_build.stream([options], *[[rdf_build.spo("s", "p", f"{n}")] for n in range(5)])
        path = save(folder, data)
        (refused, _) = assert_same(path)
        assert refused[0] is jr.DecodeError
        seen = assert_same(path, strict=False)
        assert len(seen[-1]) == 1
        with pytest.warns(UserWarning, match="logical type") as caught:
            next(jr.read_batches(path, threads=2, strict=False))
        assert caught[0].filename == __file__

    def test_normal_forms(self, folder: Path) -> None:
        with jr.PatchWriter(source := folder / "numbers", jr.PatchOptions(frame_rows=1)) as writer:
            for n in range(20):
                writer.add(S, P, Literal(f"0{n}", datatype=XSD.integer, normalize=False))
        path = save(folder, source.read_bytes())
        plain, normal = assert_same(path), assert_same(path, normalize=True)
        assert plain != normal


ROWS = 20_001


def long_file(folder: Path) -> Path:
    path = folder / f"long-{next(NUMBERS)}"
    with jr.PatchWriter(path, jr.PatchOptions(frame_rows=50)) as writer:
        for n in range(ROWS - 1):
            writer.add(URIRef(f"urn:{n % 70}"), P, Literal(f"{n}" * 5))
    return save(folder, path.read_bytes(), spacing=3000)


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "jelly-rdflib"]


def await_end() -> None:
    """Wait until no thread is left; they may end soon after."""
    end = time.monotonic() + 60
    while helpers():
        assert time.monotonic() < end, "a thread is left"
        time.sleep(0.001)


class TestThreads:
    @pytest.fixture
    def file(self, folder: Path) -> Iterator[Path]:
        await_end()
        yield long_file(folder)
        await_end()

    @pytest.mark.parametrize("threads", [2, 3, 5, 1000])
    def test_they_start_with_the_first_batch_and_end_with_the_last(
        self, file: Path, threads: int
    ) -> None:
        batches = jr.read_batches(file, threads=threads)
        assert helpers() == []
        first = next(batches)
        parts = len(find_parts(file, spacing=3000))
        assert len(helpers()) <= min(threads, parts) - 1
        assert len(first) + sum(map(len, batches)) == ROWS
        await_end()

    def test_a_helper_decodes(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        names: list[str] = []
        decode = parallel._Parts._decode

        def note(parts: Any, number: int) -> None:
            names.append(threading.current_thread().name)
            decode(parts, number)

        monkeypatch.setattr(parallel._Parts, "_decode", note)
        batches = jr.read_batches(file, threads=2)
        first = next(batches)
        while "jelly-rdflib" not in names:
            time.sleep(0.001)
        assert len(first) + sum(map(len, batches)) == ROWS

    def test_they_stop_at_their_bound(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        begun: list[int] = []
        decode = parallel._Parts._decode

        def note(parts: Any, number: int) -> None:
            begun.append(number)
            decode(parts, number)

        monkeypatch.setattr(parallel._Parts, "_decode", note)
        batches = jr.read_batches(file, threads=3)
        next(batches)
        while len(begun) < 5:
            time.sleep(0.001)
        time.sleep(0.05)
        assert sorted(begun) == [1, 2, 3, 4, 5]
        # Parts that are left to the caller come last.
        assert begun[-1] == 3
        batches.close()

    def test_close(self, file: Path) -> None:
        batches = jr.read_batches(file, threads=3)
        next(batches)
        batches.close()
        await_end()
        assert next(batches, None) is None

    def test_an_iterator_that_is_dropped(self, file: Path) -> None:
        batches = jr.read_batches(file, threads=3)
        next(batches)
        del batches
        gc.collect()
        await_end()

    def test_an_error_of_the_system(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The batches before it come first."""
        starts = [part.start for part in find_parts(file, spacing=3000)]
        open_part = parallel.part_source

        def fail(path: Any, part: Any, **more: Any) -> Any:
            if part.start == starts[4]:
                raise OSError("no such disk")
            return open_part(path, part, **more)

        monkeypatch.setattr(parallel, "part_source", fail)
        batches: list[Batch] = []
        with pytest.raises(OSError, match="no such disk"):
            batches.extend(jr.read_batches(file, threads=2))
        # With an END.
        (*before, _) = jr.read_batches(file.read_bytes()[: starts[4]])
        assert [columns(batch) for batch in batches] == [columns(batch) for batch in before]
        await_end()

    @pytest.mark.skipif(UNDER_SANITIZERS, reason="no leak is told from what a thread works with")
    def test_python_ends_in_the_middle(self, file: Path) -> None:
        run(
            """
import sys, jelly_rdflib as jr
from jelly_rdflib.streams import parallel
parallel.LEAST_PART = 1
batches = jr.read_batches(sys.argv[1], threads=3)
next(batches)
""",
            str(file),
        )

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
    def test_a_fork_in_the_middle(self, file: Path) -> None:
        """The child has no threads that would decode for it, and must not wait for them."""
        out = run(
            """
import os, sys, jelly_rdflib as jr
from jelly_rdflib.streams import parallel
parallel.LEAST_PART = 1
batches = jr.read_batches(sys.argv[1], threads=2)
count = len(next(batches))
child = os.fork()
if child == 0:
    try:
        list(batches)
    except RuntimeError as error:
        os._exit(7 if "forked" in str(error) else 1)
    os._exit(1)
print(count + sum(map(len, batches)), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
            str(file),
        )
        assert out == f"{ROWS} 7\n"

    def test_an_interrupt(self, file: Path) -> None:
        """It ends a caller that waits for a helper."""
        out = run(
            """
import signal, sys, threading, time, jelly_rdflib as jr
from jelly_rdflib.streams import parallel
parallel.LEAST_PART = 1
release = threading.Event()
decode = parallel._Parts._decode
def slow(parts, number):
    if threading.current_thread() is not threading.main_thread():
        release.wait()
    decode(parts, number)
parallel._Parts._decode = slow
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    for batch in jr.read_batches(sys.argv[1], threads=2):
        pass
except KeyboardInterrupt:
    print("interrupted")
release.set()
""",
            str(file),
        )
        assert out == "interrupted\n"


class TestRefused:
    def test_a_file_without_an_index(self, tmp_path: Path) -> None:
        (tmp_path / "x.jellyp").write_bytes(PATCH_REALISTIC)
        with pytest.raises(FileNotFoundError, match=r"made by: jellyp index .*x\.jellyp") as caught:
            jr.read_batches(tmp_path / "x.jellyp", threads=2)
        assert caught.value.filename == index_path(tmp_path / "x.jellyp")

    def test_an_index_of_another_time(self, folder: Path) -> None:
        path = save(folder, PATCH_REALISTIC)
        path.write_bytes(PATCH_REALISTIC * 2)
        with pytest.raises(jr.DecodeError, match="make it anew with: jellyp index"):
            jr.read_batches(path, threads=2)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError) as caught:
            jr.read_batches(tmp_path / "x", threads=2)
        assert caught.value.filename == str(tmp_path / "x")

    @pytest.mark.parametrize(
        ("source", "threads", "match"),
        [
            (b"", 0, "at least one"),
            (b"", -1, "at least one"),
            (PATCH_REALISTIC, 2, "one thread reads bytes"),
            (Graph(), 2, r"a graph is given, .* no threads"),
            *((name, 2, "it has no index") for name in ("x.rdfp", "x.rdfpb", "x.nt", "x.ttl")),
        ],
    )
    def test_what_one_thread_reads(
        self, tmp_path: Path, source: Any, threads: int, match: str
    ) -> None:
        if isinstance(source, str):
            source = tmp_path / source
            source.touch()
        with pytest.raises(ValueError, match=match):
            jr.read_batches(source, threads=threads)

    def test_a_compressed_file(self, folder: Path) -> None:
        path = save(folder, gzip.compress(PATCH_REALISTIC))
        with pytest.raises(ValueError, match=r"is compressed.* unpack it"):
            jr.read_batches(path, threads=2)

    @pytest.mark.parametrize("setting", [{"base": "urn:x"}, {"on_repeated_options": "no"}])
    def test_settings_that_one_thread_refuses(self, folder: Path, setting: Any) -> None:
        with pytest.raises(ValueError, match=r"a base is given|on_repeated_options is one of"):
            jr.read_batches(save(folder, PATCH_REALISTIC), threads=2, **setting)


def test_file_that_is_replaced_meanwhile_is_not_mixed_with_the_other(folder: Path) -> None:
    one, other = save(folder, PATCH_REALISTIC), save(folder, PATCH_REALISTIC)
    batches = jr.read_batches(one, threads=2)
    next(batches)
    other.replace(one)
    with pytest.raises(jr.DecodeError, match="was replaced or changed"):
        for _ in batches:
            pass


def test_relative_path_is_one_of_the_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = save(folder, PATCH_REALISTIC)
    expected = len(list(jr.read_batches(path)))
    monkeypatch.chdir(folder)
    batches = jr.read_batches(path.name, threads=2)
    monkeypatch.chdir(tmp_path)
    assert len(list(batches)) == expected


def test_short_parts_are_joined(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one part is read by one thread."""
    monkeypatch.undo()
    path = save(folder, PATCH_REALISTIC)
    batches = jr.read_batches(path, threads=2)
    next(batches)
    assert not isinstance(batches, parallel.PlacedBatches)


def test_a_state_that_does_not_fit_the_part_before_is_not_used(folder: Path) -> None:
    """Whoever wrote the index does not choose the terms."""
    path = save(folder, PATCH_REALISTIC)
    parts = find_parts(path, spacing=1)
    write_index(path, [*parts[:3], replace(parts[3], state=parts[2].state), *parts[4:]])
    with pytest.warns(UserWarning, match=f"from byte {parts[3].start} on, one thread reads"):
        list(jr.read_batches(path, threads=2))
    assert_same(path)
