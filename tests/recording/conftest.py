from collections.abc import Callable

import pytest
from rdflib import Dataset, Graph

from tests.recording.support import DATASETS, GRAPHS


@pytest.fixture(params=DATASETS)
def make_dataset(request: pytest.FixtureRequest) -> Callable[[], Dataset]:
    return DATASETS[request.param]


@pytest.fixture(params=GRAPHS)
def make_graph(request: pytest.FixtureRequest) -> Callable[[], Graph]:
    return GRAPHS[request.param]
