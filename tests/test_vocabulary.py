"""The vocabulary: operations, terms, options, limits, errors."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from rdflib import BNode, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op

PUBLIC = [
    "ApplyError", "DecodeError", "EncodeError", "JellyError", "LimitError", "Limits", "Op",
    "PatchDecoder", "PatchEncoder", "PatchOptions", "PatchStatementType", "PatchStreamType",
    "PatchWriter", "TripleTerm", "apply", "diff", "read_batches", "read_operations",
    "read_patches",
]  # fmt: skip


@pytest.mark.parametrize("name", PUBLIC)
def test_the_public_names_are_there(name: str) -> None:
    assert hasattr(jr, name)


def test_op_has_the_codes_of_rdf_patch() -> None:
    assert [op.name for op in Op] == ["H", "TX", "TC", "TA", "PA", "PD", "A", "D", "END"]
    assert len(set(Op)) == 9
    assert all(isinstance(op, int) and 0 < op < 256 for op in Op)


class TestTripleTerm:
    S, P, TERM = BNode("s"), URIRef("urn:p"), Literal("o", lang="en")

    def test_it_is_immutable(self) -> None:
        term = jr.TripleTerm(self.S, self.P, self.TERM)
        with pytest.raises(AttributeError):
            term.s = self.P  # type: ignore[misc]
        with pytest.raises(AttributeError):
            del term.o
        assert (term.s, term.p, term.o) == (self.S, self.P, self.TERM)

    def test_it_is_not_equal_to_other_things(self) -> None:
        term = jr.TripleTerm(self.S, self.P, self.TERM)
        assert term != (self.S, self.P, self.TERM)
        assert term != jr.TripleTerm(self.S, self.P, Literal("o"))
        assert term != jr.TripleTerm(self.S, self.P, jr.TripleTerm(self.S, self.P, self.TERM))
        assert term != "x"
        assert (term == "x") is False

    @pytest.mark.parametrize("inner", [URIRef("é"), Literal(5), jr.TripleTerm(S, P, TERM)])
    def test_copies_are_equal(self, inner: Any) -> None:
        term = jr.TripleTerm(inner, self.P, inner)
        for other in (
            jr.TripleTerm(inner, self.P, inner),
            pickle.loads(pickle.dumps(term)),
            copy.copy(term),
            copy.deepcopy(term),
        ):
            assert other == term
            assert hash(other) == hash(term)
            assert repr(other) == repr(term)

    def test_n3_nests(self) -> None:
        term = jr.TripleTerm(self.S, self.P, jr.TripleTerm(self.S, self.P, self.TERM))
        assert term.n3() == '<< _:s <urn:p> << _:s <urn:p> "o"@en >> >>'
        graph = Graph()
        graph.bind("u", "urn:")
        assert "u:p" in term.n3(graph.namespace_manager)


class TestOptions:
    def test_a_logical_type_that_does_not_exist(self) -> None:
        with pytest.raises(ValueError, match="'nonsense' is not a valid LogicalStreamType"):
            jr.StreamOptions(logical_type="nonsense")  # type: ignore[arg-type]

    def test_names_stand_for_enums(self) -> None:
        options = jr.PatchOptions(stream_type="flat", statement_type="Triples")
        assert options.stream_type is jr.PatchStreamType.FLAT
        assert options.statement_type is jr.PatchStatementType.TRIPLES
        assert options == jr.PatchOptions(stream_type=2, statement_type=1)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"stream_type": 0},
            {"stream_type": 4},
            {"stream_type": "x"},
            {"statement_type": 0},
            {"statement_type": 3},
            {"max_name_table_size": 7},
            {"max_name_table_size": -1},
            {"max_name_table_size": 2**32},
            {"max_prefix_table_size": -1},
            {"max_datatype_table_size": -1},
            {"version": 0},
            {"version": 2},
            {"frame_rows": 0},
            {"frame_bytes": 0},
        ],
        ids=str,
    )
    def test_numbers_out_of_range_are_refused(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=next(iter(wrong)).split("_")[0] + "|valid"):
            jr.PatchOptions(**wrong)

    @pytest.mark.parametrize("wrong", ["8", 8.0, None, True])
    def test_numbers_are_ints(self, wrong: Any) -> None:
        with pytest.raises(TypeError):
            jr.PatchOptions(max_name_table_size=wrong)
        with pytest.raises(TypeError):
            jr.Limits(max_name_table_size=wrong)

    def test_they_do_not_change(self) -> None:
        for frozen in (jr.PatchOptions(), jr.Limits()):
            with pytest.raises(dataclasses.FrozenInstanceError):
                frozen.max_name_table_size = 9  # type: ignore[misc]
            assert pickle.loads(pickle.dumps(frozen)) == frozen

    def test_limits_have_the_documented_defaults(self) -> None:
        """protocol.md: by default a consumer refuses tables above 4096, 1024 and 256 entries."""
        limits = jr.Limits()
        assert limits.max_name_table_size == 4096
        assert limits.max_prefix_table_size == 1024
        assert limits.max_datatype_table_size == 256

    @pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(jr.Limits)])
    def test_limits_are_not_negative(self, field: str) -> None:
        with pytest.raises(ValueError, match=field):
            jr.Limits(**{field: -1})
        assert getattr(jr.Limits(**{field: 0}), field) == 0


class TestErrors:
    def test_families(self) -> None:
        assert issubclass(jr.LimitError, jr.DecodeError)
        for kind in (jr.DecodeError, jr.EncodeError):
            assert issubclass(kind, jr.JellyError)
            assert issubclass(kind, ValueError)
        assert issubclass(jr.ApplyError, jr.JellyError)

    @pytest.mark.parametrize("kind", [jr.DecodeError, jr.LimitError])
    def test_they_survive_a_process_boundary(self, kind: type[jr.DecodeError]) -> None:
        error = kind("trouble", offset=7, frame=0, row=2)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind
        assert (again.message, again.offset, again.frame, again.row) == ("trouble", 7, 0, 2)
        assert str(again) == str(error) == "trouble (byte 7, frame 0, row 2)"

    def test_what_is_not_known_is_not_said(self) -> None:
        assert str(jr.DecodeError("trouble")) == "trouble"
        assert str(jr.DecodeError("trouble", offset=0)) == "trouble (byte 0)"
        assert str(jr.DecodeError("trouble", frame=0)) == "trouble (frame 0)"
