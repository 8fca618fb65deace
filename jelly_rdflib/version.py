"""The version of the package, for `jelly_rdflib.__version__` and for pip."""

__version__ = "0.1.0"
