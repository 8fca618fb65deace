"""Tests that invalid changes raise the same errors as in `apply`, and that no file stays open."""

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.term import Node, Variable

import jelly_rdflib as jr
from jelly_rdflib import ApplyError, DecodeError, EncodeError, Limits, Op, Patch
from jelly_rdflib.core.batch import BatchSlice
from tests.algebra.strategies import streams, write, write_text

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
A = (Op.A, S, P, O, None)

Use = Callable[..., Iterator[Any]]


def effective(source: Any, **reading: Any) -> Iterator[Any]:
    return jr.effective(source, Dataset(), **reading)


USES = [jr.invert, jr.compact, jr.concat, effective]
each_use = pytest.mark.parametrize("use", USES)


@each_use
@pytest.mark.parametrize("source", [None, 5, object(), Op.A])
def test_no_source(use: Use, source: Any) -> None:
    with pytest.raises(TypeError, match="has no operations"):
        use(source)


@each_use
def test_a_file_that_is_not_there(use: Use, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such"):
        list(use(tmp_path / "no-such.jellyp"))


@each_use
@pytest.mark.parametrize(
    "reading", [{"limits": Limits()}, {"normalize": False}, {"format": "rdf-patch"}]
)
def test_options_for_reading_operations(use: Use, reading: Any) -> None:
    with pytest.raises(ValueError, match="limits, normalize and format are for bytes"):
        use([A], **reading)
    assert list(use(write_text([A]), format="rdf-patch"))
    with pytest.raises(LookupError):
        list(use(write([A]), format="no-such"))


class NoTerm(str):
    """A subclass of str that is not a term."""


@each_use
@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (5, "not an operation"),
        (Op.TX, "put a single operation into a list"),
        ((), "not an operation"),
        ([Op.A, S, P, O, None], "not an operation"),
        ((Op.A, S, P, O), "tuple of 5, not of 4"),
        ((Op.A, "urn:s", P, O, None), "terms of rdflib"),
        ((Op.A, S, P, NoTerm("o"), None), "terms of rdflib"),
        ((Op.D, S, P, O, "urn:g"), "terms of rdflib"),
        ((Op.A, S, P, None, None), "terms of rdflib"),
        ((Op.A, S, P, O, Graph(identifier=S)), "give its identifier"),
        ((Op.PA, S, S, None), "a prefix is a str"),
        ((Op.PD, "ex", 5, None), "stands for an IRI"),
        ((Op.H, 5, O), "key is a str"),
        ((Op.H, "id", "urn:1"), "value is a term"),
        (Patch([A]), "one by one"),
    ],
)
def test_no_operation(use: Use, operation: Any, message: str) -> None:
    for source in ([A, operation], iter([A, operation])):
        with pytest.raises(ApplyError, match=message):
            list(use(source))


@each_use
@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ("TX TX", "starts inside"),
        ("TC", "ends, but none"),
        ("TX TC TA", "ends, but none"),
        ("TX", "the input ends inside"),
        ("TX END", "patch ends inside"),
        ("TX TC TX", "the input ends inside"),
    ],
)
def test_transactions_out_of_place(use: Use, codes: str, message: str) -> None:
    operations = [operation for code in codes.split() for operation in (A, (Op[code],))]
    with pytest.raises(ApplyError, match=message):
        list(use(operations))


@pytest.mark.parametrize("codes", ["TX TX", "TC", "TA", "TX"])
def test_transactions_out_of_place_in_a_batch(codes: str) -> None:
    # Readers refuse such streams, but a program can build parts of a stream itself.
    stream = write([A, (Op.TX,), A, (Op.TC,), (Op.TX,), A, (Op.TA,)], frame_rows=99)
    batch = next(jr.read_batches(stream))
    wanted = [Op[code] for code in codes.split()]
    ops = list(batch.ops)
    starts = [start for start in range(len(ops)) if ops[start] == wanted[0]]
    assert starts
    patch = Patch.of_slices(
        [BatchSlice(batch, start, start + 1) for start in starts[:1] * len(wanted)]
    )
    with pytest.raises(ApplyError, match="transaction"):
        patch.compact()


@each_use
def test_plain_numbers_as_codes(use: Use) -> None:
    prefix = (Op.PA, "ex", S, None)
    patch = [(Op.H, "id", S), (Op.TX,), A, prefix, (Op.TC,), (Op.TX,), A, (Op.TA,), (Op.END,)]
    found = list(use([(int(code), *terms) for code, *terms in patch]))
    assert found == list(use(patch))
    # Callers may compare codes with `is`, as the algebra does.
    assert {type(operation[0]) for operation in found} == {Op}


@each_use
@given(stream=streams(), data=st.data())
def test_damaged_files(use: Use, stream: Any, data: Any) -> None:
    damaged = bytearray(write(stream))
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    source = bytes(damaged[: data.draw(st.integers(1, len(damaged)))])
    expected = outcome(lambda: jr.read_operations(source, format="jelly-patch"))
    got = outcome(lambda: use(source, format="jelly-patch"))
    if isinstance(expected, list):
        # The error is the same for every form of the input.
        assert got == outcome(lambda: use(expected))
    elif not isinstance(got, str) or not got.startswith(("ApplyError", "PatchError")):
        # An earlier fault is reported first.
        assert got == expected


def outcome(work: Callable[[], Iterator[Any]]) -> Any:
    try:
        return list(work())
    except jr.JellyError as error:
        return f"{type(error).__name__}: {error}"


@each_use
def test_what_the_source_raises_comes_through(use: Use) -> None:
    def operations() -> Iterator[Any]:
        yield A
        raise KeyError("mine")

    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            raise OSError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(use(operations()))
    with pytest.raises(OSError, match="mine"):
        list(use(Broken()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of open files")
@each_use
def test_files_are_closed(use: Use, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jellyp", tmp_path / "bad.jellyp"
    good.write_bytes(write([A] * 5))
    bad.write_bytes(write([A] * 5)[:-3])
    before = os.listdir("/proc/self/fd")
    list(use(good))
    with pytest.raises(DecodeError):
        list(use(bad))
    unused = use(good)
    started = use(good)
    next(started)
    del unused, started
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of open files")
@pytest.mark.parametrize(
    ("use", "operations", "reading"),
    [
        (jr.invert, [(Op.PD, "ex", None, None)], {}),
        (jr.compact, [A], {"limits": Limits(max_held_operations=0)}),
        (jr.concat, [(Op.H, "id", S)] * 999, {"limits": Limits(max_text_size=9999)}),
        (effective, [(Op.A, O, P, O, None)], {}),
    ],
)
def test_files_are_closed_while_there_is_an_error(
    use: Use, operations: Any, reading: Any, tmp_path: Path
) -> None:
    """Files are closed although the traceback of the error refers to their reader."""
    path = tmp_path / "x.jellyp"
    path.write_bytes(write([*operations, *[A] * 5], generalized_statements=True))
    before = os.listdir("/proc/self/fd")
    with pytest.raises(jr.JellyError) as caught:
        list(use(path, **reading))
    assert os.listdir("/proc/self/fd") == before
    assert caught.value.__traceback__ is not None


@each_use
def test_terms_of_an_unknown_class(use: Use) -> None:
    class Other(Node):
        def n3(self, namespace_manager: Any = None) -> str:
            raise ZeroDivisionError

    for term in (Other(), Variable("v")):
        with pytest.raises(EncodeError, match="is not an RDF term"):
            list(use([A, (Op.A, term, P, O, None)]))


@each_use
@pytest.mark.parametrize(
    "statements",
    [
        lambda: jr.read_statements(b"<urn:s> <urn:p> <urn:o> <urn:g> .\n", format="n-quads"),
        lambda: next(
            jr.read_batches(b"<urn:s> <urn:p> <urn:o> .\n", format="n-quads")
        ).statements(),
    ],
)
def test_statements_are_no_operations(use: Use, statements: Callable[[], Any]) -> None:
    with pytest.raises(ApplyError, match="is not an operation"):
        list(use(statements()))
