"""Run targets one after another or in parallel, and report their findings."""

from __future__ import annotations

import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sanitizers.build import CACHE, ROOT, build_modules, check_modules

from .clang import find_clang
from .seeds import write_seeds
from .targets import TARGETS

__all__ = ["Report", "prepare", "print_table", "reproduce", "run_targets"]

FOLDER = CACHE / "fuzz"
SEEDS = FOLDER / "seeds"
CORPUS = FOLDER / "corpus"
FINDINGS = FOLDER / "findings"
LOGS = FOLDER / "logs"

SANITIZERS = "-fsanitize=address,undefined,fuzzer-no-link"
FLAGS = [
    # This is the only build with clang, so its warnings are errors.
    *("-Wall", "-Wextra", "-Werror"),
    *("-O1", "-g1", "-fno-omit-frame-pointer", "-fno-wrapv"),
    *("-fno-sanitize-recover=undefined", SANITIZERS),
    # Cython's own code adds 0 to NULL, which only clang reports. gcc finds real pointer
    # overflows: see sanitizers.
    "-fno-sanitize=pointer-overflow",
]
LIBFUZZER = [
    # Enough for streams of several frames; longer inputs are not worth their time.
    "-max_len=8192",
    # Seconds for one input; the sanitizers make the modules slower.
    "-timeout=20",
    "-report_slow_units=10",
    "-rss_limit_mb=2048",
    "-detect_leaks=0",
    "-print_final_stats=1",
    "-print_funcs=0",
    "-reload=0",
]
# A target is stopped after this many findings.
MOST_FINDINGS = 5


@dataclass
class Report:
    """The result of fuzzing a target.

    Args:
        target: The name of the target.
        seconds: How long it ran.
        executions: The number of inputs that were tried.
        coverage: The number of edges in the modules and of lines of Python that were reached.
        corpus: The number of inputs that were kept because they increased the coverage.
        memory: The peak memory, in MB.
        findings: The files with inputs that made the target fail.
        errors: Errors of the run itself.
    """

    target: str
    seconds: float = 0
    executions: int = 0
    coverage: int = 0
    corpus: int = 0
    memory: int = 0
    findings: list[Path] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def prepare(stack_depth: int = 1) -> dict[str, str]:
    """Build the modules for fuzzing.

    Args:
        stack_depth: The depth of the stack traces that show where memory was allocated and freed.
            Deep ones double the time.

    Returns:
        The environment for processes that use the modules.
    """
    import atheris

    clang = find_clang()
    build_modules(FOLDER, compiler=clang, flags=FLAGS, link_flags=[])
    runtime = Path(atheris.path()) / "asan_with_fuzzer.so"
    if not runtime.exists():
        raise SystemExit(f"there is no {runtime}: atheris was built without AddressSanitizer")
    # libFuzzer looks for a mutator only when it starts.
    mutator = importlib.util.find_spec("atheris.custom_mutator")
    assert mutator is not None
    places = [str(ROOT / "sanitizers" / "startup"), str(ROOT)]
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{runtime} {mutator.origin}",
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONMALLOC": "malloc",
        "JELLY_RDFLIB_MODULES": str(FOLDER / "lib"),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=2"
        f":quarantine_size_mb=64:malloc_context_size={stack_depth}",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    check_modules(FOLDER / "lib", environment, calls=b"__sanitizer_cov_8bit_counters_init")
    return environment


def run_target(name: str, seconds: float, environment: Mapping[str, str], seed: int) -> Report:
    """Fuzz a target for a given time; continue after findings, up to `MOST_FINDINGS`."""
    report = Report(name)
    write_seeds(TARGETS[name].inputs, SEEDS / TARGETS[name].inputs)
    corpus = CORPUS / name
    for folder in (corpus, FINDINGS, LOGS):
        folder.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    log.unlink(missing_ok=True)
    known = set(FINDINGS.iterdir())
    start = time.monotonic()
    while len(report.findings) < MOST_FINDINGS:
        left = round(seconds - (time.monotonic() - start))
        if left <= 0:
            break
        command = [
            *(sys.executable, "-m", "fuzz.worker", name),
            *LIBFUZZER,
            f"-max_total_time={left}",
            # 0 means a new seed each time. The same seed would only repeat the last finding.
            f"-seed={seed and seed + len(report.findings)}",
            f"-artifact_prefix={FINDINGS / name}-",
            str(corpus),
            str(SEEDS / TARGETS[name].inputs),
        ]
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = ended.stdout.decode(errors="replace")
        with log.open("a") as file:
            file.write(output)
        _take_statistics(report, output)
        found = sorted(
            path
            for path in set(FINDINGS.iterdir()) - known
            # The name of one target may start with the name of another.
            if re.match(f"{name}-(crash|leak|oom|slow-unit|timeout)-", path.name)
        )
        known.update(found)
        report.findings += found
        if ended.returncode != 0 and not found:
            report.errors.append(f"exit code {ended.returncode}: see {log}")
            break
    report.seconds = time.monotonic() - start
    if not report.executions or not report.coverage:
        report.errors.append(f"nothing was tried, or nothing was reached: see {log}")
    return report


def _take_statistics(report: Report, output: str) -> None:
    """Add libFuzzer's statistics to a report."""
    statuses = re.findall(
        r"^#(\d+)\t.*? cov: (\d+) ft: \d+ corp: (\d+)/.* rss: (\d+)Mb", output, re.M
    )
    tried = [int(count) for count in re.findall(r"^#(\d+)\t", output, re.M)]
    final = re.search(r"stat::number_of_executed_units: *(\d+)", output)
    report.executions += int(final[1]) if final else max(tried, default=0)
    for _, coverage, corpus, memory in statuses:
        report.coverage = max(report.coverage, int(coverage))
        report.corpus = max(report.corpus, int(corpus))
        report.memory = max(report.memory, int(memory))


def run_targets(names: list[str], seconds: float, jobs: int, seed: int) -> list[Report]:
    """Fuzz targets, each for its share of the time.

    Args:
        names: The names of the targets.
        seconds: The total time for all targets.
        jobs: The number of targets that run in parallel.
        seed: The seed of libFuzzer's random numbers; 0 for a new one each time.
    """
    environment = prepare()
    share = seconds * jobs / len(names)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda name: run_target(name, share, environment, seed), names))


def print_table(reports: list[Report]) -> bool:
    """Print a table of the reports; return whether no target and no run failed."""
    heads = ("target", "seconds", "executions", "coverage", "corpus", "MB", "findings")
    rows = [
        (
            report.target,
            f"{report.seconds:.0f}",
            f"{report.executions:,}",
            f"{report.coverage:,}",
            f"{report.corpus:,}",
            f"{report.memory:,}",
            str(len(report.findings)),
        )
        for report in reports
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        print("  ".join(cells))
    for report in reports:
        for path in report.findings:
            print(
                f"\nfound: {path.name}\n    make fuzz-reproduce TARGET={report.target} INPUT={path}"
            )
        for error in report.errors:
            print(f"\nfailed: {report.target}: {error}")
    return not any(report.findings or report.errors for report in reports)


def reproduce(name: str, path: Path) -> int:
    """Run a target on one input, with the instrumented modules; return the exit code."""
    command = [sys.executable, "-m", "fuzz.worker", name, *LIBFUZZER, str(path.resolve())]
    return subprocess.run(command, cwd=ROOT, env=prepare(stack_depth=30), check=False).returncode
