"""Patch logs over HTTP: a server for folders, and the client that `PatchLog` uses."""
