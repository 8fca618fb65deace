"""Runners for the Jelly-Patch conformance suite in `conformance`, and tests of the suite.

- `package`, `java`: runners for this package, and for the Java code in ``tests/interop/jvm``.
- `pages`: runs both, and writes the reports and the pages in ``docs/conformance``.
"""
