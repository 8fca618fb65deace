"""The Jelly-Patch conformance suite in `conformance`: its runners, and its own tests.

- `package`, `java`: runners of this package, and of the Java in ``tests/interop/jvm``.
- `pages`: runs both, and writes the reports and the pages in ``docs/conformance``.
"""
