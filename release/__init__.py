"""Build and test the files of a release."""
