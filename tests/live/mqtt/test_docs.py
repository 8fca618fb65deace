"""Tests that the examples on the MQTT page work."""

import re
from typing import Any

import pytest

from tests.examples import DOCS
from tests.live.mqtt.broker import Mosquitto


def test_the_example_in_python(broker: Mosquitto, capsys: pytest.CaptureFixture[Any]) -> None:
    text = (DOCS / "live" / "mqtt.md").read_text("utf-8")
    (code,) = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(code.replace("mqtt://localhost:1883", broker.url), {})
    assert "on" in capsys.readouterr().out
