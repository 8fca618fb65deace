"""The command line, ``jellyp``: thin over the library.

Each command is a module with the name of the command, which imports at its top only what its help
needs: what does the work is imported when there is work to do, so that ``jellyp --help`` is quick.
"""
