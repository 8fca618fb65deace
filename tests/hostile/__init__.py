"""Tests hostile input, which is refused, or read in bounded time and memory.

`attacks` generates the input piece by piece. `child` reads it in a separate process, and reports
the outcome, the time and the memory. ``benchmarks/reliability`` plots curves of the same attacks.
"""
