"""Inspect files: report their frames, options, counts and faults."""
