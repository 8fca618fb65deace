"""Streams as users read and write them: any source, any format, whole or frame by frame.

Only `open_input` opens sources and detects their formats.
"""
