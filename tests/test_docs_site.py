"""The documentation as a site that is opened as files."""

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
def test_search_finds_a_page_without_a_server(site: Path, tmp_path: Path) -> None:
    with open_browser(tmp_path) as browser:
        browser.driver.get((site / "api/patch.html").as_uri())
        browser.run("document.querySelector('.md-search__input').focus()")
        browser.driver.switch_to.active_element.send_keys("RollbackError")
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
        assert any("/api/errors.html" in link for link in found)
        assert browser.errors() == []


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert '<link rel="stylesheet" href="http' not in text


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 400])
def test_tables_fit_a_phone(site: Path, tmp_path: Path, width: int) -> None:
    with open_browser(tmp_path) as browser:
        browser.size(width, 800)
        for page in site.rglob("*.html"):
            browser.driver.get(page.as_uri())
            wide = browser.run(
                """
                const right = (it) => it ? it.getBoundingClientRect().right : innerWidth;
                // Material lets a table that is too wide scroll in a box.
                return Array.from(document.querySelectorAll("article table"))
                  .filter((it) => right(it) > right(it.closest(".md-typeset__scrollwrap")) + 1)
                  .map((it) => it.innerText.slice(0, 100));
                """
            )
            assert wide == [], page
