"""Rules that hold for both formats, each tested once for Jelly-Patch and for Jelly-RDF."""
