"""Jelly; `test_patch_*` and `test_statement_*` have the rules of one of its two formats alone."""
