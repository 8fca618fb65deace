"""Runs SPARQL 1.1 updates: each update is recorded, and its patch is replayed and inverted.

rdflib's own updates of its Memory store are checked, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import rdflib.plugins.sparql as engine
from click.testing import CliRunner
from rdflib import RDFS, Dataset, Graph, Namespace
from rdflib.term import Node

from jelly_rdflib.cli.commands import jellyp
from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c.manifest import MF, entries, has_type, path_of

UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")

KNOWN = [Known("update/*: Memory", "rdflib's own SPARQL Update makes something else")]


def run(folder: Path) -> Iterator[Outcome]:
    """Record each update of its data, apply the patch to the data, and undo it."""
    for name, manifest, test in entries(folder):
        if has_type(manifest, test, "UpdateEvaluationTest"):
            with tempfile.TemporaryDirectory() as place:
                difference = _difference(manifest, test, Path(place))
            yield Outcome(f"update/{name}: jellyp record", difference)
            yield Outcome(f"update/{name}: Memory", _difference_of_rdflib(manifest, test))


def _difference(manifest: Graph, test: Node, place: Path) -> str | None:
    """Return the fault of recording an update, or None."""
    action, result = manifest.value(test, MF.action), manifest.value(test, MF.result)
    assert action is not None
    before, wanted = _dataset(manifest, action), _dataset(manifest, result)
    base, after, replayed, undone = (place / f"{index}.nq" for index in range(4))
    patch, undo = place / "patch.rdfp", place / "undo.rdfp"
    _save(before, base)
    update = path_of(manifest.value(action, UT.request))
    for arguments in (
        ("record", base, update, "--output", patch, "--result", after),
        ("patch", "invert", patch, "--output", undo),
        ("apply", base, patch, "--output", replayed),
        ("apply", after, undo, "--output", undone),
    ):
        # Parse in this process, since there are hundreds of files.
        ended = CliRunner().invoke(jellyp, list(map(str, arguments)))
        if ended.exit_code != 0:
            return f"jellyp {arguments[0]}: {ended.stderr.strip() or repr(ended.exception)}"
    made = _load(after)
    if _shape(made) != _shape(wanted):
        return f"it makes {_text(made)!r} instead of {_text(wanted)!r}"
    if _text(_load(replayed)) != _text(made):
        return "its patch makes another dataset of the base"
    if _text(_load(undone)) != _text(before):
        return "its inverted patch does not make the base of the result"
    return None


def _difference_of_rdflib(manifest: Graph, test: Node) -> str | None:
    """Return the fault when rdflib itself updates a Memory store, or None."""
    action, result = manifest.value(test, MF.action), manifest.value(test, MF.result)
    dataset = Dataset(store="Memory")
    before = ox.serialize(_dataset(manifest, action), format=ox.RdfFormat.N_QUADS)
    dataset.parse(data=before or b"", format="nquads")
    # Follow SPARQL for the default graph, and don't use a network.
    engine.SPARQL_DEFAULT_GRAPH_UNION = engine.SPARQL_LOAD_GRAPHS = False
    try:
        dataset.update(path_of(manifest.value(action, UT.request)).read_text())
    except Exception as error:  # The error may have any type.
        return repr(error)
    finally:
        engine.SPARQL_DEFAULT_GRAPH_UNION = engine.SPARQL_LOAD_GRAPHS = True
    after = ox.Dataset(ox.parse(dataset.serialize(format="nquads"), ox.RdfFormat.N_QUADS))
    if _shape(after) != _shape(_dataset(manifest, result)):
        return "it makes something else"
    return None


def _dataset(manifest: Graph, state: Node | None) -> ox.Dataset:
    """Return the data before or after an update, as a manifest gives them."""
    quads: list[ox.Quad] = []
    for file in manifest.objects(state, UT.data):
        quads += _read(path_of(file), ox.DefaultGraph())
    for each in manifest.objects(state, UT.graphData):
        name = ox.NamedNode(str(manifest.value(each, RDFS.label)))
        quads += _read(path_of(manifest.value(each, UT.graph)), name)
    return ox.Dataset(quads)


def _read(path: Path, graph: ox.NamedNode | ox.DefaultGraph) -> Iterator[ox.Quad]:
    for quad in ox.parse(path=str(path), base_iri=path.as_uri(), format=ox.RdfFormat.TURTLE):
        yield ox.Quad(quad.subject, quad.predicate, quad.object, graph)


def _save(dataset: ox.Dataset, path: Path) -> None:
    ox.serialize(dataset, str(path), ox.RdfFormat.N_QUADS)


def _load(path: Path) -> ox.Dataset:
    return ox.Dataset(ox.parse(path=str(path), format=ox.RdfFormat.N_QUADS))


def _text(dataset: ox.Dataset) -> list[str]:
    return sorted(map(str, dataset))


def _shape(dataset: ox.Dataset) -> list[str]:
    """Return the statements with canonical blank-node labels."""
    same = ox.Dataset(dataset)
    same.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return _text(same)
