"""What users install works. Run with the Python that a wheel is in, outside of the tree.

With the argument ``protobuf`` the wheel's extra of that name must be there.
"""

import io
import sys
import traceback
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from rdflib import Dataset, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr

# What `jellyp view` fills in.
assert files("jelly_rdflib.viewer").joinpath("page.html").is_file()
old = Dataset()
new = Dataset()
new.add((URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o")))
data = new.serialize(format="jelly-patch", encoding="utf-8")
counts = jr.apply(data, old)
assert set(old.quads()) == set(new.quads()), counts
for format in ("jelly-rdf", "rdf-patch", "rdf-patch-thrift"):
    text = new.serialize(format=format, encoding="utf-8")
    assert set(Dataset().parse(data=text, format=format).quads()) == set(new.quads()), format
# The schemas that these formats need are files of the package.
operations = list(jr.read_operations(data))
# An operation names the default graph as None, a statement as rdflib does.
statements = [
    (*operation[1:4], DATASET_DEFAULT_GRAPH_ID if operation[4] is None else operation[4])
    for operation in operations
    if operation[0] == jr.Op.A
]
if "protobuf" in sys.argv or (find_spec("google") and find_spec("google.protobuf")):
    file = io.BytesIO()
    with jr.PatchWriter(file, format="jelly-patch-text") as writer:
        writer.write_all(operations)
    assert list(jr.read_operations(file.getvalue())) == operations
    file = io.BytesIO()
    with jr.StatementWriter(file, format="jelly-text") as writer:
        writer.write_all(statements)
    assert list(jr.read_statements(file.getvalue())) == statements
try:
    jr.apply(data[:-1], old)
except jr.DecodeError as error:
    # Where Python looks for a line that it shows.
    named = {each.filename for each in traceback.extract_tb(error.__traceback__)}
    found = {each for each in named for folder in sys.path if Path(folder, each).is_file()}
    assert any(each.endswith(".pxi") for each in named)
    assert found == named, f"a traceback names {named - found}, which are not installed"
    print("the wheel works:", counts)
else:
    raise AssertionError("what is cut off was read")
