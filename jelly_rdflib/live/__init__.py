"""Changes on the wire: patch logs that a server has."""
