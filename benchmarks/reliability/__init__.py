"""Measure time and memory over the size of hostile and ordinary input, and of long streams."""
