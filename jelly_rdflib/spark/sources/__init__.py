"""The data sources, their readers and writers."""
