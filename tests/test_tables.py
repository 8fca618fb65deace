"""Tests patches, batches and readers as tables in pyarrow, pandas, polars and DuckDB."""

import io
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from rdflib import Dataset, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests import strategies
from tests.oracle import producer
from tests.oracle.terms import operation
from tests.pieces import Pieces
from tests.spelling import rows_of, spell
from tests.strategies import Stream
from tests.support import run, write

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

TEXTS = ["op", "s", "p", "o", "g", "name"]
QUAD = (("iri", "urn:s"), ("iri", "urn:p"), ("iri", "urn:o"), None)
S, P, OBJECT, G = map(URIRef, ("urn:s", "urn:p", "urn:o", "urn:g"))


def in_duckdb(rows: Any) -> Any:
    return duckdb.sql("SELECT * FROM rows ORDER BY seq")


WAYS: dict[str, Callable[[Any], Any]] = {
    "pyarrow": pa.table,
    "polars": pl.DataFrame,
    "duckdb": in_duckdb,
    "strings": lambda patch: patch.to_arrow(terms="string"),
    "to_pandas": lambda patch: patch.to_pandas(),
    "to_polars": lambda patch: patch.to_polars(),
    "record batch": lambda patch: pa.table(patch).combine_chunks().to_batches()[0],
    "slice": lambda patch: pa.concat_tables([pa.table(patch)[:1], pa.table(patch)[1:]]),
}


def encode(stream: Stream, rng: random.Random) -> bytes:
    return producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)


class TestTables:
    @given(strategies.streams(), strategies.dice)
    def test_rows_say_what_operations_say(self, stream: Stream, rng: random.Random) -> None:
        data = encode(stream, rng)
        expected = rows_of(stream.operations)
        for read in (jr.read_batches, jr.read_operations, jr.read_patches):
            table = pa.table(read(data))
            table.validate(full=True)
            assert table.to_pylist() == expected
            assert pl.DataFrame(read(data)).height == len(expected)
        for record_batch in jr.read_batches(data).to_arrow().to_batches():
            for name in TEXTS:
                column = record_batch.column(name)
                texts = column.dictionary.to_pylist()
                assert len(texts) == len(set(texts))
                assert set(texts) == (set(column.drop_null().to_pylist()) or {""})

    def test_texts_are_known_over_batches_and_anew_in_each_record_batch(self) -> None:
        terms = [("iri", f"urn:{number % 50}") for number in range(40_000)]
        file = io.BytesIO()
        with jr.PatchWriter(file, jr.PatchOptions(frame_rows=100)) as writer:
            writer.write_all(operation(("A", *QUAD[:2], term, None)) for term in terms)
        table = jr.read_batches(file.getvalue()).to_arrow()
        assert table["o"].to_pylist()[:-1] == [spell(term) for term in terms]
        assert [len(chunk.dictionary) for chunk in table["o"].chunks] == [50] * 3

    def test_a_batch_is_one_record_batch(self) -> None:
        for count in (0, 1, 40_000):
            rows = "A <urn:s> <urn:p> <urn:o> .\n" * count or "TX .\nTC .\n"
            patch = jr.Patch.from_arrow(jr.read_batches(rows.encode()))
            batch = next(
                jr.read_batches(patch.serialize(options=jr.PatchOptions(frame_rows=50_000)))
            )
            record_batch = pa.record_batch(batch)
            record_batch.validate(full=True)
            assert record_batch.num_rows == len(batch) >= count
            assert pl.DataFrame(batch).height == pa.table(batch).num_rows == len(batch)

    def test_an_empty_patch_has_the_schema(self) -> None:
        schema = pa.schema(jr.Patch())
        assert schema.names == ["patch", "txn", "seq", *TEXTS]
        for patch in (jr.Patch(), jr.Patch.of_slices([])):
            assert pa.table(patch).schema == schema
            assert pl.DataFrame(patch).shape == (0, 9)

    def test_another_schema_can_be_asked_for(self) -> None:
        patch = jr.Patch([(Op.A, S, P, OBJECT, None)])
        fields = [
            field.with_type(pa.string()) if field.name in TEXTS else field
            for field in pa.schema(patch)
        ]
        wanted = pa.schema(fields)
        assert pa.table(patch, schema=wanted).schema == wanted
        batch = next(jr.read_batches(patch.serialize()))
        assert pa.record_batch(batch, schema=wanted).schema == wanted

    def test_columns_are_chosen(self) -> None:
        patch = jr.Patch([(Op.A, S, P, OBJECT, G)])
        assert patch.to_polars(["g", "op"]).rows() == [("<urn:g>", "A")]
        assert list(patch.to_pandas(["s"]).columns) == ["s"]
        with pytest.raises(ValueError, match="no column 'file': there are patch, txn, seq"):
            patch.to_arrow(["file"])
        with pytest.raises(ValueError, match="'dictionary', 'string' or 'struct', not 'text'"):
            patch.to_arrow(terms="text")

    def test_statements_are_additions(self) -> None:
        file = io.BytesIO()
        options = jr.StreamOptions(namespace_declarations=True)
        with jr.StatementWriter(file, options) as writer:
            writer.add_namespace("ex", URIRef("urn:ex#"))
            writer.add(S, P, OBJECT)
            writer.add_namespace("ey", URIRef("urn:ey#"))
            writer.add(S, P, Literal("x"))
        reader = jr.read_statements(file.getvalue())
        assert next(reader)[2] == OBJECT
        found = reader.to_arrow(["op", "o"]).to_pylist()
        assert found == [{"op": "A", "o": '"x"'}]
        rows = pa.table(jr.read_statements(file.getvalue()))["op"].to_pylist()
        assert rows == ["A", "A"]

    @pytest.mark.parametrize("terms", ["dictionary", "string", "struct"])
    def test_a_log_has_versions_times_and_headers(self, tmp_path: Path, terms: str) -> None:
        log = jr.PatchLog(tmp_path / "log", create=True)
        for number in range(9):
            by = [(Op.H, "by", Literal(f"{number % 2}"))] if number % 3 else []
            rows = [(Op.A, S, P, Literal(f"{number} {row}"), None) for row in range(4000)]
            log.append([*by, (Op.TX,), *rows, (Op.TC,)])
        # The squashed patch has the headers of all patches; of several with a key, the last counts.
        log.squash(2, 4)
        entries = list(log.patches())
        columns = ["header:By", "version", "o", "time", "header:none"]
        with pytest.warns(UserWarning, match="no patch of the log has the header 'none'"):
            table = log.to_arrow(columns, terms=terms)
        assert table.schema.names == columns
        assert len(table["o"].chunks) > 1
        found = log.to_arrow(["patch", "op", "name", "o"], terms=terms).to_pylist()
        expected = []
        headers: dict[int, Any] = {}
        for row in found:
            if row["op"] == "H" and row["name"] == "by":
                headers[row["patch"]] = row["o"]
        for row in found:
            entry, by = entries[row["patch"] - 1], headers.get(row["patch"])
            values = (by, entry.version, row["o"], entry.time, None)
            expected.append(dict(zip(columns, values, strict=True)))
        assert table.to_pylist() == expected
        assert len(headers) == 5

    def test_columns_of_a_log_are_of_logs_alone(self, tmp_path: Path) -> None:
        log = jr.PatchLog(tmp_path / "log", create=True)
        names = ["version", "time", *pa.schema(jr.Patch()).names]
        assert pa.schema(log).names == pa.table(log).schema.names == names
        log.append([(Op.A, S, P, OBJECT, None)])
        assert duckdb.sql("SELECT version FROM log WHERE op = 'A'").fetchall() == [(1,)]
        patch = log.entry().read()
        table = log.to_arrow([*names, "header:id"])
        assert table["header:id"].to_pylist()[0] == f"<{log.entry().id}>"
        assert jr.Patch.from_arrow(table) == patch
        for column in ("version", "header:id"):
            with pytest.raises(ValueError, match=f"no column '{column}'"):
                patch.to_arrow([column])
        with pytest.raises(ValueError, match="no column 'by': there are version, time, patch"):
            log.to_polars(["by"])

    def test_a_log_numbers_its_patches(self, tmp_path: Path) -> None:
        log = jr.PatchLog(tmp_path / "log", create=True)
        for o in (OBJECT, G):
            log.append([(Op.TX,), (Op.A, S, P, o, None), (Op.TC,)])
        frame = log.to_polars(["patch", "txn", "op", "o"])
        added = frame.filter(pl.col("op") == "A").select("patch", "txn", "o").rows()
        assert added == [(1, 1, "<urn:o>"), (2, 2, "<urn:g>")]
        assert (
            pa.table(log).num_rows
            == frame.height
            == sum(len(entry.read()) + 1 for entry in log.patches())
        )

    def test_a_header_that_no_patch_has_is_warned_of(self, tmp_path: Path) -> None:
        log = jr.PatchLog(tmp_path / "log", create=True)
        log.to_arrow(["header:author"])
        log.append([(Op.H, "by", S), (Op.A, S, P, OBJECT, None)])
        message = "no patch of the log has the header 'author': there are by, id$"
        with pytest.warns(UserWarning, match=message):
            log.to_arrow(["header:by", "header:author"])

    def test_a_reader_that_is_used_up_is_an_error(self) -> None:
        data = write([("TX",), ("A", *QUAD), ("TC",)])
        for read in (jr.read_batches, jr.read_operations, jr.read_patches):
            for use in (list, lambda reader: reader.to_arrow(), lambda reader: reader.close()):
                reader = read(data)
                use(reader)
                for again in (reader.to_pandas, reader.to_polars, reader.__arrow_c_stream__):
                    with pytest.raises(ValueError, match=r"exhausted or closed.*: reopen it"):
                        again()

    def test_a_reader_gives_what_it_has_not_given_yet(self) -> None:
        data = write([("TX",), ("A", *QUAD), ("TC",)])
        operations = jr.read_operations(data)
        next(operations)
        assert operations.to_arrow(["op"]).to_pydict() == {"op": ["A", "TC", "END"]}
        assert list(operations) == []

    def test_record_batches_are_made_as_asked_for(self) -> None:
        data = b"A <urn:s> <urn:p> <urn:o> .\n" * 100_000
        source = Pieces(data, 1 << 12)
        stream = pa.RecordBatchReader.from_stream(jr.read_batches(source))
        assert source.at < len(data) // 20
        first = stream.read_next_batch()
        assert first.num_rows * len(data) // 100_000 <= source.at < len(data) // 2

    def test_an_error_comes_as_it_is(self) -> None:
        data = write([("TX",), ("A", *QUAD), ("TC",)])[:-3]
        with pytest.raises(jr.DecodeError, match="byte"):
            jr.read_batches(data).to_arrow()
        # An error that passes through capsules keeps only its message.
        with pytest.raises(pa.ArrowInvalid, match="DecodeError"):
            pa.table(jr.read_batches(data))

    def test_what_is_no_operation_is_refused(self) -> None:
        for wrong in [
            (Op.A, S, P, None, None),
            (Op.A, S, P),
            (Op.H, 1, S),
            (Op.PA, "ex", Literal("x"), None),
            (0,),
        ]:
            with pytest.raises(jr.EncodeError):
                jr.Patch([(Op.TX,), wrong]).to_arrow()


class TestLibraries:
    PATCH = jr.Patch(
        [
            (Op.TX,),
            (Op.A, S, P, Literal("a"), G),
            (Op.A, S, P, Literal("b"), G),
            (Op.D, S, P, Literal("a"), G),
            (Op.TC,),
        ]
    )

    def test_pandas(self) -> None:
        frame = self.PATCH.to_pandas()
        assert set(frame.dtypes[TEXTS].map(str)) == {"category"}
        assert set(frame.dtypes[["patch", "txn", "seq"]].map(str)) == {"Int64"}
        counts = frame.groupby("o", observed=True).size()
        assert counts.to_dict() == {'"a"': 2, '"b"': 1}

    def test_polars(self) -> None:
        frame = pl.DataFrame(self.PATCH)
        assert all(frame.schema[name] == pl.Categorical for name in TEXTS)
        assert frame.equals(self.PATCH.to_polars())
        counts = frame.drop_nulls("o").group_by("o").len().rows()
        assert dict(counts) == {'"a"': 2, '"b"': 1}

    def test_duckdb(self) -> None:
        patch = self.PATCH
        assert isinstance(patch, jr.Patch)
        query = "SELECT o, count(*) FROM patch WHERE op IN ('A', 'D') GROUP BY o ORDER BY o"
        # A patch can be queried repeatedly.
        for _ in range(2):
            assert duckdb.sql(query).fetchall() == [('"a"', 2), ('"b"', 1)]

    @pytest.mark.parametrize("package", ["pandas", "polars"])
    def test_a_package_that_is_missing_is_named(
        self, package: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ModuleNotFoundError, match=f"needs {package}: pip install '{package}'"):
            getattr(self.PATCH, f"to_{package}")()

    def test_without_pyarrow_the_extra_is_named(self) -> None:
        out = run(
            "sys.modules['pyarrow'] = None\n"
            "patch = Patch()\n"
            "for use in (patch.__arrow_c_stream__, patch.to_arrow, lambda: Patch.from_arrow(1)):\n"
            "    try:\n"
            "        use()\n"
            "    except ModuleNotFoundError as error:\n"
            "        print(error)\n"
        )
        assert out == "jelly_rdflib.arrow needs pyarrow: pip install 'jelly-rdflib[arrow]'\n" * 3


class TestBackAgain:
    @settings(max_examples=20)
    @given(strategies.streams(one_patch=True), strategies.dice)
    def test_a_table_makes_the_patch_again(self, stream: Stream, rng: random.Random) -> None:
        assume(len(stream.operations) > 1)
        (read,) = jr.read_patches(encode(stream, rng), normalize=False)
        for patch in (read, jr.Patch(map(operation, stream.operations))):
            for name, way in WAYS.items():
                assert jr.Patch.from_arrow(way(patch)) == patch, name

    def test_the_default_graph_is_null_wherever_the_rows_come_from(self, tmp_path: Path) -> None:
        default = DATASET_DEFAULT_GRAPH_ID
        patch = jr.Patch([(Op.A, S, P, OBJECT, g) for g in (None, default, G)])
        log = jr.PatchLog(tmp_path / "log", create=True)
        log.append(patch)
        target = Dataset(store="Jelly")
        patch.apply(target)
        for rows in (patch, log, jr.read_batches(patch.serialize()), jr.read_batches(target)):
            found = {row["g"] for row in rows.to_arrow().to_pylist() if row["op"] == "A"}
            assert found == {None, "<urn:g>"}
        again = jr.Patch.from_arrow(pl.DataFrame(patch))
        assert again.to_arrow() == patch.to_arrow()
        assert [operation[4] for operation in again] == [None, None, G]
        quads = jr.Patch([(Op.A, S, P, OBJECT, g) for g in (default, G)])
        # The quads are written to and applied to the default graph, not a named graph.
        again = jr.Patch.from_arrow(quads.to_arrow())
        for format in ("jelly-patch", "rdf-patch", "rdf-patch-thrift"):
            assert again.serialize(format=format) == quads.serialize(format=format)
        for store in ("default", "Jelly"):
            target = Dataset(store=store)
            again.apply(target)
            assert {len(target.graph(name)) for name in (default, G)} == {1}
            assert len(target.default_graph) == 1

    def test_rows_that_were_chosen_are_a_patch(self) -> None:
        patch = TestLibraries.PATCH
        frame = patch.to_pandas()
        chosen = jr.Patch.from_arrow(frame[frame["op"] == "A"])
        assert chosen == patch[1:3]
        assert jr.Patch.from_arrow(patch.to_polars().filter(pl.col("op") == "A")) == patch[1:3]

    def test_texts_alone_are_additions(self) -> None:
        table = pa.table({"s": ["_:a"], "p": ["<urn:p>"], "o": ['"1"^^<urn:d>']})
        ((op, _, p, o, g),) = jr.Patch.from_arrow(table)
        assert (op, p, o, g) == (Op.A, P, Literal("1", datatype=URIRef("urn:d")), None)

    def test_several_patches_are_refused(self) -> None:
        options = jr.PatchOptions(stream_type="PUNCTUATED")
        data = write([("A", *QUAD), ("END",), ("A", *QUAD), ("END",)], options)
        with pytest.raises(jr.EncodeError, match="row 1: the patch ends, but rows follow"):
            jr.Patch.from_arrow(jr.read_batches(data))

    def test_a_column_of_something_else_is_named(self) -> None:
        table = pa.table(TestLibraries.PATCH)
        with pytest.raises(jr.EncodeError, match="a patch has no column 'when': its columns are"):
            jr.Patch.from_arrow(table.append_column("when", table["seq"]))
        with pytest.raises(jr.EncodeError, match="column 'g' has the type int64, not string"):
            jr.Patch.from_arrow(table.drop_columns("g").append_column("g", table["seq"]))
        nulls = pa.nulls(len(table), pa.float64())
        no_graph = table.drop_columns("g").append_column("g", nulls)
        assert {row[4] for row in jr.Patch.from_arrow(no_graph) if len(row) == 5} == {None}
        with pytest.raises(jr.EncodeError, match="there is no column 'p'"):
            jr.Patch.from_arrow(table.drop_columns("p"))

    def test_a_value_that_is_wrong_is_named_with_its_row(self) -> None:
        good = pa.table(
            {"op": ["A"] * 5000, "s": ["<a>"] * 5000, "p": ["<b>"] * 5000, "o": ["_:c"] * 5000}
        )
        for column, value, message in [
            ("op", "X", "row 10003: 'X' is not an op"),
            ("op", None, "row 10003: op is null"),
            ("o", "<c", "row 10003, column o: '<c' is not an N-Triples term"),
            ("s", None, "row 10003: operation A has no s"),
        ]:
            row = {"op": "A", "s": "<a>", "p": "<b>", "o": "<c>", column: value}
            bad = pa.Table.from_pylist([*good.slice(0, 3).to_pylist(), row], good.schema)
            with pytest.raises(jr.EncodeError, match=message):
                jr.Patch.from_arrow(pa.concat_tables([good, good, bad]))

    def test_what_is_no_table_is_refused(self) -> None:
        with pytest.raises(TypeError, match="list is not a table: it has no __arrow_c_stream__"):
            jr.Patch.from_arrow([])

    def test_limits_hold(self) -> None:
        table = pa.table({"s": ["<a>"], "p": ["<b>"], "o": [f'"{"x" * 100}"']})
        with pytest.raises(jr.LimitError, match="max_string_size"):
            jr.Patch.from_arrow(table, limits=jr.Limits(max_string_size=50))
