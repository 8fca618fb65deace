"""Jelly-Patch and Jelly-RDF for rdflib: record, move and apply changes to RDF data.

The public names are in ``__init__.pyi``. Each is imported when it is first asked for.
"""

import lazy_loader

from jelly_rdflib.plugins import register

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register()
