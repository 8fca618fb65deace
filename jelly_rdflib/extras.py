"""Errors that name the extra to install for an optional part of this package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def missing(what: str, install: str, module: object) -> ModuleNotFoundError:
    """Return the error for a missing module, with advice on what to install.

    Args:
        what: The feature that needs the module.
        install: The argument for ``pip install``, such as ``jelly-rdflib[grpc]``.
        module: The module's name.
    """
    return ModuleNotFoundError(f"{what} needs {module}: pip install '{install}'", name=str(module))


@contextmanager
def advice(what: str, install: str) -> Iterator[None]:
    """Add advice if an import in the block fails; the arguments are as for `missing`.

    Only the error for a missing module of another package is replaced. Other errors are not
    changed.

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
        # No package is called google: the module google.protobuf is in protobuf.
        package = "protobuf" if error.name.partition(".")[0] == "google" else error.name
        raise missing(what, install, package) from error


def check_version(what: str, install: str, module: ModuleType, least: tuple[int, ...]) -> None:
    """Raise an ImportError if a module is older than a version."""
    version = module.__version__
    if tuple(map(int, re.findall(r"\d+", version)[: len(least)])) < least:
        wanted = f"{module.__name__} {'.'.join(map(str, least))} or later"
        raise ImportError(f"{what} needs {wanted}, not {version}: pip install '{install}'")
