"""Rows, frames and streams of protobuf's classes, in few words: those of the conformance suite."""

from conformance.rows import *  # noqa: F403
from conformance.rows import __all__  # noqa: F401
