"""Inspects files: reports their frames, options, counts and faults."""
