"""The page in a browser: each view, by mouse and keyboard, on a desk and on a phone."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.viewer.history import PackedHistory
from jelly_rdflib.viewer.page import page_of
from jelly_rdflib.viewer.versions import read_file, read_log
from tests.cli.support import encode
from tests.strategies import RDF
from tests.viewer.browser import DESKTOP, PHONE, Browser, open_browser
from tests.viewer.reading import Page, read_page
from tests.viewer.test_page import HOSTILE

S, P, TYPE, GRAPH = (URIRef(iri) for iri in ("urn:s", "urn:p", RDF + "type", "urn:g"))
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"
LONG = "the quick brown fox jumps over the lazy dog " * 20


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(started: Browser) -> Iterator[Browser]:
    """A browser, which must find no fault in the page."""
    started.size(*DESKTOP)
    started.scheme("light")
    started.errors()
    yield started
    assert started.errors() == []


def write_page(path: Path, made: PackedHistory, *, is_whole: bool) -> Page:
    data = b"".join(page_of(made, title="A title", source="a source", is_whole=is_whole))
    path.write_bytes(data)
    return read_page(data)


def show(browser: Browser, folder: Path, operations: list[Any], view: str = "") -> None:
    """Show a file of operations."""
    made = PackedHistory(read_file(jr.read_batches(encode(operations))))
    write_page(folder / "x.html", made, is_whole=False)
    browser.open(folder / "x.html", view)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> jr.PatchLog:
    """A log with changes that have no effect, in several graphs, of subjects of several classes."""
    chance = random.Random(7)
    log = jr.PatchLog.create(tmp_path_factory.mktemp("log"))
    for number in range(12):
        operations: list[Any] = [(Op.H, "title", Literal(f"release {number}")), (Op.TX,)]
        for _ in range(25):
            s = URIRef(f"urn:s{chance.randrange(5)}")
            if chance.random() < 0.3:
                p, o = TYPE, URIRef(f"urn:Class{chance.randrange(3)}")
            else:
                p, o = URIRef(f"urn:p{chance.randrange(3)}"), Literal(chance.randrange(4))
            operations.append(
                (chance.choice([Op.A, Op.A, Op.D]), s, p, o, chance.choice([None, GRAPH]))
            )
        log.append([*operations, (Op.TC,)])
    return log


@pytest.fixture(scope="module")
def path(log: jr.PatchLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "log.html"
    write_page(path, PackedHistory(read_log(log.patches())), is_whole=True)
    return path


@pytest.fixture(scope="module")
def page(path: Path) -> Page:
    return read_page(path.read_bytes())


def rows_of(page: Page) -> list[Any]:
    return [change for changes in page.changes for change in changes]


def test_the_first_view_is_the_newest_version(browser: Browser, path: Path, page: Page) -> None:
    browser.open(path)
    assert browser.text("h1") == "A title"
    assert browser.text("main h2") == "Version 12: release 11"
    versions = page.summary["versions"]
    assert f"+{versions['added'][-1]} {MINUS}{versions['deleted'][-1]}" in browser.text("#caption")
    assert len(browser.changes()) == len(page.changes[-1])
    start = len(rows_of(page)) - len(page.changes[-1])
    assert sorted(row for _, row in browser.changes()) == list(range(start, len(rows_of(page))))
    for is_added, row in browser.changes():
        assert rows_of(page)[row][0] == ("A" if is_added else "D")
    for place, name in enumerate(("graphs", "classes", "predicates"), 1):
        shown = browser.texts(f".tables section:nth-child({place}) tbody tr td:nth-child(n + 2)")
        expected = [n for row in page.details[-1][name][0] for n in row[1:]]
        assert [int(text.lstrip(f"+{MINUS}")) for text in shown] == expected


def test_versions_are_chosen_by_keys(browser: Browser, path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(path)
    chart = browser.driver.find_element("id", "chart")
    for key, expected in [
        *((Keys.ARROW_LEFT, 11), (Keys.ARROW_LEFT, 10), (Keys.ARROW_RIGHT, 11)),
    ]:
        browser.press(key)
        assert browser.text("main h2").startswith(f"Version {expected}:")
        assert chart.get_attribute("aria-valuenow") == str(expected)
    browser.run("document.getElementById('chart').focus()")
    for key, expected in [
        (Keys.HOME, 1),
        (Keys.PAGE_DOWN, 11),
        (Keys.END, 12),
        (Keys.ARROW_DOWN, 11),
    ]:
        browser.press(key)
        assert browser.text("main h2").startswith(f"Version {expected}:")
        assert chart.get_attribute("aria-valuetext").startswith(f"Version {expected} · release")
    browser.driver.back()
    browser.wait()
    assert browser.text("main h2").startswith("Version 12:")


def test_versions_are_chosen_by_clicks(browser: Browser, path: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(path)
    drawing = browser.driver.find_element("css selector", "#chart svg")
    width = browser.run("return arguments[0].getBoundingClientRect().width", drawing)

    def at(version: int) -> int:
        """Return where the bar of a version is, from the middle of the drawing."""
        return round(48 + (version - 0.5) * (width - 48) / 12 - width / 2)

    ActionChains(browser.driver).move_to_element_with_offset(drawing, at(4), 0).click().perform()
    browser.wait()
    assert browser.text("main h2").startswith("Version 4:")
    drawing = browser.driver.find_element("css selector", "#chart svg")
    chain = ActionChains(browser.driver).key_down(Keys.SHIFT)
    chain.move_to_element_with_offset(drawing, at(9), 0).click().key_up(Keys.SHIFT).perform()
    browser.wait()
    assert browser.text("main h2") == "Version 4 and version 9"
    browser.click("#views a:first-child")
    browser.click(".title a:nth-of-type(1)")
    assert browser.text("main h2").startswith("Version 8:")


def test_filters(browser: Browser, path: Path, page: Page) -> None:
    browser.open(path)
    changes, start = page.changes[2], sum(map(len, page.changes[:2]))
    for table, key in (("graphs", "graph"), ("classes", "class"), ("predicates", "predicate")):
        for term, added, deleted in page.details[2][table][0]:
            browser.go(f"version=3&{key}={term}")
            kinds = [is_added for is_added, _ in browser.changes()]
            assert (added, deleted) == (kinds.count(True), kinds.count(False)), (key, term)
            if key != "class":
                column = {"graph": 4, "predicate": 2}[key]
                for _, row in browser.changes():
                    assert changes[row - start][column] == page.terms[term]
    browser.click(".chips a")
    assert len(browser.changes()) == len(changes)


def test_the_difference_of_any_two_versions(
    browser: Browser, path: Path, page: Page, log: jr.PatchLog
) -> None:
    """Held against the data that the log itself makes of the versions."""
    states = [state_of(log, version) for version in range(13)]
    rows = rows_of(page)
    browser.open(path)
    for one, other in [(0, 12), (9, 4), (5, 5)]:
        browser.go(f"from={one}&to={other}")
        found: dict[bool, list[Any]] = {True: [], False: []}
        for is_added, row in browser.changes():
            found[is_added].append(rows[row][1:])
        assert sorted(found[True], key=str) == sorted(states[other] - states[one], key=str)
        assert sorted(found[False], key=str) == sorted(states[one] - states[other], key=str)
        if one == other:
            assert "the same statements" in browser.text()


def state_of(log: jr.PatchLog, version: int) -> set[Any]:
    from tests.oracle.terms import DEFAULT_GRAPH, plain

    found = set()
    for s, p, o, g in log.checkout(version).quads():
        graph = None if g is None else plain(getattr(g, "identifier", g))
        found.add((plain(s), plain(p), plain(o), None if graph == DEFAULT_GRAPH else graph))
    return found


def test_the_difference_where_the_beginning_is_unknown(browser: Browser, tmp_path: Path) -> None:
    """Then the first change of each statement had an effect."""
    operations: list[Any] = []
    for number in range(3):
        operations += [(Op.TX,), (Op.D, S, P, Literal(number), None), (Op.TC,)]
    operations += [(Op.TX,), (Op.A, S, P, Literal(0), None), (Op.TC,)]
    show(browser, tmp_path, operations, "#from=0&to=4")
    assert [row for is_added, row in browser.changes() if not is_added] == [1, 2]
    assert len(browser.changes()) == 2
    assert "What was there before the first version is not known" in browser.text("footer")


def test_the_form_of_a_comparison(browser: Browser, path: Path) -> None:
    browser.open(path)
    browser.click("#views a:nth-child(2)")
    assert browser.text("main h2") == "Version 11 and version 12"
    field = browser.driver.find_element("name", "from")
    field.clear()
    field.send_keys("2\n")
    browser.wait()
    assert browser.text("main h2") == "Version 2 and version 12"
    browser.click("form.pair .button")
    assert browser.text("main h2") == "Version 12 and version 2"


def test_search_by_keys(browser: Browser, path: Path, page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(path)
    browser.press("/")
    assert browser.run("return document.activeElement.id") == "query"
    browser.press("CLASS1", Keys.ENTER)
    expected = [row for row, change in enumerate(rows_of(page)) if ("iri", "urn:Class1") in change]
    assert sorted(row for _, row in browser.changes()) == expected
    assert f"1 term with “CLASS1”, in {len(expected)} changes" in browser.text("main h3")
    browser.press(Keys.ESCAPE)
    assert browser.text("main h2").startswith("Version 12:")


def test_the_history_of_a_statement(browser: Browser, path: Path, page: Page) -> None:
    rows = rows_of(page)
    most = max(range(len(rows)), key=lambda row: sum(other[1:] == rows[row][1:] for other in rows))
    expected = [
        ("+ added" if change[0] == "A" else f"{MINUS} deleted") + f"version {version}"
        for version, changes in enumerate(page.changes, 1)
        for change in changes
        if change[1:] == rows[most][1:]
    ]
    assert len(expected) > 2
    browser.open(path, f"#statement={most}")
    events = browser.texts(".events li")
    assert [event[: len(start)] for event, start in zip(events, expected, strict=True)] == expected
    is_there = "is in" if expected[-1].startswith("+") else "is not in"
    assert f"It {is_there} the newest version" in browser.text()
    browser.click("dl a[href*='as=subject']")
    assert {rows[row][1] for _, row in browser.changes()} == {rows[most][1]}
    total = sum(change[1] == rows[most][1] for change in rows)
    assert browser.text("main h3").startswith(f"{total} changes")


def test_long_lists_have_pages(browser: Browser, tmp_path: Path) -> None:
    made = [(Op.A, S, P, Literal(f"number {number}"), None) for number in range(250)]
    show(browser, tmp_path, made)
    seen = []
    for first, last in ((1, 100), (101, 200), (201, 250)):
        assert f"{first}{DASH}{last} of 250" in browser.text(".pager")
        seen += [row for _, row in browser.changes()]
        if last < 250:
            browser.click(".pager a:last-child")
    assert sorted(seen) == list(range(250))


def test_long_texts_are_folded_and_differences_marked(browser: Browser, tmp_path: Path) -> None:
    operations: list[Any] = [
        (Op.A, S, P, Literal(LONG), None),
        (Op.D, S, URIRef("urn:q"), Literal(f"{LONG} old {LONG}"), None),
        (Op.A, S, URIRef("urn:q"), Literal(f"{LONG} new {LONG}"), None),
    ]
    show(browser, tmp_path, operations)
    assert f"… ({len(LONG)} characters)" in browser.text()
    assert browser.texts("mark") == ["old", "new"]
    browser.go("statement=0")
    assert LONG in browser.texts(".full")[2]


def test_hostile_texts(browser: Browser, tmp_path: Path) -> None:
    operations: list[Any] = []
    for text in HOSTILE:
        node, link = URIRef(f"urn:{text}"), URIRef(f"javascript:alert(1)//{text}")
        operations += [
            *((Op.H, text, Literal(text)), (Op.H, "title", link), (Op.PA, text, node, None)),
            (Op.A, node, link, Literal(text, datatype=node), link),
            (Op.A, node, link, Literal(text), URIRef(f"http://example.org/{text}")),
        ]
    show(browser, tmp_path, operations)
    assert (
        browser.run("return document.querySelectorAll('main img, main style, main script').length")
        == 0
    )
    statements = [f"statement={number}" for number in range(2 * len(HOSTILE))]
    for view in ("from=0&to=1", "search=urn", *statements, "term=1", "version=1"):
        browser.go(view)
        assert browser.run("return document.querySelectorAll('[role=alert]').length") == 0
        targets = browser.run(
            "const links = document.querySelectorAll('main a[href], nav a');"
            "return Array.from(links, (it) => it.protocol)"
        )
        assert set(targets) <= {"file:", "http:"}
    # What would turn the direction of the text is shown as an escape.
    assert "\\u202E" in browser.text()


def test_nothing_is_wider_than_a_phone(browser: Browser, path: Path) -> None:
    browser.size(*PHONE)
    browser.open(path)
    for view in ("version=3", "from=2&to=9", "search=urn", "statement=3", "term=1", "version=77"):
        browser.go(view)
        assert browser.run("return [document.documentElement.scrollWidth, innerWidth]") == [
            375,
            375,
        ]
        for each in browser.driver.find_elements(
            "css selector", "#views a, #query, #theme, #scale"
        ):
            box = each.rect
            assert box["width"] > 0
            assert box["x"] + box["width"] <= 375
    assert "there is no version 77 here" in browser.text()
    assert any("no version 77" in error["message"] for error in browser.errors())


def test_light_and_dark(browser: Browser, path: Path) -> None:
    def background() -> Any:
        return browser.run("return getComputedStyle(document.body).backgroundColor")

    browser.open(path)
    light = background()
    browser.scheme("dark")
    dark = background()
    assert light != dark
    browser.click("#theme")
    assert (background(), browser.text("#theme")) == (light, "☀ Light")
    browser.click("#theme")
    browser.scheme("light")
    assert (background(), browser.text("#theme")) == (dark, "☾ Dark")
    browser.click("#theme")
    assert background() == light


def test_everything_is_reached_by_tab(browser: Browser, path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(path)
    seen = []
    for _ in range(14):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(
            browser.run(
                """
                const it = document.activeElement, style = getComputedStyle(it);
                return [it.id || it.textContent, style.outlineStyle];
                """
            )
        )
    names = [name for name, _ in seen]
    assert names[:7] == [
        *("skip", "query", "theme", "scale", "chart", "A version", "Compare two versions"),
    ]
    assert names[7:9] == ["← Earlier", names[8]]
    assert all(outline != "none" for _, outline in seen), seen


def test_many_versions(browser: Browser, tmp_path: Path) -> None:
    """There are bars for all of them, and for some around the chosen one."""
    operations: list[Any] = []
    for number in range(1500):
        operations += [(Op.TX,), (Op.A, S, P, Literal(number), None), (Op.TC,)]
    show(browser, tmp_path, operations, "#version=750")
    assert browser.run("return document.querySelectorAll('#chart svg').length") == 2
    assert browser.texts("#chart .here") == ["750"]
    assert browser.run("return document.querySelectorAll('#chart rect').length") < 1000
    assert f"+1 {MINUS}0" in browser.text("#caption")
