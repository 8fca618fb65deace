"""What users install works. Run with the Python that a wheel is in, outside of the tree."""

from importlib.resources import files

from rdflib import Dataset, URIRef

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
try:
    jr.apply(data[:-1], old)
except jr.DecodeError:
    print("the wheel works:", counts)
else:
    raise AssertionError("what is cut off was read")
