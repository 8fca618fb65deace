"""Runs the tests on modules built with AddressSanitizer and UndefinedBehaviorSanitizer."""
