"""The tasks that apply the changes to an empty store."""

from __future__ import annotations

from rdflib import Dataset

import jelly_rdflib as jr

from .inputs import Changes
from .jvm import Jvm
from .task import APPLY, Task, in_python

__all__ = ["tasks"]

# The package and description of each store, by the store's name in rdflib.
RDFLIB = {
    "Jelly": ("jelly-rdflib", "JellyStore"),
    "default": ("rdflib", "its Memory"),
    "Oxigraph": ("oxrdflib", "its store in memory"),
}
# The Jena call that creates the dataset, by name in `Benchmark.java`.
JENA = {"txnmem": "createTxnMem()", "general": "create()"}


def tasks(changes: Changes, jvm: Jvm) -> list[Task]:
    """Return the tasks, one for each rdflib store and Jena dataset."""
    return [
        *(_rdflib(changes, store) for store in RDFLIB),
        *(_jena(changes, jvm, dataset) for dataset in JENA),
    ]


def _rdflib(changes: Changes, store: str) -> Task:
    who, name = RDFLIB[store]
    content = changes.read("jellyp")

    def apply(dataset: Dataset) -> Dataset:
        jr.apply(content, dataset)
        return dataset

    def quads(dataset: Dataset) -> int:
        return sum(map(len, dataset.graphs()))

    run = in_python(apply, quads, lambda: (Dataset(store=store),))
    return Task(APPLY, who, f"to {name}", "jellyp", run, changes.quads, is_ours=store == "Jelly")


def _jena(changes: Changes, jvm: Jvm, dataset: str) -> Task:
    fields = {"from": "jellyp", "in": changes.path("jellyp"), "to": dataset}
    return Task(
        APPLY,
        "Apache Jena",
        f"to {JENA[dataset]}",
        "jellyp",
        lambda: jvm.ask(task="apply", **fields),
        changes.quads,
    )
