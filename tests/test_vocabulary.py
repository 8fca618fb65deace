"""Tests basic types: operations, terms, options, limits and errors."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from rdflib import BNode, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.oracle import schema as pb

KINDS = ("name", "prefix", "datatype")


def test_op_has_the_codes_of_rdf_patch() -> None:
    assert [op.name for op in Op] == ["H", "TX", "TC", "TA", "PA", "PD", "A", "D", "END"]
    assert len(set(Op)) == 9
    assert all(isinstance(op, int) and 0 < op < 256 for op in Op)


def test_op_is_its_code_as_text() -> None:
    assert (str(Op.A), f"{Op.A} {Op.END:>4} {Op.END:d}") == ("A", "A  END 9")


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
    def test_names_stand_for_enums(self) -> None:
        options = jr.PatchOptions(stream_type="flat", statement_type="Triples")
        assert options.stream_type is jr.PatchStreamType.FLAT
        assert options.statement_type is jr.PatchStatementType.TRIPLES
        assert options == jr.PatchOptions(stream_type=2, statement_type=1)

    @pytest.mark.parametrize(
        ("field", "low", "high"),
        [
            ("max_name_table_size", 8, 1 << 24),
            ("max_prefix_table_size", 0, 1 << 24),
            ("max_datatype_table_size", 0, 1 << 24),
            ("frame_rows", 1, 1 << 31),
            ("frame_bytes", 1, (1 << 31) - 1),
        ],
    )
    def test_ranges(self, field: str, low: int, high: int) -> None:
        for kind in (jr.PatchOptions, jr.StreamOptions):
            for good, wrong in ((low, low - 1), (high, high + 1)):
                assert getattr(kind(**{field: good}), field) == good
                with pytest.raises(ValueError, match=f"{field} must be from {low} to {high}"):
                    kind(**{field: wrong})

    def test_types_and_namespaces_of_a_stream_that_do_not_go_together(self) -> None:
        with pytest.raises(ValueError, match=r"logical type .*FLAT_QUADS.* does not go with"):
            jr.StreamOptions(physical_type="TRIPLES", logical_type="FLAT_QUADS")
        with pytest.raises(ValueError, match="namespace declarations need version 2"):
            jr.StreamOptions(namespace_declarations=True, version=1)
        # A protobuf enum is a signed 32-bit number.
        for wrong in (-4, (1 << 31) + 2):
            with pytest.raises(ValueError, match="logical_type"):
                jr.StreamOptions(logical_type=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="stream_name must be a str, not int"):
            jr.StreamOptions(stream_name=1)  # type: ignore[arg-type]

    @pytest.mark.parametrize("kind", jr.LogicalStreamType)
    def test_families_of_logical_types(self, kind: jr.LogicalStreamType) -> None:
        """The last digit of a type is its base type ("Logical stream types")."""
        base = int(str(int(kind))[-1])
        physical = "TRIPLES" if base in (1, 3) else "QUADS"
        options = jr.StreamOptions(logical_type=kind, physical_type=physical)
        assert kind.base == base
        assert options.is_flat is (base in (1, 2))
        assert options.is_grouped is (base in (3, 4))

    def test_versions(self) -> None:
        for version in (1, 2):
            assert jr.StreamOptions(version=version).namespace_declarations == (version == 2)
        for version in (0, 3):
            with pytest.raises(ValueError, match="version must be from 1 to 2"):
                jr.StreamOptions(version=version)

    def test_defaults(self) -> None:
        shared = dict(
            zip([f"max_{kind}_table_size" for kind in KINDS], (4000, 150, 32), strict=True)
        )
        shared |= {"generalized_statements": False, "rdf_star": False, "version": 1}
        shared |= {"frame_bytes": 1_000_000, "delimited": True}
        patch = {"statement_type": 2, "stream_type": 3, "frame_rows": 512}
        assert vars(jr.PatchOptions()) == {**shared, **patch}
        stream = {"stream_name": "", "physical_type": 2, "logical_type": 2, "frame_rows": 256}
        assert vars(jr.StreamOptions()) == {**shared, **stream, "namespace_declarations": False}
        small = dict(zip([f"max_{kind}_table_size" for kind in KINDS], (128, 16, 16), strict=True))
        for kind in (jr.PatchOptions, jr.StreamOptions):
            assert kind.big() == kind()
            assert vars(kind.small()) == {**vars(kind()), **small}

    @pytest.mark.parametrize(
        ("kind", "message", "field"),
        [
            (jr.PatchStatementType, pb.RdfPatchOptions, "statement_type"),
            (jr.PatchStreamType, pb.RdfPatchOptions, "stream_type"),
            (jr.PhysicalStreamType, pb.RdfStreamOptions, "physical_type"),
            (jr.LogicalStreamType, pb.RdfStreamOptions, "logical_type"),
        ],
    )
    def test_enums_have_the_numbers_of_the_schema(
        self, kind: Any, message: Any, field: str
    ) -> None:
        values = message.DESCRIPTOR.fields_by_name[field].enum_type.values
        numbers = {value.name.partition("_TYPE_")[2]: value.number for value in values}
        ours = {name: int(member) for name, member in kind.__members__.items()}
        assert {"UNSPECIFIED": 0, **ours} == numbers

    @pytest.mark.parametrize("wrong", ["8", 8.0, None, True])
    def test_numbers_are_ints(self, wrong: Any) -> None:
        with pytest.raises(TypeError):
            jr.PatchOptions(max_name_table_size=wrong)
        with pytest.raises(TypeError):
            jr.Limits(max_name_table_size=wrong)

    def test_they_do_not_change(self) -> None:
        for frozen in (jr.PatchOptions(), jr.StreamOptions(), jr.Limits()):
            with pytest.raises(dataclasses.FrozenInstanceError):
                frozen.max_name_table_size = 9  # type: ignore[misc]
            assert pickle.loads(pickle.dumps(frozen)) == frozen

    @pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(jr.Limits)])
    def test_ranges_of_limits(self, field: str) -> None:
        highest = dict.fromkeys((f"max_{kind}_table_size" for kind in KINDS), 1 << 24)
        highest |= {"max_nesting_depth": 1000, "max_expansion": 1 << 24}
        highest |= dict.fromkeys(
            ("max_decompressed_size", "max_held_operations", "max_parser_memory"), (1 << 63) - 1
        )
        high = highest.get(field, (1 << 31) - 1)
        for wrong in (-1, high + 1):
            with pytest.raises(ValueError, match=f"{field} must be from 0 to {high}, not"):
                jr.Limits(**{field: wrong})
        for good in (0, high):
            assert getattr(jr.Limits(**{field: good}), field) == good


class TestErrors:
    def test_families(self) -> None:
        assert issubclass(jr.LimitError, jr.DecodeError)
        for kind in (jr.DecodeError, jr.EncodeError):
            assert issubclass(kind, jr.JellyError)
            assert issubclass(kind, ValueError)
        assert issubclass(jr.ApplyError, jr.JellyError)

    @pytest.mark.parametrize("kind", [jr.DecodeError, jr.LimitError])
    def test_they_survive_a_process_boundary(self, kind: type[jr.DecodeError]) -> None:
        error = kind("trouble", offset=7, frame=1, row=3)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind
        assert (again.message, again.offset, again.frame, again.row) == ("trouble", 7, 1, 3)
        assert str(again) == str(error) == "trouble (byte 7, frame 1, row 3)"
