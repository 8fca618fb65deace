"""Tests the laws of compacting: the same effect on any dataset, with the fewest operations."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, Dataset, Literal, URIRef
from rdflib.term import Node

import jelly_rdflib as jr
from jelly_rdflib import Op, Patch
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.algebra.concat import concat
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.algebra.invert import invert
from jelly_rdflib.terms import identity
from tests.algebra.strategies import (
    DEFAULT,
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
STORES = ["default", "Jelly", "Oxigraph"]


def apply_to(content: Any, operations: Any, store: str = "default") -> tuple[Any, Any]:
    dataset = make_dataset(content, lambda: Dataset(store))
    jr.apply(operations, dataset)
    return contents(dataset)


@pytest.mark.parametrize("store", STORES)
@given(datasets, streams(), forms)
def test_does_the_same_to_any_dataset(store: str, content: Any, stream: Any, form: Any) -> None:
    if store == "Oxigraph":
        # Oxigraph's store can't unbind a prefix.
        stream = [operation for operation in stream if operation[0] not in (Op.PA, Op.PD)]
    assert apply_to(content, compact(form(stream)), store) == apply_to(content, stream, store)


def spelled(operation: Any) -> list[Any]:
    """Return an operation with normalized terms, and None for the default graph."""
    return [
        identity(term) if isinstance(term, Node) else term
        for term in (None if term == DEFAULT else term for term in operation)
    ]


@given(patches())
def test_is_a_part_of_the_patch_in_its_order(patch: Any) -> None:
    for kinds in ((Op.H,), (Op.PA, Op.PD), (Op.A, Op.D)):
        rest = iter([spelled(operation) for operation in patch if operation[0] in kinds])
        for operation in compact(patch):
            if operation[0] in kinds:
                assert spelled(operation) in rest


@given(patches())
def test_idempotent(patch: Any) -> None:
    once = list(compact(patch))
    assert list(compact(once)) == once


@given(patches())
def test_nothing_can_be_left_out(patch: Any) -> None:
    operations = list(compact(patch))
    # Each operation has an effect on a full dataset, or on an empty one.
    everything = {operation[1:] for operation in operations if operation[0] == Op.D}
    for content in ((everything, {}), (set(), {})):
        dataset = make_dataset(content)
        result = jr.apply(operations, dataset)
        adds = [operation for operation in operations if operation[0] == Op.A]
        deletes = [operation for operation in operations if operation[0] == Op.D]
        assert result.added == len(adds)
        assert result.deleted == (len(deletes) if content[0] else 0)


# --- effective patches ----------------------------------------------------------------------------


@given(datasets, streams(), forms)
def test_effective_patch_to_its_dataset(content: Any, stream: Any, form: Any) -> None:
    operations = list(effective(stream, make_dataset(content)))
    smallest = compact(form(operations), assume_effective=True)
    assert apply_to(content, smallest) == apply_to(content, stream)


def test_a_prefix_whose_iri_another_one_has_meanwhile() -> None:
    """The other prefix is bound in two graphs."""
    content = (set(), {"rdf": URIRef("urn:b#")})
    stream = [
        (Op.PA, "x", URIRef("urn:b#"), URIRef("urn:g")),
        (Op.PA, "x", URIRef("urn:a#"), None),
        (Op.END,),
        (Op.PA, "rdf", URIRef("urn:b#"), URIRef("urn:g")),
        (Op.END,),
    ]
    smallest = compact(effective(stream, make_dataset(content)), assume_effective=True)
    assert apply_to(content, smallest) == apply_to(content, stream)


@given(datasets, streams())
def test_effective_patch_stays_effective_and_is_as_small_as_the_change(
    content: Any, stream: Any
) -> None:
    dataset = make_dataset(content)
    operations = list(effective(stream, dataset))
    smallest = list(compact(operations, assume_effective=True))
    assert list(effective(smallest, dataset)) == smallest
    before = contents(dataset)
    jr.apply(smallest, dataset)
    after = contents(dataset)
    for kinds, one, other in (
        ((Op.A, Op.D), before[0], after[0]),
        ((Op.PA, Op.PD), set(before[1].items()), set(after[1].items())),
    ):
        assert sum(operation[0] in kinds for operation in smallest) == len(one ^ other)
    jr.apply(invert(smallest), dataset)
    assert contents(dataset) == before


def test_statement_that_comes_and_goes() -> None:
    assert list(compact([A, D])) == [(Op.TX,), D, (Op.TC,)]
    assert list(compact([D, A])) == [(Op.TX,), A, (Op.TC,)]
    for patch in ([A, D], [D, A], [A, D, A, D], [(Op.TX,), A, (Op.TC,), (Op.TX,), D, (Op.TC,)]):
        assert list(compact(patch, assume_effective=True)) == []
    assert list(compact([A, D, A], assume_effective=True)) == [(Op.TX,), A, (Op.TC,)]


# --- each rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [list, write], ids=["operations", "frames"])
def test_aborted_transactions_are_gone(make: Callable[[Any], Any]) -> None:
    other = (Op.A, S, P, URIRef("urn:other"), None)
    prefix = (Op.PA, "ex", URIRef("urn:ex#"), None)
    patch = [
        *[A, (Op.TX,), D, other, prefix, (Op.TA,)],
        *[(Op.TX,), other, (Op.TC,), (Op.TX,), (Op.D, *other[1:]), (Op.TA,)],
    ]
    assert same_graphs(compact(make(patch))) == same_graphs([(Op.TX,), A, other, (Op.TC,)])
    assert list(compact(make([(Op.TX,), A, prefix, (Op.TA,)]))) == []


def test_many_transactions_large_and_small() -> None:
    def name(number: int) -> Any:
        return (S, P, Literal(number), None)

    patch: list[Any] = []
    for start, end, last in ((0, 5000, Op.TC), (2000, 9000, Op.TA), (4000, 9000, Op.TC)):
        patch += [(Op.TX,), *((Op.A, *name(number)) for number in range(start, end)), (last,)]
    for number in range(0, 9000, 3):
        last = Op.TA if number % 2 else Op.TC
        patch += [(Op.TX,), (Op.D, *name(number)), (last,)]
    kept = [(Op.A, *name(number)) for number in range(9000) if number % 6]
    gone = [(Op.D, *name(number)) for number in range(0, 9000, 6)]
    for source in (patch, write(patch, statement_type="TRIPLES")):
        result = list(compact(source))
        assert result == [(Op.TX,), *kept, *gone, (Op.TC,)]


@pytest.mark.parametrize("form", [list, write], ids=["tuples", "bytes"])
def test_the_default_graph_is_none_out_of_every_function(
    form: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default graph is None, also in a patch that is partly kept in a file."""
    monkeypatch.setattr(spool, "_MAX_SIZE", 100)
    dataset = Dataset()
    dataset.add((S, P, O, DEFAULT))
    bind = (Op.PA, "ex", URIRef("urn:ex#"), DEFAULT)
    adds = [(Op.A, S, P, Literal(n), (None, DEFAULT, S)[n % 3]) for n in range(250)]
    patch = form([(Op.TX,), bind, (Op.D, S, P, O, DEFAULT), *adds, (Op.TC,)])
    results: list[Any] = [
        compact(patch),
        invert(patch),
        concat(patch, patch),
        effective(patch, dataset),
        jr.merge(patch, []),
        jr.merge([], patch, base=dataset),
        jr.diff(Dataset(), dataset),
    ]
    for result in results:
        assert {each[-1] for each in result if len(each) > 3} <= {None, S}
    with jr.record(dataset) as recorder:
        dataset.remove((S, P, O, DEFAULT))
    assert {each[-1] for each in recorder.patch if len(each) > 3} == {None}


def test_terms_are_the_same_by_their_identity() -> None:
    def add(o: Any) -> Any:
        return (Op.A, S, P, o, None)

    def delete(o: Any) -> Any:
        return (Op.D, S, P, o, None)

    en, upper = Literal("x", lang="en"), Literal("x", lang="EN")
    assert list(compact([add(en), delete(upper)])) == [(Op.TX,), delete(upper), (Op.TC,)]
    string = Literal("x", datatype=XSD.string)
    assert list(compact([add(Literal("x")), delete(string)])) == [
        (Op.TX,),
        delete(Literal("x")),
        (Op.TC,),
    ]
    different = [
        Literal("x"),
        Literal("x", datatype=URIRef("http://www.w3.org/2001/XMLSchema#token")),
        en,
        Literal("x", lang="de"),
        URIRef("x"),
        jr.TripleTerm(S, P, en),
    ]
    patch = [add(o) for o in different] + [delete(o) for o in different]
    for source in (patch, write(patch, rdf_star=True, statement_type="TRIPLES")):
        assert list(compact(source)) == [(Op.TX,), *map(delete, different), (Op.TC,)]
    nested = jr.TripleTerm(S, P, jr.TripleTerm(S, P, upper))
    equal = jr.TripleTerm(S, P, jr.TripleTerm(S, P, en))
    patch = [add(nested), delete(equal)]
    for source in (patch, write(patch, rdf_star=True, statement_type="TRIPLES")):
        assert len(list(compact(source))) == 3


def test_literals_are_normalized_as_for_apply() -> None:
    integer = URIRef("http://www.w3.org/2001/XMLSchema#integer")
    patch = [
        (Op.A, S, P, Literal("01", datatype=integer, normalize=False), None),
        (Op.D, S, P, Literal("1", datatype=integer), None),
    ]
    data = write(patch, statement_type="TRIPLES")
    assert [operation[0] for operation in compact(data)] == [Op.TX, Op.D, Op.TC]
    exact = list(compact(data, normalize=False))[1:-1]
    assert [str(operation[3]) for operation in exact] == ["01", "1"]


def test_prefixes_by_their_graphs() -> None:
    a, b, g = URIRef("urn:a#"), URIRef("urn:b#"), URIRef("urn:g")
    patch = [
        (Op.PA, "x", a, None),
        (Op.PA, "x", a, g),
        (Op.PD, "x", a, None),
        (Op.PD, "y", None, None),
        (Op.PA, "z", b, None),
        (Op.PA, "x", b, g),
    ]
    # The second operation unbinds any other prefix of the IRI.
    expected = [patch[1], patch[2], patch[3], patch[4], patch[5]]
    assert list(compact(patch)) == [(Op.TX,), *expected, (Op.TC,)]


X_A, X_B = URIRef("urn:a#"), URIRef("urn:b#")
BIND_A, UNBIND_A, BIND_B, UNBIND_B = (
    (op, "x", iri, None) for iri in (X_A, X_B) for op in (Op.PA, Op.PD)
)


@pytest.mark.parametrize(
    ("patch", "kept"),
    [
        ([BIND_A], [0]),
        ([UNBIND_A], [0]),
        ([BIND_A, UNBIND_A], []),
        ([UNBIND_A, BIND_A], []),
        ([UNBIND_A, BIND_A, UNBIND_A], [0]),
        ([UNBIND_A, BIND_B], [0, 1]),
        ([UNBIND_A, BIND_B, UNBIND_B], [0]),
        ([UNBIND_A, BIND_B, UNBIND_B, BIND_A], []),
        # The operations name two graphs, but rdflib has one prefix for both.
        ([(*UNBIND_A[:3], S), BIND_B, (*UNBIND_B[:3], S)], [0]),
        ([UNBIND_A, BIND_B, (*UNBIND_B[:3], S)], [0]),
        ([UNBIND_A, (*BIND_B[:3], S), UNBIND_B, BIND_A], []),
        ([BIND_A, (*UNBIND_A[:3], S), (*BIND_B[:3], S)], [2]),
    ],
)
@pytest.mark.parametrize("start", [[], [(Op.TX,)]])
def test_prefixes_of_effective_patches(patch: Any, kept: list[int], start: Any) -> None:
    source = [*start, *patch, *[(Op.TC,) for _ in start]]
    left = [patch[place] for place in kept]
    expected = [(Op.TX,), *left, (Op.TC,)] if left else []
    assert list(compact(source, assume_effective=True)) == expected


def test_headers_stay() -> None:
    header = [(Op.H, "id", S), (Op.H, "x", O), (Op.H, "x", O), (Op.H, "prev", P)]
    assert list(compact([*header, A])) == [*header, (Op.TX,), A, (Op.TC,)]
    # Headers stay, also if they come late or are all that remains.
    assert list(compact([(Op.TX,), A, *header, (Op.TA,)])) == header
    assert list(compact(header)) == header
    assert list(compact([])) == []


def test_empty_patches_are_none() -> None:
    """An empty patch is left out, with its headers."""
    header, end = [(Op.H, "id", S), (Op.H, "prev", P)], (Op.END,)
    for stream in ([end, *header, A], [*header, A, end, end]):
        for source in (stream, write(stream)):
            assert same_graphs(compact(source)) == same_graphs([*header, (Op.TX,), A, (Op.TC,)])
    # Statements without headers are a patch without an id.
    stream = [*header, A, end, D, end]
    for source in (stream, write(stream)):
        assert same_graphs(compact(source)) == same_graphs([header[1], (Op.TX,), D, (Op.TC,)])


@given(st.lists(patches(), max_size=3))
def test_several_patches_as_one(several: Any) -> None:
    stream = [operation for patch in several for operation in [*patch, (Op.END,)]]
    assert list(compact(stream)) == list(compact(concat(*several)))


def test_method_of_a_patch() -> None:
    patch = Patch([A, D])
    assert isinstance(patch.compact(), Patch)
    assert list(patch.compact()) == [(Op.TX,), D, (Op.TC,)]
    assert len(patch.compact(assume_effective=True)) == 0
    # Patches that were read are slices of one batch or of several.
    stream = [operation for _ in range(5) for operation in (A, A, D, (Op.END,))]
    for patch in jr.read_patches(write(stream, statement_type="TRIPLES", frame_rows=5)):
        assert list(patch.compact()) == [(Op.TX,), D, (Op.TC,)]
    batch = next(jr.read_batches(write([A, D], statement_type="TRIPLES", frame_rows=9)))
    assert list(compact(batch)) == [(Op.TX,), D, (Op.TC,)]


def test_nothing_is_read_before_it_is_wanted() -> None:
    def operations() -> Any:
        raise AssertionError
        yield

    compact(operations())
