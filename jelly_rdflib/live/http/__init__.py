"""Patch logs by HTTP: a server for a folder, and what `PatchLog` needs for its address."""
