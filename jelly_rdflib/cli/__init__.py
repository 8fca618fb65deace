"""The command line, ``jellyp``: a thin layer on top of the library.

Each command is a module with the name of the command. At its top it imports only what its help
needs, so that ``jellyp --help`` is quick; the rest is imported when the command runs.
"""
