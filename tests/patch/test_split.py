"""Tests the laws of splitting changes into files."""

import gzip
import io
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import DecodeError, EncodeError, Op, TripleTerm
from jelly_rdflib.patch import split as module
from tests.algebra.strategies import FORMS, Pipe, contents, datasets, make_dataset, streams, write

S, P = URIRef("urn:s"), URIRef("urn:p")
TX, TC, TA, END = (Op.TX,), (Op.TC,), (Op.TA,), (Op.END,)
CHANGES = (Op.A, Op.D, Op.PA, Op.PD)
FORM_NAMES = ["jellyp", "text", "file", "pipe"]

units = st.sampled_from(["patch", "transaction", "change"])


def add(number: int) -> Any:
    return (Op.A, S, P, Literal(number), None)


def header(key: str, value: str) -> Any:
    return (Op.H, key, URIRef(value))


def split(source: Any, **how: Any) -> list[list[Any]]:
    """Return the operations of each file, without the last END."""
    with tempfile.TemporaryDirectory() as folder:
        paths = list(jr.split(source, f"{folder}/{{:03}}.jellyp", **how))
        assert [Path(path).name for path in paths] == [
            f"{number:03}.jellyp" for number in range(1, len(paths) + 1)
        ]
        parts = [list(jr.read_operations(path, normalize=False)) for path in paths]
    assert all(part[-1] == END for part in parts)
    return [part[:-1] for part in parts]


def count(part: list[Any]) -> int:
    return sum(operation[0] in CHANGES for operation in part)


def read(source: Any) -> list[Any]:
    return list(jr.read_operations(source, normalize=False))


@given(streams(), st.sampled_from(FORM_NAMES))
def test_by_patch_each_file_has_one(stream: Any, form: str) -> None:
    expected = [list(patch) for patch in jr.read_patches(write(stream), normalize=False)]
    if form == "text":
        expected = [list(patch) for patch in jr.read_patches(FORMS["text"](stream))]
    parts = split(FORMS[form](stream))
    if form == "text":
        # This Jelly-Patch stream has quads, so it names the default graph.
        parts = [read(FORMS["text"](part))[:-1] for part in parts]
        expected = [read(FORMS["text"](part))[:-1] for part in expected]
    assert parts == expected


@given(datasets, streams(), units, st.integers(1, 7))
def test_files_one_after_the_other_do_what_the_changes_do(
    content: Any, stream: Any, by: Any, most: int
) -> None:
    dataset, expected = make_dataset(content), make_dataset(content)
    jr.apply(stream, expected)
    for part in split(write(stream), by=by, max_changes=most):
        jr.apply(part, dataset)
    assert contents(dataset) == contents(expected)


@given(streams(), units, st.integers(1, 7))
def test_no_file_has_more_changes_but_with_a_single_unit(stream: Any, by: Any, most: int) -> None:
    for part in split(write(stream), by=by, max_changes=most):
        if count(part) <= most:
            continue
        assert by != "change"
        if by == "patch":
            assert END not in part
        else:
            assert part.count(TX) == 1
            start = part.index(TX)
            end = next(at for at, row in enumerate(part) if row in (TC, TA))
            # The changes before and after a transaction would fit into other files.
            assert count(part[:start]) == count(part[end:]) == 0


@given(streams(), units, st.integers(1, 7))
def test_a_file_is_as_full_as_it_may_be(stream: Any, by: Any, most: int) -> None:
    parts = split(write(stream), by=by, max_changes=most)
    for part, following in pairwise(parts):
        assert count(part) + count(_first_unit(following, by)) > most


def _first_unit(part: list[Any], by: str) -> list[Any]:
    if by == "patch":
        return part[: part.index(END)] if END in part else part
    changes = [at for at, row in enumerate(part) if row[0] in CHANGES or row == END]
    if not changes:
        return []
    if TX in part and part.index(TX) < changes[0] and by == "transaction":
        return part[: next(at for at, row in enumerate(part) if row in (TC, TA))]
    return part[: changes[0] + 1]


@given(st.lists(streams(), min_size=1, max_size=2), units, st.integers(1, 5))
def test_joined_the_files_of_a_patch_are_the_patch(several: Any, by: Any, most: int) -> None:
    body = [row for stream in several for row in stream if row[0] not in (Op.END, Op.H)]
    patch = [header("ID", "urn:2"), header("prev", "urn:1"), header("by", "urn:me"), *body]
    parts = split(write(patch), by=by, max_changes=most)
    joined, expected = (list(jr.concat(*each)) for each in (parts, [read(write(patch))]))
    headers = [sorted(row for row in each if row[0] == Op.H) for each in (joined, expected)]
    assert headers[0] == headers[1]
    if by == "change":
        joined, expected = (list(jr.compact(each)) for each in (joined, expected))
    assert [row for row in joined if row[0] != Op.H] == [row for row in expected if row[0] != Op.H]


@pytest.mark.parametrize("ending", ["jellyp", "rdfp", "rdfpb", "jellyp.gz"])
@pytest.mark.parametrize("by", ["patch", "transaction", "change"])
def test_no_file_has_more_bytes_but_with_a_single_unit(
    by: Any, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 3)
    stream: list[Any] = []
    for patch in range(30):
        stream += [header("id", f"urn:patch:{patch}"), header("prev", f"urn:patch:{patch - 1}")]
        for _ in range(patch % 4):
            stream += [TX, *map(add, range(patch, 2 * patch)), TC]
        stream += [*map(add, range(100 * patch, 100 * patch + patch % 7)), END]
    most, template = 700, str(tmp_path / f"{{}}.{ending}")
    paths = list(jr.split(write(stream), template, by=by, max_bytes=most))
    assert len(paths) > 5
    rows = [[row[:4] for row in read(path) if row[0] in CHANGES] for path in paths]
    assert [row for part in rows for row in part] == [
        row[:4] for row in stream if row[0] in CHANGES
    ]
    sizes = []
    for path in paths:
        data = Path(path).read_bytes()
        size = len(gzip.decompress(data) if ending.endswith("gz") else data)
        sizes.append(size)
        marks = [row for row in read(path) if row[0] in (Op.TX, Op.END)]
        assert size <= most or (by != "change" and marks.count(TX) <= 3)
    if by == "change":
        # Most files are nearly as large as the limit.
        assert sorted(sizes)[len(sizes) // 2] > most / 2


def test_by_transaction() -> None:
    stream = [header("by", "urn:me"), add(0), add(1), TX, add(2), TC, TX, TA, add(3), END, TX, TC]
    assert [
        [row[0].name for row in part] for part in split(stream_of(stream), by="transaction")
    ] == [
        ["H", "A", "A"],
        ["TX", "A", "TC"],
        ["TX", "TA"],
        ["A"],
        ["TX", "TC"],
    ]


def stream_of(operations: list[Any]) -> bytes:
    return write(operations)


def test_a_transaction_that_is_cut_ends_as_it_does() -> None:
    stream = [TX, *map(add, range(5)), TC, TX, *map(add, range(3)), TA]
    names = [
        "".join(f"{row[0].name} " for row in part)
        for part in split(stream_of(stream), by="change", max_changes=2)
    ]
    assert names == [
        "TX A A TC ",
        "TX A A TC ",
        "TX A TC TX A TA ",
        "TX A A TA ",
    ]


def test_the_id_comes_with_the_last_file() -> None:
    stream = [
        header("id", "urn:1"),
        header("prev", "urn:0"),
        *(TX, add(1), TC, TX, add(2), TC, TX, add(3), TC, END),
        header("prev", "urn:1"),
        header("id", "urn:2"),
        *(TX, add(4), TC, END),
    ]
    headers = [
        [(row[1], str(row[2])) for row in part if row[0] == Op.H]
        for part in split(stream_of(stream), by="transaction")
    ]
    assert headers == [
        [("prev", "urn:0")],
        [],
        [("id", "urn:1")],
        [("prev", "urn:1"), ("id", "urn:2")],
    ]


@pytest.mark.parametrize("ending", ["jellyp", "rdfp"])
def test_the_id_counts_in_the_file_that_gets_it(ending: str, tmp_path: Path) -> None:
    ids = [header("id", f"urn:{number}:" + "x" * 300) for number in range(20)]
    stream = [row for id in ids for row in (id, *map(add, range(40)), END)]
    template = str(tmp_path / f"{{:03}}.{ending}")
    paths = list(jr.split(write(stream), template, by="change", max_bytes=900))
    assert [row for path in paths for row in read(path) if row[0] == Op.H] == ids
    assert max(Path(path).stat().st_size for path in paths) <= 900


def test_options_and_format_of_the_files(tmp_path: Path) -> None:
    quoted = (Op.A, S, P, TripleTerm(S, P, S), None)
    data = write([quoted, END, quoted], rdf_star=True, statement_type="TRIPLES")
    (first, _) = jr.split(data, str(tmp_path / "{}.jellyp"))
    reader = jr.read_operations(first)
    assert next(reader) == quoted
    assert reader.options.statement_type.name == "TRIPLES"
    text = b"A <urn:s> <urn:p> << <urn:s> <urn:p> <urn:s> >> ."
    with pytest.raises(EncodeError, match="rdf_star"):
        list(jr.split(text, str(tmp_path / "{}.jellyp")))
    options = jr.PatchOptions.small(rdf_star=True)
    (path,) = jr.split(text, str(tmp_path / "{}.jellyp"), options=options)
    assert read(path)[0][:4] == quoted[:4]
    assert jr.inspect(path).options.max_name_table_size == 128
    (path,) = jr.split(data, str(tmp_path / "{}.rdfp"), max_changes=5)
    assert Path(path).read_bytes().count(b"<<") == 2


def test_nothing_to_split(tmp_path: Path) -> None:
    assert list(jr.split(write([]), str(tmp_path / "{}.rdfp"))) == []
    assert list(tmp_path.iterdir()) == []


def test_a_bad_source_leaves_no_files(tmp_path: Path) -> None:
    data = write([row for number in range(100) for row in (add(number), END)])
    with pytest.raises(DecodeError):
        list(jr.split(io.BytesIO(data[:-3]), str(tmp_path / "{}.rdfp")))
    with pytest.raises(DecodeError):
        list(jr.split(Pipe(data[:-3]), str(tmp_path / "{}.rdfp")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("template", ["part.rdfp", "{}{}.rdfp", "{a}.rdfp", "{.rdfp", "{0.x}.rdfp"])
def test_templates_without_a_number(template: str) -> None:
    with pytest.raises(ValueError, match="has no placeholder for a number"):
        jr.split(b"", template)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"by": "frame"}, "it must be"),
        ({"by": "change"}, "needs max_changes or max_bytes"),
        ({"max_changes": 0}, "max_changes must be at least 1"),
        ({"max_bytes": -1}, "max_bytes must be at least 1"),
        ({"options": jr.PatchOptions()}, "rdf-patch has none"),
    ],
)
def test_wrong_calls(how: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        list(jr.split(write([add(1)]), str(tmp_path / "{}.rdfp"), **how))


def test_a_file_is_not_split_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "x-2.rdfp"
    text = "TX .\nA <urn:s> <urn:p> 1 .\nTC .\n" * 2
    path.write_text(text)
    (tmp_path / "link.rdfp").symlink_to(path)
    for source in (path, str(tmp_path / "link.rdfp")):
        with pytest.raises(ValueError, match=r"x-2\.rdfp is the input"):
            list(jr.split(source, f"{tmp_path}/x-{{}}.rdfp", by="transaction"))
        assert path.read_text() == text


def test_what_can_not_be_split(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="can't be split"):
        list(jr.split([add(1)], str(tmp_path / "{}.rdfp")))
    with pytest.raises(LookupError):
        list(jr.split(write([add(1)]), str(tmp_path / "{}.nt")))
