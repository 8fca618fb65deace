"""Find the compiler for fuzzing."""

from __future__ import annotations

import os
import shutil

__all__ = ["find_clang"]


def find_clang() -> str:
    """Return the name of the clang command."""
    versions = (f"clang-{version}" for version in range(14, 22))
    for name in (os.environ.get("CLANG"), "clang", *versions):
        if name and shutil.which(name):
            return name
    raise SystemExit(
        "fuzzing needs clang and its runtime, which are missing: on Debian,"
        " apt-get install clang libclang-rt-14-dev; or say where it is by CLANG=…"
    )


if __name__ == "__main__":
    print(find_clang())
