"""Input that means harm: refused, or read in bounded time and memory.

`attacks` makes it, piece by piece; `child` reads it in a process of its own and tells what came of
it, and what that took. ``benchmarks/reliability`` draws the curves of the same attacks.
"""
