"""Make all files of a release in one folder: ``python -m release.everything [PYTHON ...]``.

The folder ``dist/jelly-rdflib-VERSION`` receives the sdist, a wheel for each Python and each target
of `release.wheels`, the site, the page of a log made by ``jellyp view``, the notes and the
checksums. The wheels for this machine are installed and checked.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from .project import notes_of, urls, version
from .trial import ROOT, run

__all__ = ["sums_of"]


def main() -> None:
    """Make the folder and list its files."""
    parser = argparse.ArgumentParser(description="Make all files of a release in one folder.")
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--log", type=Path, required=True, help="the log to show on the page")
    parser.add_argument("--title", default="The Brick ontology", help="the title of the page")
    arguments = parser.parse_args()
    name = f"jelly-rdflib-{version()}"
    folder = ROOT / "dist" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    notes = notes_of((ROOT / "CHANGELOG.md").read_text("utf-8"), version())
    (folder / "NOTES.md").write_text(notes, encoding="utf-8")

    python = Path(sys.executable)
    run(python, "-m", "build", "--sdist", "--outdir", folder, ROOT)
    print(run(python, "-m", "release.wheels", *arguments.pythons, "--to", folder), end="")
    page = folder / f"{name}-history.html"
    shown = ("--title", arguments.title, "-o", page)
    run(python, "-m", "jelly_rdflib", "view", arguments.log, *shown)
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch, f"{name}-site")
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        build = (python, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site)
        run(*build, folder=ROOT, environment=environment)
        shutil.make_archive(str(folder / site.name), "gztar", scratch, site.name)
    (folder / "SHA256SUMS").write_text(sums_of(folder), encoding="utf-8")

    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}")
    if "Source" not in urls():
        print("pyproject.toml has no address of the project yet: give one before you upload this.")


def sums_of(folder: Path) -> str:
    """Return the SHA-256 of each file in a folder, in the format of ``sha256sum --check``."""
    paths = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths
    )


if __name__ == "__main__":
    main()
