"""Fuzz one target: ``python -m fuzz.worker TARGET [ARGUMENTS OF LIBFUZZER]``."""

from __future__ import annotations

import gc
import logging
import os
import sys

import atheris

# Only modules whose first import is here are instrumented.
with atheris.instrument_imports(include=["jelly_rdflib"], enable_loader_override=False):
    import jelly_rdflib.inspection.validation  # noqa: F401

from .targets import TARGETS


def mutate_bytes(data: bytes, max_size: int, seed: int = 0) -> bytes:
    """Mutate an input as libFuzzer does."""
    # Mutate is looked up at each call, since atheris replaces it when fuzzing begins.
    mutated: bytes = atheris.Mutate(data, max_size)
    return mutated


def main() -> None:
    """Fuzz until the time is up or an input fails."""
    name = sys.argv.pop(1)
    target = TARGETS[name]
    # The program that adds source lines to stack traces must not load the sanitizer's runtime.
    os.environ.pop("LD_PRELOAD", None)
    # Otherwise rdflib would log each invalid IRI and literal.
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    mutator = target.make_mutator(mutate_bytes) if target.make_mutator else mutate_bytes
    # Imported objects stay alive, and small inputs leave few cycles, so collections may be rare.
    gc.freeze()
    gc.set_threshold(20_000)
    atheris.Setup(sys.argv, target.check, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
