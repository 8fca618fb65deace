"""Tests attacks other than bytes that break rules: see docs/threat-model.md."""
