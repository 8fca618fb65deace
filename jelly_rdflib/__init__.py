"""Jelly-Patch and Jelly-RDF for rdflib: record, move and apply changes to RDF data.

``__init__.pyi`` lists the public names. Each name is imported when it is first used.
"""

import lazy_loader

from jelly_rdflib.plugins import register

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register()
