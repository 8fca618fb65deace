"""Other projects' own tests, run on this package: ``make test-peers``.

A suite is a module or package with a name of its own in `SUITES` of `tests.peers.__main__`. It has

- ``run(checkout)``: yields an `Outcome` for each test of a checkout of that project;
- ``KNOWN``: why tests differ that are known to; see `Known`.

Nothing of the other projects is kept here.
"""
