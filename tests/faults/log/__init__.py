"""A patch log: processes that are stopped or killed, full disks, failures of power."""
