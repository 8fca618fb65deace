"""Tests what the text and Thrift encoders have in common: refusals, transactions, rows."""

from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from tests.core.patch_wires import TEXT, THRIFT
from tests.oracle.terms import Plain

S, P = URIRef("s"), URIRef("p")
QUOTED = jr.TripleTerm(S, P, S)
STATEMENT: Plain = ("A", ("iri", "s"), ("iri", "p"), ("iri", "s"), None)
END: Plain = ("END",)
FORMS = {
    "text": (TEXT.writer, TEXT.read),
    "thrift": (THRIFT.writer, THRIFT.read),
}


class Form:
    def __init__(self, name: str) -> None:
        self.pieces: list[bytes] = []
        writer, self.read = FORMS[name]
        self.writer: Any = writer(self.pieces.append)

    def finish(self) -> list[Plain]:
        """End the patch, and return its operations."""
        self.writer.finish()
        return self.read(b"".join(self.pieces))


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    return Form(request.param)


def with_bad_tag() -> Literal:
    literal = Literal("x", lang="en")
    literal._language = "en_GB"
    return literal


REFUSED: list[Any] = [
    (jr.Op.A, S, P, URIRef("\ud800"), None),
    (jr.Op.A, S, P, Literal("\ud800"), None),
    (jr.Op.A, S, P, with_bad_tag(), None),
    (jr.Op.A, S, P, S, QUOTED),
    (jr.Op.A, S, P, jr.TripleTerm(S, P, "o"), None),  # type: ignore[arg-type]
    (jr.Op.A, S, P, None, None),
    (jr.Op.A, "s", P, S, None),
    (jr.Op.A, S, P, S, "g"),
    (jr.Op.H, 1, S),
    (jr.Op.H, "\udfff", S),
    (jr.Op.H, "id", None),
    (jr.Op.PA, "ex", None, None),
    (jr.Op.PA, "ex", BNode("a"), None),
    (jr.Op.PA, None, S, None),
    (jr.Op.PA, "ex", S, QUOTED),
    (jr.Op.PD, "ex", "a", None),
    (jr.Op.PD, "ex", S, "g"),
    (jr.Op.TC,),
    (jr.Op.TA,),
    (jr.Op.A, S, P, S),
    (jr.Op.TX, 1),
    (99,),
    (),
    None,
    "A",
]
# As text these operations would look like other operations.
REFUSED_AS_TEXT: list[Any] = [
    (jr.Op.A, URIRef("_:a"), P, S, None),
    (jr.Op.A, S, P, S, URIRef("_:a")),
    (jr.Op.A, S, P, Literal("x", datatype=URIRef("_:a")), None),
    (jr.Op.A, S, P, jr.TripleTerm(S, P, URIRef("_:a")), None),
    (jr.Op.PD, "ex", None, Literal("g")),
    (jr.Op.PD, "ex", S, Literal("g", lang="en")),
]


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        *((name, operation) for operation in REFUSED for name in FORMS),
        *(("text", operation) for operation in REFUSED_AS_TEXT),
    ],
    ids=range(2 * len(REFUSED) + len(REFUSED_AS_TEXT)),
)
def test_refused_and_as_if_it_had_not_been_tried(name: str, operation: Any) -> None:
    form = Form(name)
    form.writer.add(S, P, S)
    form.writer.end_patch()
    for _ in range(2):
        with pytest.raises(jr.EncodeError):
            form.writer.write(operation)
        form.writer.end_patch()
    form.writer.add(S, P, S)
    assert form.finish() == [STATEMENT, END, END, END, STATEMENT, END]


def test_order_of_transactions(form: Form) -> None:
    for out_of_place in (form.writer.commit, form.writer.abort):
        assert not form.writer.in_transaction
        with pytest.raises(jr.EncodeError):
            out_of_place()
        form.writer.begin()
        assert form.writer.in_transaction
        for wrong in (form.writer.begin, form.writer.end_patch):
            with pytest.raises(jr.EncodeError):
                wrong()
        form.writer.commit()
    assert form.finish() == [("TX",), ("TC",)] * 2 + [END]


def test_finish_aborts(form: Form) -> None:
    form.writer.begin()
    form.writer.finish()
    assert form.finish() == [("TX",), ("TA",), END]
    for call in (lambda: form.writer.add(S, P, S), form.writer.begin, form.writer.end_patch):
        with pytest.raises(jr.EncodeError, match="has ended"):
            call()
