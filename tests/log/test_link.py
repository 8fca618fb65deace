"""Tests a connection that may be lost."""

import threading
import time
import warnings

import pytest

import jelly_rdflib as jr
from jelly_rdflib.log import link


def test_a_timer_that_runs_out_while_the_connection_is_lost_counts_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "_STANDS", 0.05)
    found = link.Link("http://localhost")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", jr.ConnectionWarning)
        found.set(ConnectionError("refused"))
        found.begin()
        (timer,) = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
        with found._lock:
            # Meanwhile the timer's thread waits for the lock.
            time.sleep(0.2)
            found._change(ConnectionError("cut"))
        timer.join()
        assert found.error is not None
        found.begin()
        found.begin()
        for _ in range(100):
            if found.error is None:
                break
            time.sleep(0.05)
    assert found.error is None
    assert [str(each.message).split(",")[0] for each in told] == [
        "http://localhost is lost",
        "http://localhost is there again",
    ]
