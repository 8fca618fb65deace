"""Tests of the core as its users see it: frames, batches, lookups."""
