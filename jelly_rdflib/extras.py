"""What to install for a part of this package that needs other packages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def missing(what: str, install: str, module: object) -> ModuleNotFoundError:
    """Return the error that says what to install for a module that is not there.

    Args:
        what: What needs it.
        install: What pip is to install, such as ``jelly-rdflib[grpc]``.
        module: The module's name.
    """
    return ModuleNotFoundError(f"{what} needs {module}: pip install '{install}'", name=str(module))


@contextmanager
def advice(what: str, install: str) -> Iterator[None]:
    """Import in the block what an extra brings; the arguments are those of `missing`.

    Only a module that is not there is meant: each other error of a package stays as it is.

    Examples:
        >>> with advice("a picture", "jelly-rdflib[plot]"):
        ...     module = __import__("module_that_is_not_there")
        Traceback (most recent call last):
        ModuleNotFoundError: a picture needs module_that_is_not_there: pip install '...'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "jelly_rdflib":
            raise
        raise missing(what, install, error.name) from error


def check_version(what: str, install: str, module: ModuleType, least: tuple[int, int]) -> None:
    """Raise an ImportError if a module is older than a version."""
    version = module.__version__
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < least:
        wanted = f"{module.__name__} {least[0]}.{least[1]} or later"
        raise ImportError(f"{what} needs {wanted}, not {version}: pip install '{install}'")
