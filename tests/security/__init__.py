"""What strangers may try besides bytes that break rules: see docs/threat-model.md."""
