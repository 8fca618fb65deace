"""Tests hostile input, which is refused, or read in bounded time and memory.

`attacks` makes the input piece by piece. `child` reads it in its own process, and reports the
outcome, the time and the memory. ``benchmarks/reliability`` draws curves of the same attacks.
"""
