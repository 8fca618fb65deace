"""Time and memory over the size of hostile and of ordinary input, and over long streams."""
