"""Read the project's version, addresses and changes for a release.

``python -m release.project`` writes the version and the addresses into CITATION.cff, and prints
what must change before the first release.
"""

from __future__ import annotations

import re
import runpy
import sys

from .trial import ROOT

__all__ = ["UNRELEASED", "cite", "hindrances", "notes_of", "urls", "version"]

# RFC 2606 reserves this domain. Addresses in pyproject.toml use it until the project is hosted.
PLACEHOLDER = ".invalid/"
# Phrases in files until there is a release. Pages that install an extra have the last one.
UNRELEASED = ("No version was published yet", "PyPI has no release yet", "[from a clone](")


def version() -> str:
    """Return the version of the package, even if it is not installed."""
    found: str = runpy.run_path(str(ROOT / "jelly_rdflib/version.py"))["__version__"]
    return found


def urls() -> dict[str, str]:
    """Return the addresses in pyproject.toml by name, without placeholders."""
    # Python 3.10 has no parser for TOML.
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    (lines,) = re.findall(r'^\[project\.urls\]\n((?:\w+ = ".*"\n)+)', text, re.MULTILINE)
    found = re.findall(r'^(\w+) = "(.*)"$', lines, re.MULTILINE)
    return {name: url for name, url in found if PLACEHOLDER not in url}


def cite(text: str) -> str:
    """Return the text of CITATION.cff with the project's current version and addresses."""
    text = re.sub(r"^(repository-code|url): .*\n", "", text, flags=re.MULTILINE)
    lines = [f"version: {version()}"]
    for key, name in (("repository-code", "Source"), ("url", "Documentation")):
        if name in urls():
            lines.append(f"{key}: {urls()[name]}")
    return re.sub(r"^version: .*$", "\n".join(lines), text, flags=re.MULTILINE)


def hindrances() -> list[str]:
    """Return what must change before a release: placeholders, and words that become untrue."""
    found = [] if "Source" in urls() else ["pyproject.toml: the addresses are placeholders"]
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.*"))]
    for page in pages:
        text = page.read_text("utf-8") if page.suffix in (".md", ".ipynb") else ""
        found += [f"{page.relative_to(ROOT)}: {words}" for words in UNRELEASED if words in text]
    return found


def notes_of(changelog: str, version: str) -> str:
    r"""Return a changelog's section about a version or, if missing, about unreleased changes.

    Raises:
        SystemExit: The changelog has neither section.

    Examples:
        >>> notes_of("# Changes\n\n## 0.2.0\n\n- new\n\n## 0.1.0\n\n- old\n", "0.2.0")
        '## 0.2.0\n\n- new\n'
    """
    parts = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)[1:]
    for name in (version, "Unreleased"):
        for part in parts:
            if part.splitlines()[0] == f"## {name}" and part.strip() != f"## {name}":
                return part.strip() + "\n"
    raise SystemExit(f"CHANGELOG.md says nothing of {version}, nor of what is unreleased")


def main(arguments: list[str]) -> None:
    """Write the version and the addresses into CITATION.cff, and print them.

    Raises:
        SystemExit: There are arguments, such as ``--help``.
    """
    if arguments:
        raise SystemExit(
            f"release.project takes no arguments, not {arguments[0]!r}: without any it writes the"
            " version and the addresses into CITATION.cff"
        )
    path = ROOT / "CITATION.cff"
    path.write_text(cite(path.read_text("utf-8")), encoding="utf-8")
    print(f"CITATION.cff: {', '.join([version(), *urls().values()])}", file=sys.stderr)
    print(*hindrances(), sep="\n", end="\n" * bool(hindrances()))


if __name__ == "__main__":
    main(sys.argv[1:])
