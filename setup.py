"""Builds the Cython modules; everything else is in pyproject.toml."""

import itertools
import logging
import multiprocessing
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

if sys.platform == "linux":
    # The limit lets gcc inline the hot path of the decoder where it is called more than once.
    # Python's own flags have -g, and debug information is six sevenths of a module.
    FLAGS = ["-O3", "-fno-plt", "-finline-limit=2000", "-g0"]
    # Else these modules are too small for gcc to inline all of their hot paths.
    INLINING_FLAGS = ["--param=inline-unit-growth=200"]
else:
    # These have not been tried.
    FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
    INLINING_FLAGS = []
# Builds for sanitizers and for fuzzing have their own.
if "JELLY_RDFLIB_CFLAGS" in os.environ:
    FLAGS = os.environ["JELLY_RDFLIB_CFLAGS"].split()
    INLINING_FLAGS = []

MODULES = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [str(path)],
        extra_compile_args=FLAGS
        + (INLINING_FLAGS if path.stem in ("jelly_decoder", "text") else []),
    )
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
}

NO_COMPILER = (
    "jelly-rdflib is compiled from source here and needs a C compiler and Python's headers: take a "
    "Python that there is a wheel for, or install them with `apt install gcc python3-dev` on "
    "Debian and Ubuntu, `dnf install gcc python3-devel` on Fedora, `xcode-select --install` on "
    "macOS"
)


class BuildModules(build_ext):
    """Builds the modules, or says in one sentence what to install."""

    def build_extensions(self):
        """Look for the compiler before it is called."""
        command = getattr(self.compiler, "compiler_so", None)
        headers = Path(sysconfig.get_path("include"), "Python.h")
        # Microsoft's compiler is looked for by setuptools, which says where to get it.
        if command and (shutil.which(command[0]) is None or not headers.exists()):
            raise SystemExit(NO_COMPILER)
        self.built = itertools.count(1)
        super().build_extensions()

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
