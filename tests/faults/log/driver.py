"""The process that is started with the shim, and forks the interleaved processes.

Its command is ``python -m tests.faults.log.driver DESCRIPTOR FOLDER``.
"""

import gc
import shutil
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from tests.faults.log.child import Child, serve
from tests.faults.log.meeting import Case, Outcome, count_calls, crash, meet
from tests.faults.log.outage import Outages, Steps, cut_power
from tests.faults.log.shim import Shim, build_shim, environment
from tests.faults.log.side import Side, make_template


class Driver:
    """The object whose methods another process calls.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        Shim()
        self._folder = folder.resolve()
        self._template = self._folder / "template"
        # The driver warms up with a different log, because forked processes should inherit the
        # loaded modules, but must not inherit an open log of the template.
        warm_up = self._folder / "warm-up"
        for path in (self._template, warm_up):
            path.mkdir()
            make_template(path)
        Side(warm_up).judge(100)
        gc.collect()
        gc.freeze()

    def count(self, work: str, with_reads: bool, after_crash: bool = False) -> int:
        """Return the number of calls that the task `work` makes."""
        place = self._folder / "place"
        return count_calls(work, self._template_of(after_crash), place, with_reads=with_reads)

    def meet(self, case: Case) -> Outcome:
        return meet(case, self._template_of(case.after_crash), self._folder / "place")

    def _template_of(self, after_crash: bool) -> Path:
        if not after_crash:
            return self._template
        path = self._folder / "crashed"
        if not path.exists():
            shutil.copytree(self._template, path)
            crash(path)
        return path

    def cut_power(self, steps: Steps, is_large: bool) -> Outages:
        place = self._folder / "power"
        place.mkdir()
        return cut_power(self._template, place, steps, is_large)


def start_driver(folder: Path) -> Child:
    """Start a driver that works in `folder`."""
    place = folder / "driver"
    place.mkdir()
    shim = build_shim(place)
    return Child.start(__spec__.name, str(place), environment=environment(shim))


if __name__ == "__main__":
    place = Path(sys.argv[2]) / "work"
    place.mkdir()
    serve(lambda: Driver(place), Connection(int(sys.argv[1])))
