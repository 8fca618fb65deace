"""Opens pages in headless Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
DESKTOP, PHONE = (1280, 900), (375, 800)


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """Start Chromium with a new profile; skip the test if it is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    programs = [
        shutil.which("chromium") or shutil.which("google-chrome"),
        shutil.which("chromedriver"),
    ]
    if None in programs:
        pytest.skip("there is no Chromium: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(programs[1]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    """A browser that shows a page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script; return its value."""
        return self.driver.execute_script(script, *arguments)

    def size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {**metrics, "mobile": width < 500}
        )

    def scheme(self, scheme: str) -> None:
        """Set the system's colour scheme to light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, page: Path, view: str = "") -> None:
        """Open a view of a page, and wait until it is shown."""
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + view)
        self.wait()

    def go(self, view: str) -> None:
        """Go to another view of the same page."""
        self.run("location.hash = arguments[0]", view)
        self.wait()

    def wait(self) -> None:
        # The browser fires the event for a new address a moment later.
        self.driver.set_script_timeout(30)
        self.driver.execute_async_script(
            """
            const done = arguments[0], main = document.getElementById("main");
            const look = () => main.ariaBusy === "false" ? done() : setTimeout(look, 10);
            setTimeout(look, 30);
            """
        )

    def press(self, *keys: str) -> None:
        """Press keys in the focused element."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
        self.wait()

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()
        self.wait()

    def text(self, selector: str = "main") -> str:
        """Return the visible text of the first element that a selector finds."""
        found: str = self.driver.find_element("css selector", selector).text
        return found

    def texts(self, selector: str) -> list[str]:
        return self.run(
            "return Array.from(document.querySelectorAll(arguments[0]), (it) => it.textContent)",
            selector,
        )

    def changes(self) -> list[tuple[bool, int]]:
        """Return for each listed change whether it is an addition, and its row number."""
        found = self.run(
            """
            const rowOf = (it) => +new URLSearchParams(it.hash.slice(1)).get("statement");
            return Array.from(document.querySelectorAll("a.change"), (it) =>
              [it.classList.contains("is-added"), rowOf(it)]);
            """
        )
        return [(is_added, row) for is_added, row in found]

    def errors(self) -> list[Any]:
        """Return the errors of the page since the last call."""
        return list(self.driver.get_log("browser"))
