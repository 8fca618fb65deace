"""Tests of inspecting and validating files."""
