"""Reading files through the data sources, on a real session."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib.streams import index
from tests.spark.files import COLUMNS, iri, make_operations, read_rows, write_file
from tests.spelling import rows_of

pytest.importorskip("pyspark")

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("registered")


def load(spark: SparkSession, path: Any, format: str = "jelly-patch", **options: Any) -> DataFrame:
    paths = [str(each) for each in path] if isinstance(path, list) else str(path)
    return spark.read.format(format).options(**options).load(paths)


class TestRows:
    @pytest.mark.parametrize("name", ["a.jellyp", "a.jellyp.gz", "a.jellyp.zst", "a.rdfp"])
    def test_a_row_is_an_operation(self, spark: SparkSession, tmp_path: Path, name: str) -> None:
        operations = make_operations(3, 20)
        path = write_file(tmp_path / name, operations)
        table = load(spark, path, "rdf-patch" if name == "a.rdfp" else "jelly-patch")
        assert table.columns == ["file", *COLUMNS]
        assert read_rows(table) == rows_of(operations)
        assert {row.file for row in table.select("file").distinct().collect()} == {str(path)}

    def test_files_folders_and_globs_are_read(self, spark: SparkSession, tmp_path: Path) -> None:
        for folder in "ab":
            (tmp_path / folder).mkdir()
            for number in range(2):
                write_file(tmp_path / folder / f"{number}.jellyp", make_operations(1, 2))
        (tmp_path / "a" / "_hidden").write_bytes(b"no patch")
        (tmp_path / "a" / ".hidden").write_bytes(b"no patch")
        (tmp_path / "a" / "0.jellyp.idx").write_bytes(b"no patch")

        def files(path: Any, **options: Any) -> list[str]:
            rows = load(spark, path, **options).select("file").distinct().collect()
            return sorted(str(Path(row.file).relative_to(tmp_path)) for row in rows)

        assert files(tmp_path / "a") == ["a/0.jellyp", "a/1.jellyp"]
        assert files([tmp_path / "b", tmp_path / "a" / "1.jellyp"]) == [
            "a/1.jellyp",
            "b/0.jellyp",
            "b/1.jellyp",
        ]
        assert files(tmp_path / "*" / "0.jelly?") == ["a/0.jellyp", "b/0.jellyp"]
        assert files(tmp_path / "{a,b}" / "{0,none}.jelly{p,{p,x}}") == ["a/0.jellyp", "b/0.jellyp"]
        assert files((tmp_path / "a" / "0.jellyp").as_uri()) == ["a/0.jellyp"]
        assert files(tmp_path, recursiveFileLookup="true", pathGlobFilter="1*") == [
            "a/1.jellyp",
            "b/1.jellyp",
        ]

    def test_statements_are_rows_of_jelly(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "a.jelly"
        options = jr.StreamOptions(frame_rows=2, namespace_declarations=True)
        from rdflib import Literal, URIRef

        with jr.StatementWriter(path, options) as writer:
            writer.add_namespace("ex", "http://example.org/")
            for number in range(4):
                writer.add(URIRef("urn:s"), URIRef("urn:p"), Literal(number), URIRef("urn:g"))
        table = load(spark, path, "jelly").orderBy("seq")
        assert table.columns == ["file", "frame", "seq", "s", "p", "o", "g"]
        integer = "<http://www.w3.org/2001/XMLSchema#integer>"
        assert [tuple(row)[2:] for row in table.collect()] == [
            (1 + number, "<urn:s>", "<urn:p>", f'"{number}"^^{integer}', "<urn:g>")
            for number in range(4)
        ]
        frames = [row.frame for row in table.collect()]
        assert frames == sorted(frames)
        assert len(set(frames)) > 1

    def test_terms_may_be_structs(self, spark: SparkSession, tmp_path: Path) -> None:
        path = write_file(tmp_path / "a.jellyp", make_operations(1, 4))
        table = load(spark, path, terms="struct").where("op in ('A', 'D')").orderBy("seq")
        assert [row.o.asDict() for row in table.select("o").collect()][1:3] == [
            {
                "kind": "literal",
                "value": "1",
                "datatype": "http://www.w3.org/2001/XMLSchema#integer",
                "lang": None,
            },
            {"kind": "literal", "value": "chat", "datatype": None, "lang": "fr"},
        ]
        assert table.where("s.value like '%s1'").count() == 1
        assert table.where("g is null").count() == 2

    def test_a_given_schema_chooses_columns(self, spark: SparkSession, tmp_path: Path) -> None:
        operations = make_operations(2, 5)
        path = write_file(tmp_path / "a.jellyp", operations)
        table = spark.read.format("jelly-patch").schema("s string, op string").load(str(path))
        assert table.columns == ["s", "op"]
        assert sorted(map(str, table.collect())) == sorted(
            f"Row(s={row['s']!r}, op={row['op']!r})" for row in rows_of(operations)
        )

    def test_a_schema_with_other_columns_is_refused(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        path = write_file(tmp_path / "a.jellyp", make_operations(1, 1))
        for schema, message in (
            ("subject string", "there is no column 'subject'"),
            ("seq string", "the column 'seq' of .* is to be bigint, but is string"),
        ):
            with pytest.raises(Exception, match=message):
                spark.read.format("jelly-patch").schema(schema).load(str(path)).collect()


@pytest.fixture(scope="module")
def operations_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_file(tmp_path_factory.mktemp("filters") / "a.jellyp", make_operations(2, 60))


class TestFilters:
    CONDITIONS = (
        "op = 'A'",
        "op in ('A', 'D')",
        "op <> 'A'",
        "s = '<http://example.org/s1>'",
        "s in ('<http://example.org/s1>', '<http://example.org/s2>', 'no term')",
        "s <=> '<http://example.org/s1>'",
        "not (s <=> '<http://example.org/s1>')",
        "s <> '<http://example.org/s1>'",
        "s not in ('<http://example.org/s1>', '<http://example.org/s2>')",
        "g is null",
        "g is not null and p = '<http://example.org/p1>'",
        "o = '\"chat\"@fr' and op = 'A' and g is null",
        "o like '<%' and s = '<http://example.org/s1>'",
        "g = '<http://example.org/graph0>' or s = '<http://example.org/s3>'",
        "seq > 5 and op = 'D'",
        "name = 'ex'",
        "op is null",
    )

    @pytest.mark.parametrize("condition", CONDITIONS)
    def test_they_choose_the_rows_that_spark_would(
        self, spark: SparkSession, operations_file: Path, condition: str
    ) -> None:
        # Each condition has a DataFrame of its own: see the last test here.
        pushed = load(spark, operations_file, pushFilters="true").where(condition)
        assert read_rows(pushed) == read_rows(load(spark, operations_file).where(condition))

    def test_those_on_terms_are_taken_over(
        self, spark: SparkSession, operations_file: Path
    ) -> None:
        condition = "op = 'A' and s = '<x>' and g is null"
        pushed = load(spark, operations_file, pushFilters="true").where(condition)
        assert " Filter (" not in pushed._jdf.queryExecution().executedPlan().toString()
        left = load(spark, operations_file).where(condition)
        assert " Filter (" in left._jdf.queryExecution().executedPlan().toString()

    @pytest.mark.parametrize("terms", ["string", "struct"])
    def test_those_on_files_leave_files_unread(
        self, spark: SparkSession, tmp_path: Path, terms: str
    ) -> None:
        good = write_file(tmp_path / "a.jellyp", make_operations(1, 5))
        (tmp_path / "b.jellyp").write_bytes(b"damaged")
        table = load(spark, tmp_path, pushFilters="true", terms=terms).where(f"file = '{good}'")
        assert table.count() == 10

    @pytest.mark.parametrize(
        ("options", "condition"),
        [
            ({"op": "A"}, "op = 'A'"),
            ({"op": "a, D"}, "op in ('A', 'D')"),
            ({"s": "<http://example.org/s1>"}, "s = '<http://example.org/s1>'"),
            ({"g": "null", "op": "A,D"}, "g is null and op in ('A', 'D')"),
            ({"p": "<http://no.such>"}, "p = '<http://no.such>'"),
        ],
    )
    def test_options_choose_rows_too(
        self,
        spark: SparkSession,
        operations_file: Path,
        options: dict[str, str],
        condition: str,
    ) -> None:
        table = load(spark, operations_file)
        assert read_rows(load(spark, operations_file, **options)) == read_rows(
            table.where(condition)
        )
        assert read_rows(table) == rows_of(make_operations(2, 60))

    @pytest.mark.xfail(strict=True, reason="Spark keeps a query's filters for the next query")
    def test_spark_forgets_them_with_the_query(
        self, spark: SparkSession, operations_file: Path
    ) -> None:
        table = load(spark, operations_file, pushFilters="true")
        count = table.count()
        assert table.where("s = '<http://example.org/s3>'").count() < count
        assert table.count() == count


class TestParts:
    @pytest.fixture
    def large(self, tmp_path: Path) -> Path:
        return write_file(tmp_path / "large.jellyp", make_operations(20, 300), frame_rows=50)

    def test_a_large_file_is_read_in_parts(self, spark: SparkSession, large: Path) -> None:
        table = load(spark, large, partitionBytes=4096)
        assert table.rdd.getNumPartitions() > 5
        assert read_rows(table) == rows_of(make_operations(20, 300))

    def test_an_index_is_used(
        self, spark: SparkSession, large: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parts = index.find_parts(large, spacing=4096)
        index.write_index(large, parts)
        found = index.load_index(large, spacing=4096)
        assert found is not None
        assert [(part.start, part.end) for part in found] == [
            (part.start, part.end) for part in parts
        ]
        assert all(isinstance(part.state, tuple) for part in found[1:])
        table = load(spark, large, partitionBytes=10_000)
        assert 2 < table.rdd.getNumPartitions() < len(parts)
        assert read_rows(table) == rows_of(make_operations(20, 300))

    def test_a_stale_index_is_not_used(self, spark: SparkSession, large: Path) -> None:
        index.write_index(large, index.find_parts(large, spacing=4096))
        write_file(large, make_operations(20, 301), frame_rows=50)
        with pytest.raises(index.StaleIndexError, match="not of the file beside it"):
            index.load_index(large)
        table = load(spark, large, partitionBytes=4096)
        assert read_rows(table) == rows_of(make_operations(20, 301))

    def test_what_is_compressed_is_one_part(
        self, spark: SparkSession, large: Path, tmp_path: Path
    ) -> None:
        packed = tmp_path / "packed.jellyp.gz"
        packed.write_bytes(gzip.compress(large.read_bytes()))
        table = load(spark, packed, partitionBytes=1024)
        assert table.rdd.getNumPartitions() == 1
        assert table.count() == len(make_operations(20, 300))

    def test_small_files_share_a_partition(self, spark: SparkSession, tmp_path: Path) -> None:
        for number in range(6):
            write_file(tmp_path / f"{number}.jellyp", make_operations(1, 3))
        assert load(spark, tmp_path).rdd.getNumPartitions() == 1
        assert load(spark, tmp_path, partitionBytes=1).rdd.getNumPartitions() == 6

    def test_statements_are_read_in_parts_too(self, spark: SparkSession, tmp_path: Path) -> None:
        from rdflib import Literal, URIRef

        path = tmp_path / "a.jelly"
        with jr.StatementWriter(path, jr.StreamOptions(frame_rows=10)) as writer:
            for number in range(500):
                writer.add(URIRef(f"urn:s{number % 9}"), URIRef("urn:p"), Literal(str(number)))
        whole = load(spark, path, "jelly")
        parts = load(spark, path, "jelly", partitionBytes=1000)
        assert parts.rdd.getNumPartitions() > 3
        names = ["frame", "seq", "s", "p", "o", "g"]
        assert read_rows(parts, *names) == read_rows(whole, *names)
        assert [row["o"] for row in read_rows(whole, "o")] == [f'"{n}"' for n in range(500)]


class TestBadInput:
    @pytest.fixture
    def damaged(self, tmp_path: Path) -> Path:
        good = (
            write_file(tmp_path / "a" / "good.jellyp", make_operations(1, 3))
            if ((tmp_path / "a").mkdir() is None)
            else None
        )
        assert good is not None
        bad = write_file(tmp_path / "a" / "bad.jellyp", make_operations(3, 30), frame_rows=20)
        data = bytearray(bad.read_bytes())
        data[len(data) // 2 :] = b"\xff" * (len(data) - len(data) // 2)
        bad.write_bytes(data)
        return tmp_path / "a"

    def test_failfast_names_the_file(self, spark: SparkSession, damaged: Path) -> None:
        for options in ({}, {"mode": "failfast"}):
            with pytest.raises(Exception, match=r"bad\.jellyp: .*byte \d+"):
                load(spark, damaged, **options).collect()

    def test_permissive_keeps_the_good_frames_and_tells_the_rest(
        self, spark: SparkSession, damaged: Path
    ) -> None:
        table = load(spark, damaged, mode="PERMISSIVE")
        assert table.columns[-1] == "_corrupt"
        (row,) = table.where("_corrupt is not null").collect()
        assert row.file == row._corrupt.file == str(damaged / "bad.jellyp")
        size = (damaged / "bad.jellyp").stat().st_size
        assert size // 4 < row._corrupt.offset < size
        assert "byte" in row._corrupt.reason
        assert row.op is None
        rows = read_rows(table.where("_corrupt is null and file like '%bad%'"))
        assert len(rows) > 20
        assert rows == rows_of(make_operations(3, 30))[: len(rows)]

    def test_dropmalformed_keeps_the_good_frames(self, spark: SparkSession, damaged: Path) -> None:
        dropped = load(spark, damaged, mode="DROPMALFORMED")
        permissive = load(spark, damaged, mode="PERMISSIVE").where("_corrupt is null")
        assert "_corrupt" not in dropped.columns
        assert read_rows(dropped, "file", *COLUMNS) == read_rows(permissive, "file", *COLUMNS)

    def test_a_file_that_ends_early_is_damaged(self, spark: SparkSession, tmp_path: Path) -> None:
        path = write_file(tmp_path / "a.jellyp", make_operations(1, 30), frame_rows=10)
        path.write_bytes(path.read_bytes()[:-7])
        with pytest.raises(Exception, match=r"a\.jellyp: "):
            load(spark, path).collect()

    def test_damage_in_a_later_part_names_the_file(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        path = write_file(tmp_path / "a.jellyp", make_operations(10, 200), frame_rows=20)
        with path.open("ab") as file:
            file.write(b"\x02\xff\xff")
        with pytest.raises(Exception, match=r"a\.jellyp: .*byte \d+, frame \d+"):
            load(spark, path, partitionBytes=4096).collect()

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda folder: (folder / "a.jellyp").touch(), r"a\.jellyp: the file is empty"),
            (
                lambda folder: (
                    shutil.copy(
                        write_file(folder / "x.jellyp", make_operations(1, 1)), folder / "a.jellyp"
                    )
                    and write_file(
                        folder / "b.jellyp",
                        [("A", iri(1), iri(2), iri(3), None)],
                        statement_type="TRIPLES",
                    )
                ),
                r"b\.jellyp: a stream of TRIPLES, but .*a\.jellyp is one of QUADS",
            ),
            (
                lambda folder: (folder / "a.jellyp").symlink_to(
                    write_file(folder / "x.jellyp", make_operations(1, 1))
                ),
                r"x\.jellyp: this file is to be read twice",
            ),
        ],
        ids=["empty", "mixed", "twice"],
    )
    def test_the_file_at_fault_is_named(
        self, spark: SparkSession, tmp_path: Path, make: Any, message: str
    ) -> None:
        make(tmp_path)
        with pytest.raises(Exception, match=message):
            load(spark, tmp_path).collect()

    @pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
    def test_triples_are_not_read_with_quads_in_any_mode(
        self, spark: SparkSession, tmp_path: Path, mode: str
    ) -> None:
        (tmp_path / "a.jellyp").touch()
        write_file(tmp_path / "b.jellyp", make_operations(1, 1))
        triples = [("A", iri(1), iri(2), iri(3), None)]
        write_file(tmp_path / "c.jellyp", triples, statement_type="TRIPLES")
        with pytest.raises(Exception, match=r"c\.jellyp: a stream of TRIPLES, but .*b\.jellyp"):
            load(spark, tmp_path, mode=mode).collect()

    def test_what_is_not_there_is_named(self, spark: SparkSession, tmp_path: Path) -> None:
        for name in ("none.jellyp", "none*"):
            with pytest.raises(Exception, match="there is no such file or folder"):
                load(spark, tmp_path / name).collect()

    def test_jelly_rdf_is_no_jelly_patch(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "a.jellyp"
        with path.open("wb") as file, jr.StatementWriter(file) as writer:
            writer.write_all([])
        with pytest.raises(Exception, match=r"a\.jellyp: .*Jelly-RDF"):
            load(spark, path).collect()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"mode": "LAX"}, "the option mode is FAILFAST, PERMISSIVE, DROPMALFORMED, not 'LAX'"),
            ({"terms": "xml"}, "the option terms is string, struct"),
            ({"partitionBytes": "0"}, "partitionBytes is a number from 1 on"),
            ({"frobnicate": "1"}, "there is no option 'frobnicate'"),
            ({"s": "http://no.term"}, "the option s: 'http://no.term' is no term"),
            ({"o": r'"\u0061"'}, "the option o: .* is no term as a table has it"),
        ],
    )
    def test_options_are_checked(
        self, spark: SparkSession, tmp_path: Path, options: dict[str, str], message: str
    ) -> None:
        path = write_file(tmp_path / "a.jellyp", make_operations(1, 1))
        with pytest.raises(Exception, match=message):
            load(spark, path, **options).collect()

    def test_limits_hold(self, spark: SparkSession, tmp_path: Path) -> None:
        path = write_file(tmp_path / "a.jellyp", make_operations(1, 100))
        with pytest.raises(Exception, match=r"a\.jellyp: .*limit max_frame_size: 100"):
            load(spark, path, maxFrameSize=100).collect()

    def test_other_file_systems_are_refused(self, spark: SparkSession) -> None:
        with pytest.raises(Exception, match="there is no way to files of ftp"):
            load(spark, "ftp://host/a.jellyp").collect()
