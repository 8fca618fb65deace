"""Tests which nodes and operations the garbage collector tracks.

Objects that can't be part of a cycle are not tracked. All others are collected.
"""

import gc
import os
import random
import sys
import sysconfig
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import rdflib.term
from rdflib import URIRef

import jelly_rdflib as jr

ROUNDS = int(os.environ.get("GARBAGE_ROUNDS", "200"))
VALUE = URIRef("urn:value")
XML = "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"
XSD = "http://www.w3.org/2001/XMLSchema#"


class Value:
    """The value class of a datatype that a program has bound."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.seen: list[Any] = []


@pytest.fixture
def bound() -> Iterator[None]:
    rdflib.term.bind(VALUE, Value, constructor=Value, lexicalizer=lambda value: value.text)
    yield
    rdflib.term._reset_bindings()


def read(*objects: str) -> list[Any]:
    lines = [f"A <urn:s> <urn:p{n}> {each} _:g .\n" for n, each in enumerate(objects)]
    return list(jr.read_operations("".join(lines).encode(), format="rdf-patch"))[:-1]


@pytest.mark.parametrize(
    "term",
    [
        "<urn:o>",
        "_:b",
        '"x"',
        '"x"@en',
        *(
            f'"{text}"^^<{XSD}{name}>'
            for name, text in [
                ("integer", "5"),
                ("boolean", "true"),
                ("double", "1.5e3"),
                # Since Python 3.13 the collector tracks all decimals.
                *([("decimal", "1.50")] if sys.version_info < (3, 13) else []),
                ("date", "2020-01-01"),
                ("dateTime", "2020-01-01T00:00:00Z"),
                ("gYear", "2020"),
                ("base64Binary", "AAAA"),
            ]
        ),
        '"x"^^<urn:unknown>',
    ],
)
def test_leaves_are_not_tracked(term: str) -> None:
    (operation,) = read(term)
    assert not gc.is_tracked(operation)
    assert not any(map(gc.is_tracked, operation[1:]))


@pytest.mark.parametrize(
    "term", [f'"<a/>"^^<{XML}>', f'"P1Y"^^<{XSD}duration>', '"x"^^<urn:value>']
)
def test_what_may_refer_to_others_is_tracked(term: str, bound: None) -> None:
    (operation,) = read(term)
    assert gc.is_tracked(operation)
    assert gc.is_tracked(operation[3])


def test_cycles_of_values_are_collected(bound: None) -> None:
    chance = random.Random(1)
    # Otherwise the collector would visit all existing objects each time.
    gc.freeze()
    for _ in range(ROUNDS):
        size = chance.randrange(1, 6)
        kept = read(*(f'"{n}"^^<urn:value>' for n in range(size)), "<urn:leaf>")
        values = [operation[3].value for operation in kept[:size]]
        for _ in range(chance.randrange(2 * size)):
            chance.choice(values).seen.append(chance.choice([*kept, *kept[0], kept]))
        dying = [weakref.ref(value) for value in values]
        del kept, values
        gc.collect(chance.randrange(3))
        gc.collect()
        assert not any(each() for each in dying)
    gc.unfreeze()


@pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")), reason="another thread may get it any time"
)
def test_an_operation_that_nobody_keeps_is_filled_again() -> None:
    text = "".join(f'A <urn:s{n}> <urn:p> "{n}" {"_:g" if n % 3 else ""} .\n' for n in range(9))
    data = f"TX .\n{text}TC .\n".encode()
    kept = list(jr.read_operations(data, format="rdf-patch"))
    assert len(set(map(id, kept))) == len(kept)
    seen, places, others = [], set(), []
    for operation in jr.read_operations(data, format="rdf-patch"):
        # In Python 3.14 a tuple caches its hash.
        seen.append((hash(operation), [*operation]))
        places.add((len(operation), id(operation)))
        del operation
        # These tuples reuse the memory of deleted tuples.
        others.append((len(seen), *"abcd"))
    assert seen == [(hash(each), [*each]) for each in kept]
    # There is one address for each operation without terms, and one for all statements.
    assert len(places) == 3 + 1


def test_an_operation_that_is_kept_for_a_while_stays() -> None:
    text = "".join(f"D <urn:s{n}> <urn:p> _:o{n} .\n" for n in range(99))
    chance, rows = random.Random(1), jr.read_operations(text.encode(), format="rdf-patch")
    held: list[Any] = []
    for n, operation in enumerate(rows):
        held.append((n, operation))
        if chance.random() < 0.5:
            del held[chance.randrange(len(held))]
        assert all(str(each[1]) == f"urn:s{m}" for m, each in held if len(each) > 1)


@pytest.mark.parametrize(
    "line", ["<urn:s> <urn:p> <urn:o{}> .", "<urn:s> <urn:p> <urn:o{}> <urn:g> ."]
)
def test_statements_likewise(line: str) -> None:
    data = "".join(line.format(n) + "\n" for n in range(9)).encode()
    kept = list(jr.read_statements(data, format="n-quads"))
    again = [[*each] for each in jr.read_statements(data, format="n-quads")]
    assert again == [[*each] for each in kept]
    assert [str(each[2]) for each in kept] == [f"urn:o{n}" for n in range(9)]
