"""Other projects' own tests, run on this package: ``make test-peers``.

A suite is a module or package that is named in `SUITES` of `tests.peers.__main__`. It defines

- ``run(checkout)``, which yields an `Outcome` for each test in a checkout of that project;
- ``KNOWN``, the reasons for known differences; see `Known`.

The other projects' files are not stored here.
"""
