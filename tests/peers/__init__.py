"""Other projects' own tests, run on this package: ``make test-peers``.

A suite is a module or package that is named in `SUITES` of `tests.peers.__main__`. It has

- ``run(checkout)``: yields an `Outcome` for each test of a checkout of that project;
- ``KNOWN``: the reasons of known differences; see `Known`.

The files of the other projects are not kept here.
"""
