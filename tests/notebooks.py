"""Notebooks of the documentation: runs them, and compares or writes what they show.

``python -m tests.notebooks`` runs all of them and writes their outputs.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.examples import DOCS, ROOT

__all__ = ["NOTEBOOKS", "read", "run", "shown"]

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
# The id of a patch is another one each time.
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path) -> Any:
    """Return the notebook as it is after a run in a folder; an error in a cell is raised."""
    notebook = read(path)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, kernel_name="python3", timeout=120, resources=resources)
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    place = str(folder.resolve())
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind, value in output.get("data", {}).items():
                output.data[kind] = value.replace(place, "…")
        # When each cell ran.
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def shown(notebook: Any) -> list[Any]:
    """Return what the cells show: texts without ids, and the kinds of the rest."""
    return [
        [
            {kind: _plain(kind, value) for kind, value in sorted(_contents(output).items())}
            for output in cell.get("outputs", [])
        ]
        for cell in notebook.cells
    ]


def _contents(output: Any) -> dict[str, Any]:
    return dict(output.get("data") or {output.output_type: output.get("text", "")})


def _plain(kind: str, value: str) -> str:
    return "" if kind.startswith("image/") else _UUID.sub("…", value)


if __name__ == "__main__":
    for each in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as place:
            nbformat.write(run(each, Path(place)), each)
