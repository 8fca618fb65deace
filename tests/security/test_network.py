"""Tests that reading opens no connection and no other file, whatever the input contains."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

import jelly_rdflib
from tests.support import run

# Each document asks to fetch another resource.
DOCUMENTS = {
    "nq": "<http://127.0.0.1:9/s> <http://127.0.0.1:9/p> <file:///etc/passwd> .\n",
    "ttl": "@base <http://127.0.0.1:9/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    "<> owl:imports <http://127.0.0.1:9/x>, <file:///etc/passwd> .\n",
    "rdf": '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e#">'
    '<r:Description r:about="urn:s"><e:p>&x;</e:p></r:Description></r:RDF>',
    "jsonld": '{"@context": "http://127.0.0.1:9/context", "@id": "urn:s", "name": "x"}',
}


@pytest.mark.parametrize("ending", DOCUMENTS)
def test_documents_fetch_nothing(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"document.{ending}"
    path.write_text(DOCUMENTS[ending])
    out = run(
        """
import io, sys
path = sys.argv[1]
import jelly_rdflib as jr, rdflib, pyoxigraph, zstandard
data = open(path, "rb").read()
events = []
# A hook of Python's can't be taken out again, and sees what libraries in C tell it, too.
def audit(event, arguments):
    if event.startswith(("socket.", "urllib.", "subprocess.", "os.system", "os.exec")):
        events.append(event)
    if event == "open" and "passwd" in str(arguments[0]):
        events.append(event)
sys.addaudithook(audit)
try:
    statements = list(jr.read_statements(path))
except jr.JellyError as error:
    print("refused:", error)
else:
    assert not any("root:" in str(term) for statement in statements for term in statement)
    print("read")
assert not events, events
""",
        str(path),
    )
    assert out.startswith("read" if ending in ("nq", "ttl") else "refused")


def test_applying_fetches_nothing() -> None:
    run(
        """
import io, sys, rdflib, zstandard
file = io.BytesIO()
with PatchWriter(file) as writer:
    for iri in ("http://127.0.0.1:9/x", "file:///etc/passwd", "jar:http://127.0.0.1:9/x!/y"):
        node = rdflib.URIRef(iri)
        writer.add_prefix("x", node)
        writer.add(node, rdflib.OWL.imports, node, node)
dataset = rdflib.Dataset()
dataset.namespace_manager
events = []
def audit(event, arguments):
    if event.startswith(("socket.", "urllib.", "open", "subprocess.", "os.system", "os.exec")):
        events.append((event, arguments))
apply(b"", rdflib.Dataset(), format="rdf-patch")
sys.addaudithook(audit)
assert apply(file.getvalue(), dataset).added == 3
assert not events, events
"""
    )


SOURCES = sorted(
    path
    for pattern in ("*.py", "*.pyx", "*.pxi")
    for path in Path(jelly_rdflib.__file__).parent.rglob(pattern)
)
# These run code in the data, or make arbitrary objects from it.
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "xml"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize("path", [path for path in SOURCES if path.suffix == ".py"], ids=str)
def test_no_data_becomes_code(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module or "").split(".")[0]}
        else:
            names = set()
        assert not names & FORBIDDEN_MODULES
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FORBIDDEN_CALLS


def test_no_data_becomes_code_in_cython() -> None:
    for path in SOURCES:
        if path.suffix in (".pyx", ".pxi"):
            words = path.read_text().replace("(", " ( ").split()
            assert not {"pickle", "marshal"} & set(words), path
            calls = {one for one, two in pairwise(words) if two == "("}
            assert not calls & FORBIDDEN_CALLS, path
