"""Other implementations, both ways: what they write we read, what we write they read."""
