"""Builds the Cython modules; everything else is in pyproject.toml."""

import itertools
import logging
import multiprocessing
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

OLDEST = (3, 10)
NO_COMPILER = (
    "jelly-rdflib is compiled from source here and needs a C compiler and Python's headers: take a "
    "Python that there is a wheel for, or install them with `apt install gcc python3-dev` on "
    "Debian and Ubuntu, `dnf install gcc python3-devel` on Fedora, `xcode-select --install` on "
    "macOS"
)


def check_machine():
    """Exit with a sentence if the modules can't be built here; Python may be an old one."""
    if sys.version_info < OLDEST:
        raise SystemExit(
            f"jelly-rdflib needs Python {OLDEST[0]}.{OLDEST[1]} or later, and {sys.executable} is"
            f" {sys.version_info[0]}.{sys.version_info[1]}: take another one, by"
            " `make PYTHON=python3.12`, say"
        )
    command = os.environ.get("CC", sysconfig.get_config_var("CC"))
    # Microsoft's compiler is looked for by setuptools, which says where to get it.
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if command and (shutil.which(command.split()[0]) is None or not headers.exists()):
        raise SystemExit(NO_COMPILER)


# The Makefile calls this before it downloads anything.
check_machine()
if sys.argv[1:] == ["check_machine"]:
    raise SystemExit

from Cython.Build import cythonize  # noqa: E402
from setuptools import Extension, setup  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402

# For compilers that take them. The limit lets gcc inline the hot path of the decoder where it is
# called more than once. Python's own flags have -g, and debug information is six sevenths of a
# module.
FLAGS = ["-O3", "-g0", "-fno-plt", "-finline-limit=2000"]
# Else these modules are too small for gcc to inline all of their hot paths.
INLINING_FLAGS = ["--param=inline-unit-growth=200"]
INLINED = ("jelly_decoder", "text")

MODULES = [
    Extension(".".join(path.with_suffix("").parts), [str(path)])
    for path in sorted(Path("jelly_rdflib").rglob("*.pyx"))
]
# The Makefile installs extras into an environment whose modules are built already.
if "JELLY_RDFLIB_MODULES_ARE_BUILT" in os.environ:
    MODULES = []

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    # A None is an AttributeError, and no crash. Hot modules do without, and say why they can.
    "nonecheck": True,
    # Nothing may set the attributes of an object but its own methods.
    "auto_pickle": False,
    # Two threads may use one object without the GIL: see docs/reliability.md, "Threads".
    "freethreading_compatible": True,
}


class BuildModules(build_ext):
    """Builds the modules, with the flags that the compiler takes."""

    def build_extensions(self):
        """Choose the flags."""
        if "JELLY_RDFLIB_CFLAGS" in os.environ:
            # Builds for sanitizers, for fuzzing and for daily work have their own.
            flags, inlining = os.environ["JELLY_RDFLIB_CFLAGS"].split(), []
        elif self.compiler.compiler_type == "msvc":
            flags, inlining = ["/O2"], []
        else:
            flags, inlining = map(self.taken, (FLAGS, INLINING_FLAGS))
        for module in self.extensions:
            is_inlined = module.name.rpartition(".")[2] in INLINED
            module.extra_compile_args = flags + (inlining if is_inlined else [])
        self.built = itertools.count(1)
        super().build_extensions()

    def taken(self, flags):
        """Return those flags that the compiler takes without a warning."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "empty.c")
            source.write_text("int nothing;\n")
            call = [*self.compiler.compiler_so, "-Werror", "-c", source, "-o", f"{source}.o"]
            return [
                flag
                for flag in flags
                if not subprocess.run([*call, flag], capture_output=True, check=False).returncode
            ]

    def build_extension(self, ext):
        """Build a module, and say which, as this takes a while."""
        super().build_extension(ext)
        print(f"{next(self.built)} of {len(self.extensions)} modules: {ext.name}", flush=True)


# A media type is a name for rdflib's plugins, and has a slash, of which setuptools warns.
logging.getLogger("setuptools.config._validate_pyproject.formats").setLevel(logging.ERROR)

setup(
    cmdclass={"build_ext": BuildModules},
    ext_modules=cythonize(
        MODULES,
        compiler_directives=DIRECTIVES,
        build_dir="build/cython",
        # Processes that are not forked would run this file.
        nthreads=os.cpu_count() if multiprocessing.get_start_method() == "fork" else 0,
    ),
    # One compiler for each core.
    options={"build_ext": {"parallel": True}},
)
