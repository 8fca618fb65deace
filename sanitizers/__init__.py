"""Runs the tests on modules with AddressSanitizer and UndefinedBehaviorSanitizer."""
