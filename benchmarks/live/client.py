"""One client in a separate process: ``python -m benchmarks.live.client WHAT WHOSE URL COUNT``.

WHAT is ``send`` or ``receive``. WHOSE is ``ours``, ``bare``, or ``tuples``: ours, with a tuple for
each operation. It prints ``ready``, and finally the seconds.
"""

from __future__ import annotations

import sys
import time

from jelly_rdflib import live

from . import bare, workload


def send(url: str, count: int) -> float:
    first, *patches = workload.patches(count)
    with live.open_sink(url, options=workload.OPTIONS) as sink:
        print("ready", flush=True)
        # The clock starts when everything is connected.
        sink.send(first)
        sink.flush()
        start = time.perf_counter()
        for patch in patches:
            sink.send(patch)
        sink.flush()
        return time.perf_counter() - start


def receive(url: str, count: int, *, has_tuples: bool) -> float:
    found = 0
    with live.connect(url) as source:
        print("ready", flush=True)
        start = 0.0
        for patch in source:
            start = start or time.perf_counter()
            found += 1
            if has_tuples:
                for _ in patch:
                    pass
            if found == count:
                break
        return time.perf_counter() - start


def main() -> None:
    """Send or receive, as the arguments say."""
    what, whose, url, number = sys.argv[1:]
    count = int(number)
    scheme = url.partition(":")[0]
    if whose == "bare":
        workload.frames(1)
        if not (what == "receive" and scheme == "mqtt"):
            print("ready", flush=True)
        seconds = (bare.SEND if what == "send" else bare.RECEIVE)[scheme](url, count)
    elif what == "send":
        seconds = send(url, count)
    else:
        seconds = receive(url, count, has_tuples=whose == "tuples")
    print(seconds)


if __name__ == "__main__":
    main()
