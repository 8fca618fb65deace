"""Compare jelly_rdflib with its peers in one run; see README.md.

- `data`: the inputs, all made of the same quads.
- `works`: the timed work, ours and the peers'.
- `compare`: two works timed in turn, and the ratios.
- `memory`: the peak memory of a process that reads a large stream.
- `report`: the table and the JSON.

``python -m benchmarks`` runs it all. The ``test_*`` modules time each work alone, by
pytest-benchmark.
"""
