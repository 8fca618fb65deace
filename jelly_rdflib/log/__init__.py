"""Patch logs: folders with a chain of patches, to replay, check out and verify."""

from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.replica import Replica
from jelly_rdflib.log.verify import LogProblem

__all__ = ["LogEntry", "LogProblem", "PatchLog", "Replica"]
