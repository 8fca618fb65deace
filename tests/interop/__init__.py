"""Tests with other implementations, both ways: each side reads what the other side writes."""
