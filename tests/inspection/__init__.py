"""Tests inspecting and validating files."""
