"""Tests Jelly; `test_patch_*` and `test_statement_*` test only one of its two formats."""
