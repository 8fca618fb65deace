"""Jelly-Patch and Jelly-RDF for rdflib: record, move and apply changes to RDF data.

``__init__.pyi`` lists the public names. Each name is imported when it is first used.
"""

import sys
from importlib.machinery import PathFinder

if hasattr(__spec__.loader, "archive"):
    raise ImportError(
        f"jelly_rdflib can't be imported from {__spec__.loader.archive}: Python loads no compiled"
        " modules from a zip file; install the package where this Python finds it, and leave the"
        " zip out of PYTHONPATH, and of Spark's --py-files and addPyFile"
    )

_core = PathFinder.find_spec("batch", [f"{path}/core" for path in __path__])
if _core is None or _core.origin is None:
    raise ImportError(
        f"jelly_rdflib can't be imported from {__path__[0]}: nothing there is compiled for Python"
        f" {sys.version_info[0]}.{sys.version_info[1]}. If this is a clone, install it, and run"
        " Python in another folder"
    )

import lazy_loader  # noqa: E402

from jelly_rdflib.plugins import register  # noqa: E402

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register()
