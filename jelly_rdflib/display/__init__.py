"""Results as people look at them: the tables of the command line and of notebooks."""
