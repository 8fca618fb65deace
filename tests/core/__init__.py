"""Tests the core as its users see it: frames, batches and lookups."""
