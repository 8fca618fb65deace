"""A conformance suite for Jelly-Patch: cases, and a runner of them.

``python -m conformance RUNNER`` gives every case of the folder ``patch`` to a command, and says
what came of it. The README says what the command has to do.

- `rules`: what the specification demands, each rule with its name.
- `cases`, `generate`: the cases, and what writes them to the folder ``patch``.
- `schema`, `wire`, `rows`, `spelling`: protobuf's classes, and streams made of them.
- `reader`: bytes to the canonical form; it refuses what breaks a rule, and names the rule.
- `document`: the canonical form, its JSON, its text, and when two are the same.
- `manifest`, `runner`, `check`, `report`: the cases as files, the command, the verdict, and EARL.

Nothing here knows jelly-rdflib.
"""

VERSION = "1.1.0"
"""The version of the cases; the README says what changes it."""
