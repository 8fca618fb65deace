"""Tests the documentation's site, opened from files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import ROOT
from tests.viewer.browser import open_browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="Material for MkDocs is not installed")
    folder = tmp_path_factory.mktemp("site")
    call = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(call, check=True, cwd=ROOT, env=environment)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("RollbackError", "/api/errors.html"),
        ("FAQ", "/faq.html"),
        ("audit", "/faq.html"),
        ("provenance", "/faq.html"),
        ("undo", "/faq.html"),
        ("backup", "/recipes/backup.html"),
        ("export to turtle", "/faq.html"),
        ("read a patch file", "/faq.html"),
    ],
)
def test_search_finds_a_page_without_a_server(
    site: Path, tmp_path: Path, asked: str, page: str
) -> None:
    with open_browser(tmp_path) as browser:
        browser.driver.get((site / "api/patch.html").as_uri())
        browser.run("document.querySelector('.md-search__input').focus()")
        # Set the whole query at once, since the search warns about some incomplete words.
        browser.run(
            f"""
            const input = document.querySelector(".md-search__input");
            input.value = {json.dumps(asked)};
            input.dispatchEvent(new KeyboardEvent("keyup"));
            """
        )
        browser.driver.set_script_timeout(30)
        found = browser.driver.execute_async_script(
            """
            const done = arguments[0];
            const look = () => {
              const links = document.querySelectorAll(".md-search-result__link");
              links.length ? done(Array.from(links, (it) => it.href)) : setTimeout(look, 50);
            };
            look();
            """
        )
        assert any(page in link for link in found[:5])
        assert browser.errors() == []


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert '<link rel="stylesheet" href="http' not in text


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 400])
def test_tables_can_be_read_on_a_phone(site: Path, tmp_path: Path, width: int) -> None:
    with open_browser(tmp_path) as browser:
        browser.size(width, 800)
        for page in site.rglob("*.html"):
            browser.driver.get(page.as_uri())
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), page
            small, wide = browser.run(
                """
                // One of a notebook has no rows at first.
                const tables = Array.from(document.querySelectorAll("article table"))
                  .filter((it) => it.rows.length);
                const size = (it) => parseFloat(getComputedStyle(it).fontSize);
                const right = (it) => it ? it.getBoundingClientRect().right : innerWidth;
                const columns = (it) => it.rows[0].cells.length;
                // Material lets a table that is too wide scroll in a box.
                const isWide = (it) => right(it) > right(it.closest(".md-typeset__scrollwrap")) + 1;
                const parts = (it) => Array.from(it.querySelectorAll("th, td, td *"));
                const texts = tables.flatMap(parts);
                return [texts.filter((it) => it.innerText && size(it) < 13), tables.filter(
                  (it) => columns(it) < 4 && isWide(it))]
                  .map((found) => found.map((it) => it.innerText.slice(0, 100)));
                """
            )
            assert (small, wide) == ([], []), page


@pytest.mark.slow
def test_code_is_not_cut(site: Path, tmp_path: Path) -> None:
    """On a screen with a width of 1280 pixels, no code block scrolls."""
    with open_browser(tmp_path) as browser:
        browser.size(1280, 900)
        for page in site.rglob("*.html"):
            browser.driver.get(page.as_uri())
            cut = browser.run(
                """
                return Array.from(document.querySelectorAll("article pre > code"))
                  .filter((it) => it.scrollWidth > it.clientWidth)
                  .map((it) => it.innerText.slice(0, 100));
                """
            )
            assert cut == [], page
