"""Compare jelly_rdflib with its peers in one run; see README.md.

- `data`: the inputs, all made from the same quads.
- `works`: the timed tasks, ours and the peers'.
- `compare`: two tasks timed in turn, and the ratios.
- `memory`: the peak memory of a process that reads a large stream.
- `report`: the table and the JSON.

``python -m benchmarks`` runs all of these. The ``test_*`` modules time each task alone, with
pytest-benchmark.
"""
