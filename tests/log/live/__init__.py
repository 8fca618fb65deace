"""Two live processes and one log: one is stopped at a system call, and the other works."""
