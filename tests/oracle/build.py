"""Builds Jelly-Patch rows, frames and streams with the conformance suite's short functions."""

from conformance.rows import *  # noqa: F403
from conformance.rows import __all__  # noqa: F401
