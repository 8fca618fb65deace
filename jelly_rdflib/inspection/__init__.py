"""Inspection of files: their frames, options and faults."""
