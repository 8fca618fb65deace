"""Run the command ``jellyp`` as ``python -m jelly_rdflib``."""

from jelly_rdflib.cli.main import main

main()
