"""Settings that all tests share."""

from __future__ import annotations

import logging
import os

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "default",
    deadline=None,
    # Two thirds of what CI tries, so that `make test` stays short.
    max_examples=30,
    print_blob=True,
    report_multiple_bugs=False,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=1000)
# A change is to be refused for what it brings, not for what chance finds of an earlier one.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, max_examples=45)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=10)
settings.register_profile(
    "look", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True, scope="session")
def _quiet_rdflib() -> None:
    """Keep rdflib from logging each odd IRI and ill-typed literal that the tests make."""
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
