"""What a store holds, how changes get into it, and how they are undone."""



include "native/names.pxd"
include "native/undoing.pxd"
include "native/spelling.pxd"
include "native/view.pxd"
