"""Tests the laws of joining patches."""

import contextlib
import io
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import ApplyError, Limits, Op, Patch, PatchError, TripleTerm
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.concat import concat
from jelly_rdflib.algebra.headers import HeaderRoom
from tests.algebra.strategies import (
    contents,
    datasets,
    forms,
    make_dataset,
    patches,
    same_graphs,
    streams,
    write,
)

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
A, D = (Op.A, S, P, O, None), (Op.D, S, P, O, None)
VERSIONS = [URIRef(f"urn:{number}") for number in range(5)]


def header(number: int, *others: Any) -> list[Any]:
    return [
        (Op.H, "id", VERSIONS[number]),
        (Op.H, "prev", VERSIONS[number - 1]),
        *((Op.H, "by", Literal(other)) for other in others),
    ]


chains = st.lists(patches(), min_size=3, max_size=3).map(
    lambda several: [header(number + 1) + patch for number, patch in enumerate(several)]
)


@given(datasets, st.lists(st.tuples(streams(), forms), max_size=3))
def test_does_what_they_do_one_after_the_other(content: Any, several: Any) -> None:
    dataset, other = make_dataset(content), make_dataset(content)
    jr.apply(concat(*(form(stream) for stream, form in several)), dataset)
    for stream, _ in several:
        jr.apply(stream, other)
    assert contents(dataset) == contents(other)


@given(st.lists(patches(), min_size=3, max_size=3) | chains)
def test_associative(several: Any) -> None:
    a, b, c = several
    whole = list(concat(a, b, c))
    assert list(concat(concat(a, b), c)) == whole
    assert list(concat(a, concat(b, c))) == whole


@given(patches())
def test_one_patch_is_itself_and_an_empty_one_changes_nothing(patch: Any) -> None:
    headers = [operation for operation in patch if operation[0] == Op.H]
    rest = [operation for operation in patch if operation[0] != Op.H]
    assert list(concat(patch)) == headers + rest
    assert list(concat([], patch, Patch(), [(Op.END,), (Op.END,)])) == headers + rest
    assert list(concat()) == []


@given(chains, st.lists(forms, min_size=3, max_size=3))
def test_form_of_the_source_does_not_matter(chain: Any, forms: Any) -> None:
    chain = [[op for op in patch if op[0] != Op.PD] for patch in chain]
    sources = [form([*patch, (Op.END,)]) for patch, form in zip(chain, forms, strict=True)]
    assert same_graphs(concat(*sources)) == same_graphs(concat(*chain))


def test_headers() -> None:
    patches = [[*header(1, "a"), A], [*header(2, "b", "a"), D], [*header(3, "c", "b"), A]]
    for sources in (
        patches,
        map(iter, patches),
        map(write, patches),
        [patches[0], write([*patches[1], (Op.END,), *patches[2]])],
        [iter([*patches[0], (Op.END,), *patches[1], (Op.END,)]), patches[2]],
    ):
        assert same_graphs(concat(*sources)) == same_graphs(
            [
                (Op.H, "prev", VERSIONS[0]),
                (Op.H, "by", Literal("a")),
                (Op.H, "by", Literal("b")),
                (Op.H, "id", VERSIONS[3]),
                (Op.H, "by", Literal("c")),
                *[A, D, A],
            ]
        )
    # Late headers also come first in the result.
    assert list(concat([A, *header(1)])) == [*header(1), A]
    # If the last patch has no id, the result has none.
    assert list(concat([*header(1), A], [D])) == [header(1)[1], A, D]
    for size in (1, 9):
        last = write([D, D, D], frame_rows=size, statement_type="TRIPLES")
        assert list(concat([*header(1), A], last)) == [header(1)[1], A, D, D, D]
    # A patch may have only headers.
    assert list(concat([*header(1), A], header(2))) == [header(1)[1], header(2)[0], A]


def test_keys_are_compared_as_jena_does() -> None:
    """If a key has two spellings, the result has the first, since Jena can't read both."""
    by = Literal("a")
    first = [(Op.H, "ID", VERSIONS[1]), (Op.H, "Previous", VERSIONS[0]), (Op.H, "BY", by), A]
    second = [(Op.H, "id", VERSIONS[2]), (Op.H, "PREV", VERSIONS[1]), (Op.H, "by", by), D]
    third = [(Op.H, "by", Literal("b")), (Op.H, "previous", VERSIONS[2]), A]
    assert list(concat(first, second, third)) == [
        *[(Op.H, "Previous", VERSIONS[0]), (Op.H, "BY", by), (Op.H, "BY", Literal("b"))],
        *[A, D, A],
    ]
    assert next(iter(jr.invert(second))) == (Op.H, "prev", VERSIONS[2])
    assert next(iter(jr.invert(first))) == (Op.H, "prev", VERSIONS[1])
    for key in ("PREV", "previous", "Previous"):
        with pytest.raises(PatchError, match=r"after <urn:2> \(prev\), .* is <urn:1> \(id\)"):
            list(concat(first, [(Op.H, key, VERSIONS[2]), A]))
    # If a patch has both headers, prev counts.
    list(concat(first, [(Op.H, "prev", VERSIONS[1]), (Op.H, "previous", VERSIONS[2]), A]))


def test_patches_that_do_not_follow() -> None:
    first, second = [*header(1), A], [*header(3), D]
    for sources in ([first, second], [[*first, (Op.END,), *second]], [write(first), iter(second)]):
        with pytest.raises(PatchError, match=r"after <urn:2> \(prev\), .* is <urn:1> \(id\)"):
            next(concat(*sources))
    # Without a header the previous patch is unknown.
    for sources in ([first, [header(3)[0], D]], [[header(1)[1], A], second]):
        assert len(list(concat(*sources))) == 4
    # The ids of an empty patch are not used.
    with pytest.raises(PatchError):
        next(concat(first, [], second))


def test_iterators_are_kept_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_SIZE", 100)
    long = [(Op.A, S, P, Literal(number), None) for number in range(100)]
    assert list(concat(iter(long), long, iter(long))) == long * 3


def test_only_what_can_not_be_read_again_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[Any] = []
    flat = itertools.chain.from_iterable
    monkeypatch.setattr(spool.Spool, "extend", lambda _, batches: copied.extend(flat(batches)))
    data = write([A])
    path = tmp_path / "x.jellyp"
    path.write_bytes(data)
    file = io.BytesIO(b"before" + data)
    file.seek(6)
    assert len(list(concat(data, path, file, [A]))) == 4
    assert copied == []
    list(concat(iter([A])))
    assert copied == [A]


def test_a_file_is_read_from_where_it_is_then() -> None:
    """Each source is read from the file's position at the time when reading begins."""
    file = io.BytesIO(b"A <urn:s> <urn:p> <urn:o> .\n")
    file.seek(0, io.SEEK_END)
    one, two = concat(file, format="rdf-patch"), concat(file, file, format="rdf-patch")
    for operations in (one, two):
        file.seek(0)
        assert [operation[0] for operation in operations] == [Op.A]


def test_bad_input_is_found_before_anything_is_given() -> None:
    for bad in (write([A])[:-1], iter([A, 5])):
        with pytest.raises((jr.DecodeError, ApplyError)):
            next(concat([A], bad))


def test_second_pass_checks_transactions() -> None:
    for bad in ([(Op.TC,)], [(Op.TX,)], [(Op.TX,), (Op.END,)], [(Op.TX,), (Op.TX,)]):
        with pytest.raises(ApplyError, match="transaction"):
            list(concat([A], bad))
    # One source can't end the transaction of another.
    with pytest.raises(ApplyError, match="the input ends inside a transaction"):
        list(concat([(Op.TX,), A], [D, (Op.TC,)]))


def test_headers_are_kept_up_to_a_limit() -> None:
    headers = [(Op.H, f"key {number}", Literal(number)) for number in range(100)]
    data = write([*headers, A])
    small = Limits(max_text_size=10_000)
    assert list(concat(data))[:-1] == headers
    for sources in ([data], [io.BytesIO(data)], [write([*headers[:9], A]), data]):
        with pytest.raises(jr.LimitError, match=r"10000 bytes of memory \(limit max_text_size\)"):
            next(concat(*sources, limits=small))
    with pytest.raises(jr.LimitError) as caught:
        next(concat(data, limits=small))
    assert caught.value.frame is not None
    # Operations that are already in memory do not count.
    assert len(list(concat(headers, Patch(headers), write([A]), limits=small))) == 101


@pytest.mark.parametrize("form", [write, iter])
def test_headers_that_are_left_out_take_no_room(form: Any) -> None:
    """The number of joined patches has no limit."""
    small = Limits(max_text_size=3000)
    # Limits count only data that is read.
    none = write([])
    ids = [URIRef(f"urn:{number}") for number in range(101)]
    source = (Op.H, "source", O)
    patches = [
        [(Op.H, "id", after), (Op.H, "prev", before), source, A, (Op.END,)]
        for before, after in itertools.pairwise(ids)
    ]
    expected = [(Op.H, "prev", ids[0]), source, (Op.H, "id", ids[-1])]
    whole = list(itertools.chain(*patches))
    # The size of a list is not counted, so it is not subtracted later.
    for sources in ([form(whole)], map(form, patches), [patches[0], form(whole[5:])]):
        assert list(concat(none, *sources, limits=small))[:3] == expected
    others = [(Op.H, f"key {number}", O) for number in range(20)]
    each = [operation for other in others for operation in (other, (Op.END,))]
    for more in (others, each):
        with pytest.raises(jr.LimitError, match="limit max_text_size"):
            next(concat(none, *patches, form(more), limits=small))


def test_headers_of_iterators_are_limited_too() -> None:
    with pytest.raises(jr.LimitError, match="limit max_text_size"):
        next(concat((Op.H, "a", O) for _ in itertools.count()))


def test_what_counts_of_headers() -> None:
    def size(*values: Any, key: str = "key") -> int:
        """Return the size of headers with these values, as counted for limits."""
        for room in range(0, 1 << 22, 50):
            left = HeaderRoom(Limits(max_text_size=room))
            with contextlib.suppress(jr.LimitError):
                for value in values:
                    left.reserve(key, value)
                return room
        raise AssertionError

    short = size(O)
    assert 200 < short < 800
    assert size(O, O) > 2 * short - 100
    assert size(O, key="x" * 1000) >= short + 1000 - 100
    assert size(Literal("x" * 1000)) >= short + 3000 - 100
    assert size(Literal("o", datatype=URIRef("x" * 1000))) >= short + 1000 - 100
    xml = Literal("<a b=''/>" * 100, datatype=RDF.XMLLiteral)
    assert size(xml) > size(Literal(str(xml))) + 200 * 300
    # Malformed XML is not parsed into a tree.
    broken = Literal("<a b=''>" * 100, datatype=RDF.XMLLiteral)
    assert size(broken) < size(Literal(str(broken))) + 300
    # A triple that is quoted twice is counted once.
    term = TripleTerm(S, P, Literal("x" * 1000))
    for _ in range(50):
        term = TripleTerm(term, P, term)
    assert size(term) < 50 * 600 + 6000
