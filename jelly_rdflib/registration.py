"""Makes rdflib know the plugins of this package, without importing rdflib for it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from jelly_rdflib.plugins import register

__all__ = ["register_with_rdflib"]

RDFLIB = "rdflib"


def register_with_rdflib() -> None:
    """Register the plugins: now if rdflib has been imported, else as soon as it is.

    So ``import jelly_rdflib`` is enough for rdflib to know what a ``.jellyp`` file is, but does not
    take the time to import rdflib where only the command line's help is wanted.
    """
    if RDFLIB in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _WatchForRdflib())


class _WatchForRdflib(MetaPathFinder):
    """Finds rdflib, once, as it would be found without this, and registers when it is there."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != RDFLIB:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            loader = spec.loader
            execute = loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                register()

            # The loader stays of its class: rdflib's own files are found by it.
            loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
