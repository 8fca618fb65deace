"""A follower that tests run as a process and kill.

Arguments: ``replica`` or ``log``, the address of the source, the folder, the source's settings as
JSON, and the seconds without a patch after which it ends. It prints a line for each patch.
"""

import json
import sys
import time

import jelly_rdflib as jr
from jelly_rdflib import live
from jelly_rdflib.live.log import append_from


def main(kind: str, url: str, folder: str, settings: str, timeout: str) -> None:
    def progress(taken: object) -> None:
        print("taken", flush=True)
        # The pause leaves patches for the next follower when this one is killed.
        time.sleep(0.002)

    with live.connect(url, timeout=float(timeout), **json.loads(settings)) as source:
        if kind == "replica":
            jr.Replica(folder).follow(source, save_every=0.02, progress=progress)
        else:
            append_from(source, jr.PatchLog(folder, create=True), progress=progress)


if __name__ == "__main__":
    main(*sys.argv[1:])
