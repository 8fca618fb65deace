"""The version of the package: from here it goes to `jelly_rdflib.__version__` and to pip."""

__version__ = "0.1.0"
