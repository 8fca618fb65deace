"""A patch as an object, and the functions that return one."""
