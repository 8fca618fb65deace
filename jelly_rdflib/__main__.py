"""``python -m jelly_rdflib`` is the command ``jellyp``."""

from jelly_rdflib.cli.main import main

main()
