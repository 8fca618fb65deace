"""What is in a file: its frames, its options, its faults."""
