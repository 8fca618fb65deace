"""Tests that the examples of the Kafka page work, with the address of the test's broker."""

from pathlib import Path

import pytest

from tests.examples import DOCS, run_page
from tests.live.kafka.broker import Broker


def test_examples(broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.create_topic("changes")
    text = (DOCS / "live" / "kafka.md").read_text("utf-8")
    page = tmp_path / "kafka.md"
    page.write_text(text.replace("localhost:9092", broker.address), "utf-8")
    monkeypatch.chdir(tmp_path)
    run_page(page)
