"""Notebooks of the documentation: runs them, and compares or writes what they show.

``python -m tests.notebooks`` runs all of them and stores their outputs, without pictures.
``python -m tests.notebooks FOLDER`` writes them into a folder, with pictures.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.examples import DOCS, ROOT

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
# The id of a patch is another one each time.
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path, *, check: str | None = None) -> Any:
    """Return the notebook as it is after a run in a folder; an error in a cell is raised.

    It has the data that lie beside it, and the package, but no other part of the repository.

    The code ``check`` runs as one more cell, the last one.
    """
    notebook = read(path)
    if check is not None:
        notebook.cells.append(nbformat.v4.new_code_cell(check))
    for data in path.parent.glob("*.xz"):
        shutil.copy(data, folder)
    packages = folder / ".packages"
    packages.mkdir()
    (packages / "jelly_rdflib").symlink_to(ROOT / "jelly_rdflib")
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, kernel_name="python3", timeout=120, resources=resources)
    # A kernel writes to standard error only to warn that others on the machine may read along.
    client.execute(env={**os.environ, "PYTHONPATH": str(packages)}, stderr=subprocess.DEVNULL)
    place = str(folder.resolve())
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind, value in output.get("data", {}).items():
                output.data[kind] = value.replace(place, "…")
        # When each cell ran.
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def is_picture(output: Any) -> bool:
    """Tell whether an output is a picture: those are drawn for each build, and not stored."""
    return any(kind.startswith("image/") for kind in output.get("data", {}))


def shown(notebook: Any) -> list[Any]:
    """Return what the cells show: texts without ids, and no pictures."""
    return [
        [
            {kind: _UUID.sub("…", value) for kind, value in sorted(_contents(output).items())}
            for output in cell.get("outputs", [])
            if not is_picture(output)
        ]
        for cell in notebook.cells
    ]


def _contents(output: Any) -> dict[str, Any]:
    return dict(output.get("data") or {output.output_type: output.get("text", "")})


def write(target: Path | None) -> None:
    """Run all notebooks; write them into a folder, or else what is stored of them in place."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as place:
            notebook = run(path, Path(place))
        if target is None:
            for cell in notebook.cells:
                if "outputs" in cell:
                    cell.outputs = [each for each in cell.outputs if not is_picture(each)]
        nbformat.write(notebook, (target or path.parent) / path.name)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
