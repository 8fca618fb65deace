"""Builds the Cython modules; everything else is in pyproject.toml."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [str(path)],
        # The limit lets gcc inline the hot path of the decoder where it is called more than once.
        extra_compile_args=["-O3", "-fno-plt", "-finline-limit=2000"],
    )
    for path in sorted(Path("jelly_rdflib").rglob("*.pyx"))
]

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}

setup(
    ext_modules=cythonize(MODULES, compiler_directives=DIRECTIVES, build_dir="build/cython"),
    # One compiler for each core.
    options={"build_ext": {"parallel": True}},
)
