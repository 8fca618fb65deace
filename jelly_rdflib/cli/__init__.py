"""The command line, ``jellyp``: thin over the library.

Each command is a module with the name of the command. At its top it imports only what its help
needs, so that ``jellyp --help`` is quick; the rest is imported when the command runs.
"""
