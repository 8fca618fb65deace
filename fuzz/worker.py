"""Fuzzes one target: ``python -m fuzz.worker TARGET [ARGUMENTS OF LIBFUZZER]``."""

from __future__ import annotations

import gc
import logging
import os
import sys

import atheris

# What is instrumented is what comes to be imported here first.
with atheris.instrument_imports(include=["jelly_rdflib"], enable_loader_override=False):
    import jelly_rdflib.inspection.validation  # noqa: F401

from .targets import TARGETS


def mutate_bytes(data: bytes, max_size: int, seed: int = 0) -> bytes:
    """Mutate an input as libFuzzer does."""
    # Looked up late: it is another one once fuzzing has begun.
    mutated: bytes = atheris.Mutate(data, max_size)
    return mutated


def main() -> None:
    """Fuzz until the time is over, or something is found."""
    name = sys.argv.pop(1)
    target = TARGETS[name]
    # Not for the program that finds the lines of a stack.
    os.environ.pop("LD_PRELOAD", None)
    # rdflib logs each odd IRI and ill-typed literal.
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    mutator = target.make_mutator(mutate_bytes) if target.make_mutator else mutate_bytes
    # What is imported stays, and inputs are small: few cycles are left between two collections.
    gc.freeze()
    gc.set_threshold(20_000)
    atheris.Setup(sys.argv, target.check, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
