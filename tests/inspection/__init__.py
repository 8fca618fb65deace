"""Tests of looking into files and of validating them."""
