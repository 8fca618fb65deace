"""Tests threads that share an object: they take turns or get an error, and nothing is lost.

With the GIL most of these tests can't fail. `make test-nogil` runs them without it.
"""

import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.plugins.sparql import prepareQuery

import jelly_rdflib as jr
from jelly_rdflib import Op

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
THREADS = 4
ROWS = 3_000
Result = TypeVar("Result")


def together(*works: Callable[[], Result]) -> list[Result]:
    """Run each function in its own thread, all at the same time, and return their results."""
    ready = threading.Barrier(len(works))
    results: list[Result] = []
    errors: list[BaseException] = []

    def run(work: Callable[[], Result]) -> None:
        ready.wait(60)
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not errors, errors
    assert len(results) == len(works), "a thread did not end"
    return results


def drain(items: Iterator[Any]) -> list[Any]:
    """Return items of an iterator that other threads also use; it may refuse a thread."""
    found = []
    while True:
        try:
            found.append(next(items))
        except StopIteration:  # noqa: PERF203
            return found
        except (ValueError, RuntimeError) as error:
            if "another thread" not in str(error) and "already" not in str(error):
                raise


def insist(work: Callable[[], Result]) -> Result:
    """Repeat a call until it is not refused because of another thread."""
    while True:
        try:
            return work()
        except RuntimeError as error:  # noqa: PERF203
            if "another" not in str(error):
                raise


def patch_of(rows: int, format: Any = "jelly-patch") -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:
        for n in range(rows):
            writer.add(URIRef(f"urn:s{n % 50}"), P, Literal(n), G)
    return file.getvalue()


def numbers(operations: Any) -> list[int]:
    """Return the objects of all statements, in order."""
    return sorted(int(each[3]) for each in operations if each[0] == Op.A)


@pytest.mark.parametrize("format", ["jelly-patch", "rdf-patch", "rdf-patch-thrift"])
def test_one_iterator_over_operations(format: Any) -> None:
    data = patch_of(ROWS, format)
    for _ in range(6):
        reader = jr.read_operations(io.BytesIO(data), format=format)
        found = together(*[lambda reader=reader: drain(reader)] * THREADS)
        assert numbers(operation for part in found for operation in part) == list(range(ROWS))


def test_one_iterator_over_statements() -> None:
    file = io.BytesIO()
    with jr.StatementWriter(file) as writer:
        for n in range(ROWS):
            writer.add(S, P, Literal(n), G)
    for _ in range(6):
        reader = jr.read_statements(file.getvalue())
        found = together(*[lambda reader=reader: drain(reader)] * THREADS)
        assert sorted(int(o) for part in found for _, _, o, _ in part) == list(range(ROWS))


def test_one_iterator_over_a_patch() -> None:
    patch = next(iter(jr.read_patches(patch_of(ROWS))))
    for _ in range(6):
        operations = iter(patch)
        found = together(*[lambda operations=operations: drain(operations)] * THREADS)
        assert numbers(operation for part in found for operation in part) == list(range(ROWS))


def test_an_iterator_that_is_closed_meanwhile() -> None:
    data = patch_of(ROWS)
    for turn in range(20):
        reader = jr.read_operations(io.BytesIO(data))
        for _ in range(turn * 20):
            next(reader)

        def close(reader: Any = reader) -> list[Any]:
            while True:
                try:
                    reader.close()
                    return []
                except ValueError:  # noqa: PERF203
                    continue

        found = together(close, *[lambda reader=reader: drain(reader)] * 2)
        seen = numbers(operation for part in found for operation in part)
        assert len(seen) == len(set(seen))


def test_one_reader_that_several_threads_apply() -> None:
    data = patch_of(ROWS)
    for store in ("default", "Jelly"):
        graphs = [Dataset(store) for _ in range(THREADS)]
        reader = jr.read_operations(io.BytesIO(data))

        def apply(graph: Dataset, reader: Any = reader) -> None:
            while True:
                try:
                    jr.apply(reader, graph, atomic=False)
                    return
                except ValueError as error:  # noqa: PERF203
                    if "already" not in str(error):
                        raise

        together(*[lambda graph=graph: apply(graph) for graph in graphs])
        found = sorted(int(o) for graph in graphs for _, _, o, _ in graph.quads())
        assert found == list(range(ROWS)), store


def test_one_table_of_terms() -> None:
    for _ in range(10):
        batch = next(jr.read_batches(patch_of(300)))
        size = len(batch.terms)

        def look(batch: Any = batch, size: int = size) -> list[Any]:
            return [batch.terms[n] for n in range(size)]

        found = together(*[look] * THREADS)
        assert all(each == found[0] for each in found)


def test_batches_of_one_reader() -> None:
    """Batches of one reader share a cache of nodes."""
    data = patch_of(ROWS)
    for _ in range(4):
        batches = list(jr.read_batches(data))
        together(*[lambda batches=batches: [list(each) for each in batches]] * THREADS)
        assert numbers(each for batch in batches for each in batch) == list(range(ROWS))


def test_one_encoder() -> None:
    encoder = jr.PatchEncoder()
    frames = [encoder.encode_frame([])]

    def encode(thread: int) -> list[bytes]:
        # These frames have no lookup entries, so they may be decoded in any order.
        return [
            insist(lambda n=n: encoder.encode_frame([(Op.H, f"{thread}-{n}", Literal("x"))] * 50))
            for n in range(100)
        ]

    for part in together(*[lambda thread=thread: encode(thread) for thread in range(THREADS)]):
        frames += part
    decoder = jr.PatchDecoder()
    found = [
        {each[1:] for each in decoder.decode_frame(frame) if each[0] == Op.H} for frame in frames
    ]
    assert found.pop(0) == set()
    assert sorted(key for each in found for key, _ in each) == sorted(
        f"{thread}-{n}" for thread in range(THREADS) for n in range(100)
    )


@pytest.mark.parametrize("format", ["jelly-patch", "rdf-patch", "rdf-patch-thrift"])
def test_one_writer(format: Any) -> None:
    file = io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:

        def write(thread: int) -> None:
            for n in range(0, ROWS, THREADS):
                if n % 100 == 0:
                    row = (Op.A, S, P, Literal(n + thread), G)
                    insist(lambda row=row: writer.write_all([row]))
                else:
                    s = URIRef(f"urn:s{n % 50}")
                    insist(lambda s=s, n=n: writer.add(s, P, Literal(n + thread), G))

        together(*[lambda thread=thread: write(thread) for thread in range(THREADS)])
    assert numbers(jr.read_operations(file.getvalue(), format=format)) == list(range(ROWS))


# --- the store -----------------------------------------------------------------------------------


def test_readers_of_a_store_beside_a_writer() -> None:
    """A reader sees the store as it was when the reader started, without later or undone quads."""
    dataset = Dataset("Jelly")
    graph = dataset.graph(G)
    is_over = threading.Event()
    # rdflib's parser allows one thread at a time.
    query = prepareQuery("SELECT ?o { ?s <urn:p> ?o . ?s <urn:p> 0 }")

    def write() -> None:
        try:
            for n in range(ROWS):
                graph.add((S, P, Literal(n)))
            dataset.commit()
            for _ in range(20):
                graph.remove((S, P, None))
                dataset.rollback()
        finally:
            is_over.set()

    def read() -> None:
        while not is_over.is_set():
            seen = sorted(int(o) for o in graph.objects(S, P))
            assert seen == list(range(len(seen)))
            assert len(graph) in range(ROWS + 1)
            assert [
                str(each.identifier) for each in dataset.store.contexts((S, P, Literal(0)))
            ] in (
                [],
                [str(G)],
            )
            found = graph.query(query)
            values = sorted(int(row[0]) for row in found)
            assert values == list(range(len(values)))

    together(write, read, read, read)
    assert sorted(int(o) for o in graph.objects(S, P)) == list(range(ROWS))


def test_writers_of_a_store() -> None:
    dataset = Dataset("Jelly")

    def write(thread: int) -> None:
        graph = dataset.graph(URIRef(f"urn:g{thread % 2}"))
        for n in range(1_000):
            graph.add((URIRef(f"urn:s{n % 20}"), P, Literal(f"{thread}-{n}", lang="en")))
            if n % 3 == 0:
                graph.remove((None, None, Literal(f"{thread}-{n}", lang="en")))
            if n % 50 == 0:
                dataset.commit()

    together(*[lambda thread=thread: write(thread) for thread in range(THREADS)])
    assert {str(o) for _, _, o, _ in dataset.quads()} == {
        f"{thread}-{n}" for thread in range(THREADS) for n in range(1_000) if n % 3
    }


def test_a_store_that_is_changed_by_patches_and_by_hand() -> None:
    dataset = Dataset("Jelly")
    data = patch_of(ROWS)

    def apply() -> None:
        for _ in range(5):
            jr.apply(data, dataset)

    def write() -> None:
        for n in range(ROWS):
            dataset.add((URIRef("urn:other"), P, Literal(n)))

    def read() -> None:
        for _ in range(20):
            for _, _, o, _ in dataset.quads():
                assert 0 <= int(o) < ROWS

    together(apply, write, read, read)
    assert len(list(dataset.quads((None, None, None, G)))) == ROWS
    assert len(list(dataset.triples((URIRef("urn:other"), None, None)))) == ROWS


def test_one_iterator_over_a_store() -> None:
    graph = Graph("Jelly")
    for n in range(ROWS):
        graph.add((S, P, Literal(n)))
    for _ in range(6):
        triples = graph.store.triples((None, None, None), graph)
        found = together(*[lambda triples=triples: drain(triples)] * THREADS)
        assert sorted(int(o) for part in found for (_, _, o), _ in part) == list(range(ROWS))


# --- recordings and logs -------------------------------------------------------------------------


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_one_recording(store: str) -> None:
    graph = Graph(store)
    with jr.record(graph) as recorder:
        works = [
            lambda thread=thread: [
                graph.add((S, P, Literal(n))) for n in range(thread, 1_000, THREADS)
            ]
            for thread in range(THREADS)
        ]
        together(*works)
    assert numbers(recorder.patch) == list(range(1_000))


def test_one_log(tmp_path: Path) -> None:
    """Each thread has its own object for the log, as the documentation requires."""
    path = tmp_path / "log"
    jr.PatchLog(path, create=True)

    def append(thread: int) -> None:
        log = jr.PatchLog(path)
        for n in range(10):
            while True:
                try:
                    log.append(jr.Patch([(Op.A, S, P, Literal(f"{thread}-{n}"), None)]))
                    break
                except jr.LogConflict:
                    log.refresh()

    def read() -> None:
        log = jr.PatchLog(path)
        while log.version < 10 * (THREADS - 1):
            log.refresh()
            assert len(log.checkout(log.version)) == log.version

    together(*[lambda thread=thread: append(thread) for thread in range(THREADS - 1)], read)


# --- one object per thread -----------------------------------------------------------------------


def test_a_reader_for_each_thread(tmp_path: Path) -> None:
    works = []
    for thread in range(THREADS):
        path = tmp_path / f"{thread}.jellyp"
        path.write_bytes(patch_of(1_000 * (thread + 1)))
        works.append(lambda path=path: [numbers(jr.read_operations(path)) for _ in range(3)])
    found = together(*works)
    assert sorted(len(each) for parts in found for each in parts) == sorted(
        1_000 * (thread + 1) for thread in range(THREADS) for _ in range(3)
    )
