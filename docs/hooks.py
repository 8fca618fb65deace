"""What the documentation takes from the package: its version, and where its source is."""

from __future__ import annotations

import runpy
from importlib.metadata import metadata
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).parents[1]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show the version in each footer; link to the source once pyproject.toml has `urls.Source`."""
    version = runpy.run_path(str(ROOT / "jelly_rdflib/version.py"))["__version__"]
    config.copyright = f"jelly-rdflib {version}, {config.copyright}"
    urls = dict(url.split(", ", 1) for url in metadata("jelly-rdflib").get_all("Project-URL", []))
    config.repo_url = urls.get("Source")
    return config
