"""Tests each view of the page in a browser, with mouse and keyboard, on desktop and phone."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import OWL, RDFS, SKOS, BNode, Literal, Namespace, URIRef

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
FIRST, REST, NIL = (URIRef(RDF + name) for name in ("first", "rest", "nil"))
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"
LONG = "the quick brown fox jumps over the lazy dog " * 20


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(started: Browser) -> Iterator[Browser]:
    """Yield a browser, and finally check that it has reported no errors."""
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
    """Show the page of a file with these operations."""
    made = PackedHistory(read_file(jr.read_batches(encode(operations))))
    write_page(folder / "x.html", made, is_whole=False)
    browser.open(folder / "x.html", view)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> jr.PatchLog:
    """Return a log with ineffective changes, several graphs, and subjects of several classes."""
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
        """Return the horizontal offset of a version's bar from the middle of the drawing."""
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
    """The page's difference of two versions equals that of the log's checkouts."""
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
    """If the initial state is unknown, the first change of each statement counts as effective."""
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
            (Op.A, node, TYPE, link, None),
            (Op.A, BNode(text), link, Literal(text), None),
            (Op.A, node, RDFS.label, Literal(text), None),
            (Op.D, node, RDFS.label, Literal(f"{text} {text}"), None),
        ]
    show(browser, tmp_path, operations)
    assert (
        browser.run("return document.querySelectorAll('main img, main style, main script').length")
        == 0
    )
    statements = [f"statement={number}" for number in range(6 * len(HOSTILE))]
    for view in ("from=0&to=1", "search=urn", *statements, "term=1", "version=1"):
        browser.go(view)
        assert browser.run("return document.querySelectorAll('[role=alert]').length") == 0
        targets = browser.run(
            "const links = document.querySelectorAll('main a[href], nav a');"
            "return Array.from(links, (it) => it.protocol)"
        )
        assert set(targets) <= {"file:", "http:"}
    # Characters that change the direction of text are shown as escapes.
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
    """The page has bars for all versions, and larger bars around the chosen version."""
    operations: list[Any] = []
    for number in range(1500):
        operations += [(Op.TX,), (Op.A, S, P, Literal(number), None), (Op.TC,)]
    show(browser, tmp_path, operations, "#version=750")
    assert browser.run("return document.querySelectorAll('#chart svg').length") == 2
    assert browser.texts("#chart .here") == ["750"]
    assert browser.run("return document.querySelectorAll('#chart rect').length") < 1000
    assert f"+1 {MINUS}0" in browser.text("#caption")


# Ontologies, the main use of the page.

ZOO = Namespace("http://example.org/zoo#")
Quad = tuple[Any, Any, Any]


def in_versions(*versions: list[tuple[Op, Quad]]) -> list[Any]:
    """Return operations in which each argument is a transaction of changes to triples."""
    operations: list[Any] = []
    for changes in versions:
        operations += [(Op.TX,), *((op, *triple, None) for op, triple in changes), (Op.TC,)]
    operations.insert(1, (Op.PA, "zoo", URIRef(str(ZOO)), None))
    return operations


def added(*triples: Quad) -> list[tuple[Op, Quad]]:
    return [(Op.A, triple) for triple in triples]


def deleted(*triples: Quad) -> list[tuple[Op, Quad]]:
    return [(Op.D, triple) for triple in triples]


def list_of(name: str, *items: Any) -> list[Quad]:
    """Return the triples of an RDF list; its first cell is the blank node NAME0."""
    cells = [BNode(f"{name}{number}") for number in range(len(items))]
    rests = [*cells[1:], NIL]
    return [
        triple
        for cell, item, rest in zip(cells, items, rests, strict=True)
        for triple in ((cell, FIRST, item), (cell, REST, rest))
    ]


def restriction(node: BNode, filler: URIRef) -> list[Quad]:
    return [
        (node, TYPE, OWL.Restriction),
        (node, OWL.onProperty, ZOO.eats),
        (node, OWL.someValuesFrom, filler),
    ]


def subjects(browser: Browser) -> list[str]:
    return browser.texts(".group > summary h3 > a:first-child")


def test_blank_nodes_hang_below_their_owner(browser: Browser, tmp_path: Path) -> None:
    diet, alone = BNode("diet"), BNode("alone")
    first = [(alone, P, S), *restriction(diet, ZOO.Fish), (ZOO.Cat, RDFS.subClassOf, diet)]
    second = [
        *deleted((diet, OWL.someValuesFrom, ZOO.Fish)),
        *added((diet, OWL.someValuesFrom, ZOO.Meat)),
    ]
    show(browser, tmp_path, in_versions(added(*first), second), "#version=1")
    # Named subjects are listed first.
    assert subjects(browser) == ["zoo:Cat", "_:alone"]
    assert browser.texts(".group:first-of-type > ul > li > .change") == ["+rdfs:subClassOf[ … ]"]
    assert browser.texts(".group:first-of-type .below .change") == [
        "+rdf:typeowl:Restriction",
        "+owl:onPropertyzoo:eats",
        "+owl:someValuesFromzoo:Fish",
    ]
    # Changes below an unchanged statement are listed below it, in each view.
    for view, sides in (("version=2", ""), ("from=1&to=2", ".sides ")):
        browser.go(view)
        assert subjects(browser) == ["zoo:Cat"]
        assert browser.texts(".same") == ["rdfs:subClassOf[ … ]"]
        assert browser.texts(f".below {sides}.change") == [
            f"{MINUS}owl:someValuesFromzoo:Fish",
            "+owl:someValuesFromzoo:Meat",
        ]
    browser.go("search=zoo:Meat")
    assert subjects(browser) == ["zoo:Cat"]
    assert browser.texts(".below .change") == ["+owl:someValuesFromzoo:Meat"]


def test_lists_are_shown_as_lists(browser: Browser, tmp_path: Path) -> None:
    diet = BNode("diet")
    old = [(ZOO.Pet, OWL.unionOf, BNode("a0")), *list_of("a", ZOO.Cat, ZOO.Dog)]
    new = [(ZOO.Pet, OWL.unionOf, BNode("b0")), *list_of("b", ZOO.Cat, ZOO.Ape, ZOO.Dog)]
    deep = [
        (ZOO.Eater, OWL.intersectionOf, BNode("c0")),
        *list_of("c", ZOO.Cat, diet),
        *restriction(diet, ZOO.Fish),
    ]
    operations = in_versions(added(*old, *deep), [*deleted(*old), *added(*new)])
    show(browser, tmp_path, operations, "#version=2")
    expected = [
        f"{MINUS}owl:unionOf( zoo:Cat zoo:Dog )",
        "+owl:unionOf( zoo:Cat zoo:Ape zoo:Dog )",
    ]
    for view in ("version=2", "from=1&to=2"):
        browser.go(view)
        assert browser.texts(".change") == expected
        assert browser.texts("mark") == ["zoo:Ape"]
    browser.go("version=1&subject=" + term_number(browser, "zoo:Eater"))
    assert browser.texts(".change") == [
        *("+owl:intersectionOf( zoo:Cat [ … ] )", "+2.[ … ]", "+rdf:typeowl:Restriction"),
        *("+owl:onPropertyzoo:eats", "+owl:someValuesFromzoo:Fish"),
    ]


def test_a_list_that_changes_in_place_is_shown_twice(browser: Browser, tmp_path: Path) -> None:
    first = [(ZOO.Pet, OWL.unionOf, BNode("a0")), *list_of("a", ZOO.Cat, ZOO.Dog)]
    second = [
        *deleted((BNode("a0"), REST, BNode("a1"))),
        *added((BNode("a0"), REST, BNode("b")), (BNode("b"), FIRST, ZOO.Ape)),
        *added((BNode("b"), REST, BNode("a1"))),
    ]
    show(browser, tmp_path, in_versions(added(*first), second))
    expected = [
        f"{MINUS}owl:unionOf( zoo:Cat zoo:Dog )",
        "+owl:unionOf( zoo:Cat zoo:Ape zoo:Dog )",
    ]
    for view in ("version=2", "from=1&to=2"):
        browser.go(view)
        assert (browser.texts(".change"), browser.texts("mark")) == (expected, ["zoo:Ape"])
    browser.go("from=2&to=1")
    assert browser.texts(".change") == [
        expected[1].replace("+", MINUS),
        expected[0].replace(MINUS, "+"),
    ]


def test_a_blank_node_that_moves_hangs_below_both_owners(browser: Browser, tmp_path: Path) -> None:
    diet = BNode("diet")
    moved = [
        *(*deleted((ZOO.Cat, P, diet), (diet, P, ZOO.Fish)), *added((diet, P, ZOO.Meat))),
        *added((ZOO.Dog, P, diet)),
    ]
    first = added((ZOO.Dog, TYPE, S), (ZOO.Cat, P, diet), (diet, P, ZOO.Fish))
    show(browser, tmp_path, in_versions(first, moved))
    for view in ("version=2", "from=1&to=2"):
        browser.go(view)
        assert subjects(browser) == ["zoo:Dog", "zoo:Cat"]
        expected = [f"+{P.n3()}[ … ]", f"+{P.n3()}zoo:Meat"]
        expected += [f"{MINUS}{P.n3()}[ … ]", f"{MINUS}{P.n3()}zoo:Fish"]
        assert browser.texts(".change") == expected


def term_number(browser: Browser, name: str) -> str:
    """Return the term number of a subject that is listed in version 1."""
    browser.go("version=1")
    found: str = browser.run(
        """
        const links = [...document.querySelectorAll(".group h3 a")];
        const link = links.find((it) => it.textContent === arguments[0]);
        return new URLSearchParams(link.hash.slice(1)).get("term");
        """,
        name,
    )
    return found


def test_broken_lists_rings_and_depths_lose_no_change(browser: Browser, tmp_path: Path) -> None:
    chance = random.Random(3)
    nodes = [BNode(f"n{number}") for number in range(8)]
    found: set[Quad] = set()
    while len(found) < 40:
        # In these graphs, no list ends.
        p, o = chance.choice([P, REST, FIRST]), chance.choice([*nodes, S])
        found.add((chance.choice([*nodes, ZOO.Cat]), p, o))
    chain = [BNode(f"deep{number}") for number in range(50)]
    deep = [(one, P, other) for one, other in zip([ZOO.Dog, *chain], chain, strict=False)]
    # One list lacks its end; another has a cell with two rests.
    broken = [(ZOO.Ape, P, BNode("x0")), *list_of("x", S, S, S)[:-1]]
    forked = [(ZOO.Emu, P, BNode("y0")), *list_of("y", S, S, S), (BNode("y0"), REST, NIL)]
    for number, triples in enumerate((sorted(found), deep, broken, forked)):
        show(browser, tmp_path, in_versions(added(*triples)))
        assert sorted(row for _, row in browser.changes()) == list(range(len(triples))), number
    long = [(ZOO.Pet, OWL.oneOf, BNode("l0")), *list_of("l", *map(Literal, range(3000)))]
    show(browser, tmp_path, in_versions(added(*long)))
    seen = []
    while True:
        seen += [row for _, row in browser.changes()]
        if browser.texts(".pager a:last-child[aria-disabled=true]"):
            break
        browser.click(".pager a:last-child")
    # Each page of the list repeats the owner above the cells.
    assert sorted(set(seen)) == list(range(len(long)))


ONTOLOGY = in_versions(
    added(
        *[(ZOO[name], TYPE, OWL.Class) for name in ("Cat", "Dog", "Ape")],
        (ZOO.Cat, RDFS.label, Literal("cat", lang="en")),
        (ZOO.Cat, RDFS.label, Literal("Katze", lang="de")),
        (ZOO.Dog, SKOS.definition, Literal("A dog barks.")),
        (ZOO.Ape, OWL.deprecated, Literal(True)),
    ),
    [
        *added((ZOO.eats, TYPE, OWL.ObjectProperty), (ZOO.Cow, TYPE, OWL.Class)),
        *added((ZOO.Cow, RDFS.label, Literal("cow")), (ZOO.Dog, TYPE, ZOO.Pet)),
        *deleted((ZOO.Cat, RDFS.label, Literal("cat", lang="en"))),
        *added((ZOO.Cat, RDFS.label, Literal("house cat", lang="en"))),
        *deleted((ZOO.Dog, SKOS.definition, Literal("A dog barks."))),
        *added((ZOO.Dog, SKOS.definition, Literal("A dog barks, and bites."))),
        *added((ZOO.Dog, OWL.deprecated, Literal(True))),
        *deleted((ZOO.Ape, OWL.deprecated, Literal(True))),
        *added((ZOO.Cat, TYPE, OWL.Class)),
    ],
    deleted((ZOO.Dog, TYPE, OWL.Class), (ZOO.Dog, TYPE, ZOO.Pet), (ZOO.Cow, TYPE, OWL.Class)),
)


def words(browser: Browser) -> tuple[str, list[tuple[str, str]]]:
    """Return the heading and the lines of the verbal summary."""
    names, texts = browser.texts(".words dt"), browser.texts(".words dd")
    return browser.text(".words h3"), list(zip(names, texts, strict=True))


def test_an_ontology_in_words(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, ONTOLOGY, "#version=1")
    assert words(browser) == (
        "Terms: 3 new, 1 deprecated",
        [("New", "3 owl:Class:zoo:Catzoo:Dogzoo:Ape"), ("Deprecated", "zoo:Ape")],
    )
    browser.go("version=2")
    second = words(browser)
    assert second == (
        "Terms: 2 new, 1 deprecated, 1 no longer deprecated, 1 relabelled,"
        " 1 with a changed definition",
        [
            ("New", "1 owl:ObjectProperty:zoo:eats1 owl:Class:zoo:Cow"),
            ("Deprecated", "zoo:Dog"),
            ("No longer deprecated", "zoo:Ape"),
            ("Relabelled", 'zoo:Cat "cat"@en → "house cat"@en'),
            ("Definition changed", "zoo:Dog"),
        ],
    )
    assert browser.texts(".words mark:not(.gone)") == ["house "]
    browser.go("from=1&to=2")
    assert words(browser) == second
    browser.go("from=3&to=1")
    head, lines = words(browser)
    assert head == "Terms: 1 new, 1 removed, 1 deprecated, 1 relabelled"
    assert lines[:2] == [
        *(("New", "1 owl:Class:zoo:Dog"), ("Removed", "1 owl:ObjectProperty:zoo:eats")),
    ]
    browser.click(".words dd a")
    assert subjects(browser) == ["zoo:Dog"]


def test_only_effective_changes_are_told_in_words(browser: Browser, tmp_path: Path) -> None:
    same = [*added((ZOO.Cat, TYPE, OWL.Class)), *deleted((ZOO.Dog, TYPE, OWL.Class))]
    operations = in_versions(added((ZOO.Cat, TYPE, OWL.Class)), same, same)
    moved = (ZOO.Cat, TYPE, OWL.Class)
    operations += [(Op.TX,), (Op.D, *moved, None), (Op.A, *moved, GRAPH), (Op.TC,)]
    show(browser, tmp_path, operations)
    for version in (3, 4):
        browser.go(f"version={version}")
        assert browser.texts(".words") == []
        assert len(browser.changes()) == 2


def test_many_terms_are_told_step_by_step(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, in_versions(added(*[(ZOO[f"c{n}"], TYPE, S) for n in range(120)])))
    assert browser.text(".words h3") == "Terms: 120 new"
    for expected in (5, 105, 120):
        assert len(browser.texts(".words dd a")) == expected
        for button in browser.driver.find_elements("css selector", ".words button"):
            button.click()
            browser.wait()


def test_words_of_a_literal_that_have_changed_are_marked(browser: Browser, tmp_path: Path) -> None:
    pairs = [
        ("the red fox and the dog", "the blue fox and a dog", ["red", "the", "blue", "a"]),
        ("one two three", "one three", ["two ", ""]),
        ("2019-01-02", "2019-03-02", ["01", "03"]),
        ("same " * 1500 + "a " * 1500, "same " * 1500 + "b " * 1500, None),
    ]
    for old, new, expected in pairs:
        changes = deleted((S, P, Literal(old, lang="en")))
        changes += added((S, P, Literal("x", lang="de")), (S, P, Literal(new, lang="en")))
        show(browser, tmp_path, in_versions(changes))
        marks = browser.texts("mark")
        if expected is None:
            assert [mark[:3] for mark in marks] == ["a a", "b b"]
        else:
            assert marks == expected


def test_subjects_are_folded_and_moved_through_by_keys(browser: Browser, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    def states() -> Any:
        return browser.run(
            "return Array.from(document.querySelectorAll('.group'), (it) => it.open)"
        )

    def focused() -> Any:
        return browser.run("return document.activeElement.querySelector('h3 > a')?.textContent")

    things = [ZOO[f"thing{number}"] for number in range(10)]
    show(browser, tmp_path, in_versions(added(*[(thing, P, S) for thing in things])))
    assert states() == [False] * 10
    assert browser.texts(".group .sum") == ["+1"] * 10
    for key, expected in [("j", 0), ("j", 1), ("j", 2), ("k", 1), ("k", 0), ("k", 0)]:
        browser.press(key)
        assert focused() == f"zoo:thing{expected}"
    browser.press(Keys.ENTER)
    assert states() == [True] + [False] * 9
    browser.click(".line-head .plain:not(#scale)")
    assert states() == [True] * 10
    browser.click(".line-head .plain:not(#scale)")
    assert states() == [False] * 10
    show(browser, tmp_path, in_versions(added(*[(thing, P, S) for thing in things[:3]])))
    assert states() == [True] * 3


def test_the_keys_are_shown(browser: Browser, path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(path, "#search=urn")
    browser.press("?")
    assert "the next subject" in browser.text("#keys")
    browser.press("j", Keys.ARROW_LEFT)
    browser.press(Keys.ESCAPE)
    assert not browser.run("return document.getElementById('keys').open")
    # The open help on keys consumed these keys.
    assert browser.text("main h2").startswith("Search")
    browser.click("#help")
    browser.click("#close")
    assert not browser.run("return document.getElementById('keys').open")


def test_classes_and_filters_of_a_comparison(
    browser: Browser, path: Path, page: Page, log: jr.PatchLog
) -> None:
    """In a comparison, the page's classes and filters match the log's checkouts."""
    browser.open(path)
    for one, other in [(0, 12), (9, 4)]:
        states = [state_of(log, version) for version in (one, other)]
        classes: dict[Any, set[Any]] = {}
        for s, p, o, _ in states[0] | states[1]:
            if p == ("iri", RDF + "type"):
                classes.setdefault(s, set()).add(o)
        expected: dict[Any, list[int]] = {}
        for place, changes in enumerate((states[1] - states[0], states[0] - states[1])):
            for s, *_ in changes:
                for name in classes.get(s) or {None}:
                    expected.setdefault(name, [0, 0])[place] += 1
        browser.go(f"from={one}&to={other}")
        links = browser.run(
            "const all = document.querySelectorAll('.tables section:nth-child(2) td a');"
            "return Array.from(all, (it) => it.hash)"
        )
        assert len(links) == len(expected)
        for link in links:
            number = int(re.search(r"class=(\d+)", link)[1])  # type: ignore[index]
            browser.go(link[1:])
            kinds = [is_added for is_added, _ in browser.changes()]
            counts = [kinds.count(True), kinds.count(False)]
            assert counts == expected[page.terms[number]], page.terms[number]


def test_a_filter_keeps_what_hangs_below(browser: Browser, tmp_path: Path) -> None:
    diet = BNode("diet")
    triples = [(ZOO.Cat, TYPE, OWL.Class), (ZOO.Cat, RDFS.subClassOf, diet), (ZOO.Dog, P, S)]
    show(browser, tmp_path, in_versions(added(*triples, *restriction(diet, ZOO.Fish))))
    cat = term_number(browser, "zoo:Cat")
    for view in ("version=1", "from=0&to=1"):
        browser.go(f"{view}&subject={cat}")
        assert sorted(row for _, row in browser.changes()) == [0, 1, 3, 4, 5]
        browser.click(".chips a")
        assert len(browser.changes()) == 6


def test_nested_changes_fit_a_phone(browser: Browser, tmp_path: Path) -> None:
    browser.size(390, 800)
    chain = [BNode(f"deep{number}") for number in range(12)]
    deep = [(one, P, other) for one, other in zip([ZOO.Dog, *chain], chain, strict=False)]
    show(browser, tmp_path, in_versions(added(*deep), deleted(*deep)))
    for view in ("version=1", "from=1&to=2", "from=0&to=1"):
        browser.go(view)
        assert browser.run("return document.documentElement.scrollWidth") == 390
        narrowest = browser.run(
            "const all = document.querySelectorAll('.change > :nth-child(3)');"
            "return Math.min(...Array.from(all, (it) => it.getBoundingClientRect().width))"
        )
        assert narrowest > 30
