"""Patch logs by HTTP: a server for a folder, and a `PatchLog` for its address.

`wire` has what both sides say: media types, ETags, and a patch of a log as JSON.
"""
