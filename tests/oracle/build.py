"""Makes rows, frames and streams of Jelly-Patch in short calls: those of the conformance suite."""

from conformance.rows import *  # noqa: F403
from conformance.rows import __all__  # noqa: F401
