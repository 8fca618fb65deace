"""Tests a patch log with stopped or killed processes, full disks, and power failures."""
