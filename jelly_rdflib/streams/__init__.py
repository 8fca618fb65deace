"""Streams as people read and write them: any source, any format, whole or frame by frame.

`open_input` is the one place that opens sources and finds their formats.
"""
