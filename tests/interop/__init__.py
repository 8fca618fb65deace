"""Tests with other implementations: each side reads the output of the other side."""
