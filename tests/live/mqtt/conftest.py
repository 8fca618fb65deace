from collections.abc import Iterator

import pytest

from tests.live.mqtt.broker import Mosquitto


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """Yield a broker without passwords; skip the test if mosquitto is missing."""
    with Mosquitto(tmp_path_factory.mktemp("mosquitto")) as running:
        yield running


@pytest.fixture
def url(broker: Mosquitto, request: pytest.FixtureRequest) -> str:
    """Return the address of a topic that no other test uses."""
    return f"{broker.url}/tests/{request.node.name.replace('#', '')}"
