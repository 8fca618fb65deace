"""Jelly-Patch and Jelly-RDF for rdflib: record, move and apply changes to RDF data.

``__init__.pyi`` lists the public names. Each name is imported when it is first used.
"""

if hasattr(__spec__.loader, "archive"):
    raise ImportError(
        f"jelly_rdflib can't be imported from {__spec__.loader.archive}: Python loads no compiled"
        " modules from a zip file; install the package where this Python finds it, and leave the"
        " zip out of PYTHONPATH, and of Spark's --py-files and addPyFile"
    )

from importlib.util import find_spec

import lazy_loader

_core = find_spec(f"{__name__}.core.batch")
if _core is None or _core.origin is None:
    raise ImportError(
        f"jelly_rdflib can't be imported from {__path__[0]}: this is its source code, without the"
        " compiled modules. If the package is installed, run Python in another folder"
    )

from jelly_rdflib.plugins import register

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register()
