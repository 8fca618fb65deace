"""Shows results to people, as tables on the command line and in notebooks."""
