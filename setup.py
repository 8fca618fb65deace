"""Build the Cython modules; all other settings are in pyproject.toml."""

import itertools
import logging
import multiprocessing
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

OLDEST = (3, 10)
NO_COMPILER = (
    "jelly-rdflib is compiled from source here and needs a C compiler and Python's headers: use a "
    "Python that has a wheel, or install them with `apt install gcc python3-dev` on "
    "Debian and Ubuntu, `dnf install gcc python3-devel` on Fedora, `xcode-select --install` on "
    "macOS"
)


def check_machine():
    """Exit with a message if the modules can't be built here; this must run on old Pythons."""
    if sys.version_info < OLDEST:
        raise SystemExit(
            f"jelly-rdflib needs Python {OLDEST[0]}.{OLDEST[1]} or later, but {sys.executable} is"
            f" {sys.version_info[0]}.{sys.version_info[1]}: choose another, for example with"
            " `make PYTHON=python3.12`"
        )
    command = os.environ.get("CC", sysconfig.get_config_var("CC"))
    # Setuptools itself looks for Microsoft's compiler, and prints where to get it.
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if command and (shutil.which(command.split()[0]) is None or not headers.exists()):
        raise SystemExit(NO_COMPILER)


# The Makefile calls this before it downloads anything.
if sys.argv[1:] == ["check_machine"]:
    check_machine()
    raise SystemExit

from Cython.Build import cythonize  # noqa: E402
from setuptools import Extension, setup  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402
from setuptools.modified import newer_group  # noqa: E402

# Flags for compilers that accept them. The limit lets gcc inline the decoder's hot path in several
# callers. Python's own flags include -g, but debug information would be six sevenths of a module.
FLAGS = ["-O3", "-g0", "-fno-plt", "-finline-limit=2000"]
# Without these flags gcc does not inline all hot paths: it limits the growth of small modules.
INLINING_FLAGS = ["--param=inline-unit-growth=200"]
INLINED = ("jelly_decoder", "text")

MODULES = [
    Extension(".".join(path.with_suffix("").parts), [str(path)])
    for path in sorted(Path("jelly_rdflib").rglob("*.pyx"))
]
# The Makefile sets this to install packages when the modules are already built.
if "JELLY_RDFLIB_MODULES_ARE_BUILT" in os.environ:
    MODULES = []

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    # A None raises an AttributeError and does not crash. Hot modules turn the check off, and say
    # why they can.
    "nonecheck": True,
    # Pickles must not set the attributes of objects.
    "auto_pickle": False,
    # Two threads may use one object without the GIL: see docs/reliability.md, "Threads".
    "freethreading_compatible": True,
}


class BuildModules(build_ext):
    """Builds the modules with the flags that the compiler accepts."""

    def run(self):
        """Translate the modules to C and build them; an sdist needs neither, nor a compiler."""
        check_machine()
        jobs = os.cpu_count() if self.parallel is True else self.parallel
        translated = cythonize(
            self.extensions,
            compiler_directives=DIRECTIVES,
            build_dir="build/cython",
            # Child processes that are not forked would run this file again.
            nthreads=(jobs or 0) if multiprocessing.get_start_method() == "fork" else 0,
        )
        for module, found in zip(self.extensions, translated, strict=True):
            module.sources, module.depends = found.sources, found.depends
        super().run()

    def build_extensions(self):
        """Choose the flags and build all modules."""
        if "JELLY_RDFLIB_CFLAGS" in os.environ:
            # Builds for sanitizers, fuzzing and daily work have their own flags.
            flags, inlining = os.environ["JELLY_RDFLIB_CFLAGS"].split(), []
        elif self.compiler.compiler_type == "msvc":
            flags, inlining = ["/O2"], []
        else:
            flags, inlining = map(self.taken, (FLAGS, INLINING_FLAGS))
        for module in self.extensions:
            is_inlined = module.name.rpartition(".")[2] in INLINED
            module.extra_compile_args = flags + (inlining if is_inlined else [])
        # File times do not show which flags a module was compiled with.
        stamp = Path(self.build_temp, "flags")
        wanted = " ".join(flags + inlining)
        if not stamp.exists() or stamp.read_text() != wanted:
            stamp.unlink(missing_ok=True)
            self.force = True
        self.stale = [module for module in self.extensions if self.is_stale(module)]
        self.built = itertools.count(1)
        super().build_extensions()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)

    def is_stale(self, module):
        """Return whether a module must be compiled."""
        inputs = module.sources + module.depends
        return self.force or newer_group(inputs, self.get_ext_fullpath(module.name), "newer")

    def taken(self, flags):
        """Return the flags that the compiler accepts without a warning."""
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
        """Build a module, and print its name to show progress."""
        super().build_extension(ext)
        if ext in self.stale:
            print(f"{next(self.built)} of {len(self.stale)} modules: {ext.name}", flush=True)


def describe():
    """Return the README; its links are absolute if pyproject.toml has the repository's address."""
    text = Path("README.md").read_text("utf-8")
    settings = Path("pyproject.toml").read_text("utf-8")
    source = re.search(r'^Source = "(.*)"$', settings, re.MULTILINE)[1]
    if ".invalid/" in source:
        return text
    version = runpy.run_path("jelly_rdflib/version.py")["__version__"]

    def complete(link):
        folder = "raw" if link[1].startswith("!") else "blob"
        return f"{link[1]}({source}/{folder}/v{version}/{link[2]})"

    return re.sub(r"(!?\[[^\]]*\])\((?!https?:|#)(.*?)\)", complete, text)


# rdflib's plugins are also registered by media type; setuptools warns about the slash in the names.
logging.getLogger("setuptools.config._validate_pyproject.formats").setLevel(logging.ERROR)

setup(
    long_description=describe(),
    long_description_content_type="text/markdown",
    cmdclass={"build_ext": BuildModules},
    ext_modules=MODULES,
    # Run one compiler on each core.
    options={"build_ext": {"parallel": True}},
)
