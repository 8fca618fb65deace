"""What the pages take from the package: its version, its source, links to its public names."""

from __future__ import annotations

import re
import runpy
from importlib.metadata import metadata
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
STUB = (ROOT / "jelly_rdflib/__init__.pyi").read_text(encoding="utf-8")
NAMES = "|".join(re.findall(r" as (\w+)$", STUB, re.MULTILINE))

# An entry's heading and signature, without any text after them.
EMPTY_ENTRY = re.compile(
    r'<h\d id="([\w.]+)" class="doc doc-heading">(?:(?!</h\d>).)*</h\d>\s*'
    r'(?:<div class="doc-signature(?:(?!</div>).)*</div>\s*)?'
    r'<div class="doc doc-contents[^"]*">\s*(?:</div>|<div class="doc doc-children">)',
    re.DOTALL,
)
# Places that have links already, or can have none.
CLOSED = re.compile(r"(<(a|autoref|h[1-6]|pre)\b.*?</\2>)", re.DOTALL)
NAME = re.compile(rf"<code>(?:jelly_rdflib\.|jr\.)?({NAMES})(\.[a-z]\w*)?(?:\(\))?</code>")
CELL_CODE = re.compile(r"(?<=<td>)<code>[\w.]+</code>(?=</td>)")

log = get_plugin_logger(__name__)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show the version in each footer; link to the source once pyproject.toml has `urls.Source`."""
    version = runpy.run_path(str(ROOT / "jelly_rdflib/version.py"))["__version__"]
    config.copyright = f"jelly-rdflib {version}, {config.copyright}"
    urls = dict(url.split(", ", 1) for url in metadata("jelly-rdflib").get_all("Project-URL", []))
    if "Source" in urls:
        config.repo_url, config.edit_uri = urls["Source"], "edit/main/docs/"
    return config


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Link each public name to its entry in the API; let long names in tables wrap."""
    for name in EMPTY_ENTRY.findall(html):
        log.warning(f"{page.file.src_uri}: the entry of {name} is empty")  # so that --strict fails
    parts = CLOSED.split(html)
    # The pattern has two groups: each third part is outside of all closed places.
    parts[::3] = [NAME.sub(_link, part) for part in parts[::3]]
    del parts[2::3]
    return CELL_CODE.sub(lambda code: code[0].replace("_", "_<wbr>"), "".join(parts))


def _link(code: re.Match[str]) -> str:
    name = f"jelly_rdflib.{code[1]}{code[2] or ''}"
    return f'<autoref optional identifier="{name}">{code[0]}</autoref>'
