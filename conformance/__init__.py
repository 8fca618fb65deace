"""A conformance suite for Jelly-Patch: cases, and a program that runs them.

``python -m conformance RUNNER`` runs a command on every case in the folder ``patch``, and reports
the outcomes. The README says what the command has to do.

- `rules`: the demands of the specification, each rule with its name.
- `cases`, `generate`: the cases, and the program that writes them to the folder ``patch``.
- `schema`, `wire`, `rows`, `spelling`: protobuf's classes, and streams made of them.
- `reader`: converts bytes to the canonical form; it refuses a stream that breaks a rule, and names
  the rule.
- `document`: the canonical form, its JSON, its text, and how documents are compared.
- `manifest`, `runner`, `check`, `report`: the cases as files, the command, the verdict, and EARL.

Nothing here imports jelly-rdflib.
"""

VERSION = "1.1.0"
"""The version of the cases; the README says when this number changes."""
