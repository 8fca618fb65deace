"""The contents of a store, how changes get into it, and how they are undone."""

include "native/undoing.pxd"
include "native/spelling.pxd"
include "native/view.pxd"
