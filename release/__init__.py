"""Builds and tries what a release consists of."""
