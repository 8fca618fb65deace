"""MkDocs hooks that add version, changelog, parts of the README and links to the site."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from release import project  # noqa: E402

ENTRY = re.compile(
    r"^::: (jelly_rdflib[\w.]*)(?:\n    options:\n      members: \[(.*)\])?", re.MULTILINE
)


def _entries(*pages: str) -> dict[str, str]:
    """Return the full name of each name that has an entry in the given pages."""
    found: dict[str, str] = {}
    for page in sorted(path for each in pages for path in (ROOT / "docs").glob(each)):
        for path, members in ENTRY.findall(page.read_text(encoding="utf-8")):
            names = [f"{path}.{member}" for member in members.split(", ")] if members else [path]
            found |= {name.rpartition(".")[2]: name for name in names}
    return found


PUBLIC = _entries("api/*.md", "store-details.md")
SPARK = _entries("spark/*.md")

# Files of the repository that are also pages of the site.
FROM_REPOSITORY = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
# A link in one of these files to a file that is not a page.
OUTSIDE = re.compile(r"\[([^\]]*)\]\((\w+/README\.md)\)")
# A placeholder for the part of the README between two comments of that name.
PART = re.compile(r"<!-- README: (\w+) -->\n")
# An entry's heading and signature, without any text after them.
EMPTY_ENTRY = re.compile(
    r'<h\d id="([\w.]+)" class="doc doc-heading">(?:(?!</h\d>).)*</h\d>\s*'
    r'(?:<div class="doc-signature(?:(?!</div>).)*</div>\s*)?'
    r'<div class="doc doc-contents[^"]*">\s*(?:</div>|<div class="doc doc-children">)',
    re.DOTALL,
)
# Elements that already are links, or must not contain any.
CLOSED = re.compile(r"(<(a|autoref|h[1-6]|pre)\b.*?</\2>)", re.DOTALL)
NAME = re.compile(
    r"<code>((?:jelly_rdflib\.)?live\.(?:[a-z]+\.)?|jelly_rdflib\.|jr\.)?"
    r"(\w+)(\.[a-z]\w*)?(?:\(\))?</code>"
)
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
# Where a long name may wrap: after punctuation and before a capital letter. A number of five groups
# of digits may wrap before the last two.
BREAK = re.compile(
    r"(?<=[A-Za-z])[_/.(](?=\w)|(?<=[a-z])(?=[A-Z])|(?<=\d,\d{3},\d{3}),(?=\d{3},\d{3}\b)"
)

log = get_plugin_logger(__name__)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show the version in each footer; link to the addresses in pyproject.toml."""
    config.copyright = f"jelly-rdflib {project.version()}, {config.copyright}"
    urls = project.urls()
    if "Source" in urls:
        config.repo_url, config.edit_uri = urls["Source"], "edit/main/docs/"
    if "Documentation" in urls:
        config.site_url = urls["Documentation"]
    return config


@event_priority(100)  # before the notebook plugin
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages from the repository; run the notebooks, and show them with their output."""
    for name in FROM_REPOSITORY:
        files.append(File.generated(config, name.lower(), content=_read_for_site(name)))
    folder = ROOT / ".cache" / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "tests.notebooks", folder], cwd=ROOT, check=True)
    for file in files:
        if file.src_uri.endswith(".ipynb"):
            file.abs_src_path = str(folder / Path(file.src_uri).name)
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Insert parts of the README and the address of the repository into a page."""
    source = project.urls().get("Source")
    markdown = PART.sub(lambda part: _part_of_readme(part[1]), markdown)
    for name in FROM_REPOSITORY:
        markdown = re.sub(rf"\]\((\.\./)?{name}", f"]({name.lower()}", markdown)
    place = rf"[\1]({source}/blob/main/\2)" if source else r"\1"
    return OUTSIDE.sub(place, markdown.replace("<this repository>", source or "<this repository>"))


def _part_of_readme(name: str) -> str:
    _, start, rest = _read_for_site("README.md").partition(f"<!-- {name} -->\n")
    text, end, _ = rest.partition(f"<!-- end of {name} -->\n")
    if not start or not end:
        raise PluginError(f"README.md has no part between the marks of {name}")
    return text


def _read_for_site(name: str) -> str:
    """Return a Markdown file with its links made relative to the folder of the pages."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Link each public name to its entry in the API pages; let long names in tables wrap."""
    for name in EMPTY_ENTRY.findall(html):
        log.warning(f"{page.file.src_uri}: the entry of {name} is empty")  # makes --strict fail
    if page.file.src_uri.endswith(".ipynb"):
        # The notebook plugin leaves links to pages unchanged.
        html = re.sub(r'(href="\.\./[\w/-]+)\.md(?=["#])', r"\1.html", html)
    parts = CLOSED.split(html)
    # The pattern has two groups, so every third part is text outside of those elements.
    parts[::3] = [NAME.sub(partial(_link, page), part) for part in parts[::3]]
    del parts[2::3]
    return CELL.sub(lambda cell: TEXT.sub(_let_wrap, cell[0]), "".join(parts))


def _link(page: Page, code: re.Match[str]) -> str:
    package, name, member = code.groups(default="")
    folder = page.file.src_uri.partition("/")[0]
    # A word such as `diff` is a function in API pages, a pipeline in Spark's, else a command.
    is_word = name.islower() and "_" not in name and folder not in ("api", "store-details.md")
    entries = PUBLIC if package or folder != "spark" else SPARK
    if name not in entries or (is_word and not package and folder != "spark"):
        return code[0]
    return f'<autoref optional identifier="{entries[name]}{member}">{code[0]}</autoref>'


def _let_wrap(text: re.Match[str]) -> str:
    return BREAK.sub(r"\g<0><wbr>", text[0])
