"""Tests the core through its public interface: frames, batches and lookups."""
