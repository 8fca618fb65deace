"""Tests that text from an input can't control the terminal: colours, titles, keyboard input."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import encode, run
from tests.cli.test_progress import run_on_terminal

# Escape sequences that start with ESC or with the character CSI; BEL; DEL; bidi controls.
ORDERS = ["\x1b]0;title\x07", "\x1b[31m", "\x9b31m", "\x07", "\x7f", "\u202etxt", "\u2066x"]
BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Only the sequences that the package itself uses for colours, tables and progress bars.
OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[AKG]|\x1b\[2K")


def assert_harmless(text: str) -> None:
    found = BAD.search(OURS.sub("", text))
    assert found is None, repr(text[max(0, found.start() - 40) : found.end() + 40])


def inputs(folder: Path) -> list[Path]:
    """Make files, valid and invalid, with control sequences wherever text is possible."""
    orders = "".join(ORDERS)
    node = URIRef(f"urn:{orders}")
    operations: list[Any] = [
        *((Op.H, f"key{orders}", Literal(orders)), (Op.H, "name", node)),
        (Op.A, node, node, Literal(orders, datatype=node), node),
        (Op.A, BNode("b"), node, Literal(orders), None),
        (Op.PA, "p", node, None),
    ]
    contents = {
        "good.jellyp": encode(operations),
        "prefix.jellyp": encode([(Op.PA, f"p{orders}", node, None)]),
        "cut.jellyp": encode(operations)[:-4],
        "term.jellyp": encode(
            [(Op.A, node, node, jr.TripleTerm(node, node, Literal(orders)), None)],
            statement_type="QUADS",
            rdf_star=True,
        ),
        "bad.rdfp": f'A <urn:s> <urn:{orders}> "{orders}" {orders} .\n'.encode(),
        "row.rdfp": f"{orders}\n".encode(),
        "language.rdfp": f'A <urn:s> <urn:p> "x"@{orders} .\n'.encode(),
        "statement.nq": f'<urn:s> <urn:p> "x"@{orders} .\n'.encode(),
    }
    file = io.BytesIO()
    with jr.StatementWriter(file, jr.StreamOptions(stream_name=orders)) as writer:
        writer.add(node, node, Literal(orders))
    contents["named.jelly"] = file.getvalue()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


COMMANDS = [
    ["cat"],
    ["cat", "--color", "always"],
    ["inspect"],
    ["inspect", "--json"],
    ["inspect", "--frames"],
    ["validate"],
    ["validate", "--json"],
    ["stats"],
    ["stats", "--json"],
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_on_a_terminal(command: list[str], tmp_path: Path) -> None:
    for path in inputs(tmp_path):
        assert_harmless(run_on_terminal(*command, path)[1])


@pytest.mark.slow
def test_errors(tmp_path: Path) -> None:
    """Errors are harmless even if they go to a file that is viewed in a terminal later."""
    (tmp_path / "base.nq").write_bytes(b"")
    files = inputs(tmp_path)
    for path in files:
        ended = run("apply", tmp_path / "base.nq", path, "-o", tmp_path / "out.nq")
        assert_harmless(ended.err)
        assert_harmless(run("convert", path, "-o", tmp_path / "out.nq").err)


def test_names_of_files(tmp_path: Path) -> None:
    """A shell glob passes on whatever file names are in a folder."""
    path = tmp_path / f"x{''.join(ORDERS).replace('/', '')}.jellyp"
    path.write_bytes(encode()[:-3])
    for command in (["validate"], ["inspect"], ["stats"], ["inspect", "--index"]):
        for name in (path, f"{path}.missing"):
            ended = run(*command, name)
            assert ended.err + ended.text
            assert_harmless(ended.err + ended.text)


def test_rows_mean_the_same_with_escapes(tmp_path: Path) -> None:
    operations = [
        (Op.A, URIRef(f"urn:{order}"), URIRef("urn:p"), Literal(order), URIRef(f"urn:{order}"))
        for order in ORDERS
    ]
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode(operations))
    code, seen = run_on_terminal("cat", "--color", "never", path)
    assert code == 0
    again = tmp_path / "again.rdfp"
    again.write_text(seen.replace("\r\n", "\n"))
    assert [op for op in jr.read_operations(again) if op[0] == Op.A] == operations
    # Output to a file is not changed.
    plain = run("cat", path).out.decode()
    assert "\x9b31m" in plain
    assert "\u202etxt" in plain
