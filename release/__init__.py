"""Build and try the parts of a release."""
