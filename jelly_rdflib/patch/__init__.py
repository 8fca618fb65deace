"""A patch as an object, and the functions that return one."""

from jelly_rdflib.patch.patch import Patch

__all__ = ["Patch"]
