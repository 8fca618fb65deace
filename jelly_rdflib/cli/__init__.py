"""The command line, ``jellyp``: a thin layer on top of the library.

Each command is a module with the name of the command. The top of a module imports only what the
help needs, so that ``jellyp --help`` is quick; the rest is imported when the command runs.
"""
