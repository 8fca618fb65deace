"""Runs the documentation's notebooks, and compares or writes their outputs.

``python -m tests.notebooks`` runs all notebooks and stores their outputs without pictures. ``python
-m tests.notebooks FOLDER`` writes the notebooks into a folder, with pictures.
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
# The id of a patch is different in each run.
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path, *, check: str | None = None) -> Any:
    """Run a notebook in a folder and return it; raise an error if a cell raises one.

    The run can use the data next to the notebook, and the package, but no other part of the
    repository. The code ``check`` is run as an additional last cell.
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
    # A kernel writes to standard error only to warn that other users of the machine may be able to
    # read the connection.
    client.execute(env={**os.environ, "PYTHONPATH": str(packages)}, stderr=subprocess.DEVNULL)
    place = str(folder.resolve())
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind, value in output.get("data", {}).items():
                output.data[kind] = value.replace(place, "…")
        # This metadata contains the times at which the cell was run.
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def is_picture(output: Any) -> bool:
    """Return whether an output is a picture, which is not stored but drawn again by each build."""
    return any(kind.startswith("image/") for kind in output.get("data", {}))


def shown(notebook: Any) -> list[Any]:
    """Return the text outputs of the cells without ids; leave out pictures."""
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
    """Run all notebooks; write them into the folder `target`, or store their outputs in place."""
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
