"""Tests Arrow record batches of operations."""

import io
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import URIRef
from rdflib.term import bind

import jelly_rdflib as jr
from jelly_rdflib.core.arrow import RowFilter, TermCondition
from jelly_rdflib.core.batch import BatchBuilder
from jelly_rdflib.nodes import make_node_factory
from tests import strategies
from tests.oracle import producer
from tests.oracle.terms import DEFAULT_GRAPH, Plain, operation
from tests.spelling import rows_of, spell
from tests.strategies import Stream
from tests.support import assert_nothing_is_kept, options_of, read, write

pa = pytest.importorskip("pyarrow")
from jelly_rdflib.arrow import (  # noqa: E402
    MAX_ROWS,
    ArrowRows,
    arrow_schema,
    read_arrow,
    read_record_batches,
    write_arrow,
)

COLUMNS = ["op", "s", "p", "o", "g"]
QUAD = (("iri", "urn:s"), ("iri", "urn:p"), ("iri", "urn:o"), None)


def rows(source: Any, **arguments: Any) -> list[dict[str, Any]]:
    """Return all rows of all record batches."""
    found = []
    for batch in read_arrow(source, **arguments):
        batch.validate(full=True)
        found.extend(batch.to_pylist())
    return found


def encode(stream: Stream, rng: random.Random) -> bytes:
    return producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)


def all_terms(stream: Stream) -> list[Plain]:
    return [
        term
        for op in stream.operations
        if op[0] in ("A", "D")
        for term in op[1:]
        if term is not None
    ]


def endless_triple() -> Plain:
    """Return a quoted triple of a few terms that expands to more than 64 KiB of text."""
    term: Plain = ("literal", "x" * 100, None, None)
    for _ in range(10):
        term = ("triple", term, ("iri", "urn:a"), term)
    return term


class TestReading:
    @given(strategies.streams(), strategies.dice, st.integers(1, 3))
    def test_where_batches_are_cut_changes_nothing(
        self, stream: Stream, rng: random.Random, size: int
    ) -> None:
        data = encode(stream, rng)
        assert rows(data, max_rows=size) == rows_of(stream.operations)

    def test_a_batch_has_so_many_rows_at_most(self) -> None:
        data = write([("TX",), *[("A", *QUAD)] * (2 * MAX_ROWS), ("TC",)])
        sizes = [batch.num_rows for batch in read_arrow(data, columns=["op"])]
        assert sizes == [MAX_ROWS, MAX_ROWS, 3]

    @given(strategies.streams(), strategies.dice, st.sets(st.sampled_from(COLUMNS)))
    def test_only_columns_asked_for_are_made(
        self, stream: Stream, rng: random.Random, names: set[str]
    ) -> None:
        columns = [*names, "seq"]
        expected = [{name: row[name] for name in columns} for row in rows_of(stream.operations)]
        assert rows(encode(stream, rng), columns=columns) == expected

    def test_there_is_no_other_column(self) -> None:
        with pytest.raises(ValueError, match="no column 'subject'"):
            read_arrow(b"", columns=["subject"])

    def test_there_is_no_other_form_of_terms(self) -> None:
        with pytest.raises(ValueError, match="terms is 'string' or 'struct', not 'text'"):
            read_arrow(b"", terms="text")

    def test_the_file_is_a_column_of_its_own(self) -> None:
        found = rows(write([("A", *QUAD)]), columns=["file", "op"], file="a.jellyp")
        assert found == [{"file": "a.jellyp", "op": op} for op in ("A", "END")]

    def test_the_place_of_the_next_row_goes_on_in_other_rows(self) -> None:
        data = write([("TX",), ("A", *QUAD), ("TC",)])
        schema = arrow_schema(["patch", "txn", "seq"])
        first = ArrowRows(schema)
        list(first.convert(jr.read_batches(data)))
        (batch,) = ArrowRows(schema, place=first.place).convert(jr.read_batches(data))
        assert batch.column("patch").to_pylist() == [2] * 4
        assert batch.column("txn").to_pylist() == [2, 2, 2, None]
        assert batch.column("seq").to_pylist() == [4, 5, 6, 7]

    def test_an_error_comes_after_the_rows_before_it(self) -> None:
        data = write([("TX",), ("TC",)]) + b"\x05\xff\xff\xff\xff\xff"
        batches = read_arrow(data)
        assert [row["op"] for row in next(batches).to_pylist()] == ["TX", "TC", "END"][:3]
        with pytest.raises(jr.DecodeError):
            next(batches)

    def test_structs_say_what_terms_are(self) -> None:
        iri = ("iri", "urn:a")
        quoted = ("triple", ("bnode", "b c"), iri, ("literal", "x", None, None))
        terms = [
            (iri, ("iri", "urn:a", None, None)),
            (("bnode", "b c"), ("bnode", "b c", None, None)),
            (("literal", '"', None, None), ("literal", '"', None, None)),
            (("literal", "x", "en-GB", None), ("literal", "x", None, "en-GB")),
            (("literal", "x", None, "urn:d"), ("literal", "x", "urn:d", None)),
            (quoted, ("triple", '<< _:b\\u0020c <urn:a> "x" >>', None, None)),
        ]
        data = write(
            [("A", iri, iri, term, DEFAULT_GRAPH) for term, _ in terms],
            jr.PatchOptions(rdf_star=True),
        )
        found = rows(data, terms="struct", columns=["o", "g"])
        names = ("kind", "value", "datatype", "lang")
        assert found[:-1] == [
            {"o": dict(zip(names, parts, strict=True)), "g": None} for _, parts in terms
        ]
        assert found[-1] == {"o": None, "g": None}

    def test_a_triple_that_stands_for_endless_text_is_refused(self) -> None:
        iri = ("iri", "urn:a")
        options = jr.PatchOptions(rdf_star=True, generalized_statements=True)
        data = write([("A", iri, iri, endless_triple(), DEFAULT_GRAPH)], options)
        # An expansion to 64 KiB is always allowed.
        limits = jr.Limits(max_text_size=1 << 16)
        assert len(list(jr.read_batches(data, limits=limits))) == 1
        with pytest.raises(jr.LimitError, match="a quoted triple has more than"):
            list(read_arrow(data, limits=limits))

    @pytest.mark.parametrize("terms", ["string", "dictionary"])
    def test_rows_behind_one_that_failed_do_not_mix_with_it(self, terms: str) -> None:
        iri = ("iri", "urn:a")
        options = jr.PatchOptions(rdf_star=True, generalized_statements=True)
        statements = [("A", iri, iri, each, DEFAULT_GRAPH) for each in (iri, endless_triple())]
        (batch,) = jr.read_batches(write(statements, options))
        schema = arrow_schema(["s", "o"], terms=terms)
        table = ArrowRows(schema, limits=jr.Limits(max_text_size=1 << 16))
        with pytest.raises(jr.LimitError):
            list(table.add(batch))
        with pytest.raises(ValueError, match="a row could not be appended"):
            list(table.add(batch))
        (flushed,) = table.flush()
        flushed.validate(full=True)
        assert flushed.to_pylist() == [{"s": "<urn:a>", "o": "<urn:a>"}]

    def test_a_destructor_that_adds_rows_does_not_harm_the_filter(self) -> None:
        factory = make_node_factory(False)
        wanted = TermCondition(factory, jr.Limits(), ["<urn:s7>"])
        table = ArrowRows(arrow_schema(["s"]), filter=RowFilter(s=[wanted]), max_rows=1 << 30)
        small = next(jr.read_batches(b"A <urn:s0> <urn:p> <urn:o> .\n"))
        added = []

        class Value:
            def __init__(self, text: str) -> None:
                pass

            def __del__(self) -> None:
                added.append(list(table.add(small)))

        # No cache keeps such long strings, so the batch has the last reference to the literal.
        text = "x" * 300
        datatype = URIRef("urn:test-destructor")
        bind(datatype, Value, constructor=Value, lexicalizer=lambda value: text)
        row = f'A <urn:x> <urn:p> "{text}"^^<{datatype}> .\n'
        batch = next(jr.read_batches(row.encode(), normalize=True))
        assert batch.terms[0] is None
        list(table.add(batch))
        del batch
        # The second batch has many terms, so that a table with the size for the first batch would
        # be read beyond its end.
        builder = BatchBuilder(factory, jr.Limits())
        p = builder.iri("urn:p")
        for i in range(100_000):
            builder.add_row(jr.Op.A, builder.iri(f"urn:s{i}"), p, p)
        list(table.add(builder.drain(has_graphs=True)))
        assert added
        assert sum(len(each) for each in table.flush()) == 1


class TestWriting:
    @given(strategies.streams(), strategies.dice)
    def test_rows_make_the_operations_again(self, stream: Stream, rng: random.Random) -> None:
        data = encode(stream, rng)
        strategies.make_room(stream.options, stream.operations)
        file = io.BytesIO()
        write_arrow(read_arrow(data), file, options=options_of(stream.options))
        assert read(file.getvalue()) == read(data)

    @pytest.mark.parametrize(
        "kind",
        [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    )
    def test_any_arrow_string_will_do(self, kind: Any) -> None:
        column = pa.array(["<urn:a>", "<urn:b>"]).cast(kind).slice(1)
        record_batch = pa.record_batch({"s": column, "p": column, "o": column})
        (batch,) = read_record_batches([record_batch])
        assert list(batch) == [operation(("A", *[("iri", "urn:b")] * 3, None))]

    NO_TERMS = (
        *("", "urn:a", "<urn:a", "<urn:a> .", "<urn:a> .\nD <urn:a> <urn:a> <urn:a>", "1", "'x'"),
        *('"x', '"x"@', '"x"^^urn:a', '"x\\y"', '"\\ud800"', "_:a.", "ex:a"),
        "<< <urn:a> <urn:a> 1 >>",
    )

    @pytest.mark.parametrize("text", NO_TERMS)
    def test_what_is_no_term_is_refused(self, text: str) -> None:
        column = pa.array(["<urn:a>", "<urn:a>"])
        record_batch = pa.record_batch({"s": column, "p": column, "o": ["<urn:a>", text]})
        with pytest.raises(jr.EncodeError, match=r"row 1, column o: .* is not an N-Triples term"):
            list(read_record_batches([record_batch]))

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ({"op": None}, "op is null"),
            ({"op": "X"}, "'X' is not an op: ops are H, TX"),
            ({"op": "A", "s": None}, "operation A has no s"),
            ({"op": "D", "o": None}, "operation D has no o"),
            ({"op": "H", "name": None}, "operation H has no name"),
            ({"op": "H", "o": None}, "operation H has no o"),
            ({"op": "PA", "o": None}, "operation PA has no o"),
            ({"op": "PA", "o": '"x"'}, "operation PA has an o that is not an IRI"),
        ],
    )
    def test_what_is_no_operation_is_refused(self, row: dict[str, Any], message: str) -> None:
        whole = {"op": "A", "s": "<a>", "p": "<b>", "o": "<c>", "g": None, "name": "n", **row}
        record_batch = pa.RecordBatch.from_pylist(
            [whole], schema=arrow_schema(["op", "s", "p", "o", "g", "name"])
        )
        with pytest.raises(jr.EncodeError, match=f"row 0: {message}"):
            list(read_record_batches([record_batch]))

    def test_a_table_is_written_as_its_record_batches_are(self, tmp_path: Path) -> None:
        patch = jr.Patch([operation(("A", *QUAD))])
        table = patch.to_arrow()
        for rows in (table, table.to_batches(), table.to_reader(), patch, *table.to_batches()):
            write_arrow(rows, tmp_path / "q.jellyp")
            assert list(jr.read_patches(tmp_path / "q.jellyp")) == [patch]

    def test_wrong_rows_leave_the_file_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "q.jellyp"
        path.write_bytes(write([("A", *QUAD)]))
        before = path.read_bytes()
        table = pa.table({"s": ["<a>"], "p": ["<b>"], "o": ["<c>"]})
        for rows, error, message in [
            ("q.jellyp", TypeError, "str is not a record batch: give a table itself, or"),
            ([table], TypeError, "Table is not a record batch: give a table itself, or"),
            (table.drop_columns("o"), jr.EncodeError, "there is no column 'o'"),
            (table.append_column("G", table["s"]), jr.EncodeError, "a patch has no column 'G'"),
            (table.slice(0, 1).set_column(2, "o", [["c"]]), jr.EncodeError, "'c' is not an N-"),
        ]:
            with pytest.raises(error, match=message):
                write_arrow(rows, path)
            assert path.read_bytes() == before
        with pytest.raises(jr.EncodeError, match="operation D is not a statement"):
            write_arrow(read_arrow(write([("D", *QUAD)])), path, format="jelly-rdf")
        assert path.read_bytes() == before

    @pytest.mark.parametrize(
        ("column", "name"), [("s", "subject"), ("p", "predicate"), ("g", "graph")]
    )
    def test_a_literal_that_is_no_object_is_named_with_its_row(
        self, column: str, name: str
    ) -> None:
        row = {"s": "<urn:s>", "p": "<urn:p>", "o": '"lit"', "g": "<urn:g>"}
        batches = [
            pa.RecordBatch.from_pylist(part)
            for part in ([row] * 3, [row, {**row, column: '"lit"'}])
        ]
        message = (
            f'row 4: the literal "lit" is the {name}, but only an object may be a literal:'
            " options need generalized_statements=True"
        )
        for options in (jr.PatchOptions(), jr.StreamOptions()):
            with pytest.raises(jr.EncodeError, match=f"^{message}$"):
                write_arrow(batches, io.BytesIO(), options=options)
        options = jr.PatchOptions(generalized_statements=True)
        write_arrow(batches, io.BytesIO(), options=options)

    def test_a_column_of_structs_is_named(self) -> None:
        batches = read_arrow(write([("A", *QUAD)]), terms="struct")
        with pytest.raises(jr.EncodeError, match=r"has structs: .* as with terms='string'"):
            list(read_record_batches(batches))

    def test_statements_are_written_as_jelly_rdf(self) -> None:
        row = dict(zip("spo", map(spell, QUAD[:3]), strict=True))
        record_batch = pa.RecordBatch.from_pylist([row])
        for arguments in ({"options": jr.StreamOptions()}, {"format": "jelly-rdf"}):
            file = io.BytesIO()
            write_arrow([record_batch], file, **arguments)
            assert jr.inspect(file.getvalue()).format == "jelly-rdf"
            found = rows(file.getvalue(), columns=["frame", "s", "p", "o"])
            assert found == [{"frame": 1, **row}]

    def test_changes_are_not_written_as_jelly_rdf(self) -> None:
        batches = read_arrow(write([("D", *QUAD)]))
        with pytest.raises(jr.EncodeError, match="operation D is not a statement"):
            write_arrow(batches, io.BytesIO(), format="jelly-rdf")

    def test_statements_are_written_in_the_named_syntax(self) -> None:
        file = io.BytesIO()
        table = pa.table({"s": ["<urn:s>"], "p": ["<urn:p>"], "o": ['"x"']})
        write_arrow(table, file, format="n-triples")
        assert file.getvalue() == b'<urn:s> <urn:p> "x" .\n'

    def test_jelly_rdf_has_other_options_than_patches(self) -> None:
        with pytest.raises(TypeError, match="options must be StreamOptions, not PatchOptions"):
            write_arrow([], io.BytesIO(), format="jelly-rdf", options=jr.PatchOptions())

    def test_a_transaction_that_is_not_ended_is_an_error(self) -> None:
        rows = [{"op": "TX", "s": None, "p": None, "o": None}]
        schema = arrow_schema(["op", "s", "p", "o"])
        record_batch = pa.RecordBatch.from_pylist(rows, schema=schema)
        with pytest.raises(jr.EncodeError, match="inside a transaction"):
            write_arrow([record_batch], io.BytesIO())


class TestFilters:
    @given(strategies.streams(), strategies.dice, st.data())
    def test_the_rows_are_those_that_meet_the_conditions(
        self, stream: Stream, rng: random.Random, data: st.DataObject
    ) -> None:
        pool = [spell(term) for term in all_terms(stream)] + ["<urn:never>", "no term"]
        conditions = data.draw(
            st.lists(
                st.tuples(
                    st.sampled_from("spog"),
                    st.none() | st.lists(st.sampled_from(pool), max_size=3),
                    st.booleans(),
                    st.booleans(),
                ),
                max_size=3,
            )
        )
        ops = data.draw(st.none() | st.sets(st.sampled_from(list(jr.Op))))
        factory, limits = make_node_factory(False), jr.Limits()
        by_column: dict[str, list[TermCondition]] = {name: [] for name in "spog"}
        for column, values, is_negated, accepts_null in conditions:
            by_column[column].append(
                TermCondition(
                    factory, limits, values, is_negated=is_negated, accepts_null=accepts_null
                )
            )

        def is_wanted(row: dict[str, Any]) -> bool:
            for column, values, is_negated, accepts_null in conditions:
                text = row[column]
                if text is None:
                    if not accepts_null:
                        return False
                elif values is None:
                    if is_negated:
                        return False
                elif (text in values) == is_negated:
                    return False
            return ops is None or jr.Op[row["op"]] in ops

        encoded = encode(stream, rng)
        row_filter = RowFilter(ops=ops, **by_column)
        names = ["patch", "txn", "seq", "op", "s", "p", "o", "g", "name"]
        found = ArrowRows(arrow_schema(names), filter=row_filter)
        got = [row for each in found.convert(jr.read_batches(encoded)) for row in each.to_pylist()]
        everything = [row for each in read_arrow(encoded) for row in each.to_pylist()]
        assert got == [row for row in everything if is_wanted(row)]


class TestMemory:
    @pytest.mark.slow
    def test_what_is_taken_is_given_back(self) -> None:
        iri = ("iri", "urn:a")
        data = write([("A", iri, iri, ("bnode", f"b {n}"), DEFAULT_GRAPH) for n in range(50)])
        batches = list(read_arrow(data))
        bad = pa.record_batch({"s": ["<urn:a>", "x"], "p": ["<a>"] * 2, "o": ["<a>"] * 2})
        condition = TermCondition(make_node_factory(False), jr.Limits(), ["_:b", "x", "<urn:a>"])

        def work() -> None:
            for terms in ("string", "struct"):
                for _ in read_arrow(data, terms=terms, max_rows=7):
                    pass
            found = ArrowRows(arrow_schema(["s", "o"]), filter=RowFilter(s=[condition]))
            list(found.convert(jr.read_batches(data)))
            list(read_record_batches(batches))
            with pytest.raises(jr.EncodeError):
                list(read_record_batches([bad]))

        assert_nothing_is_kept(work)
