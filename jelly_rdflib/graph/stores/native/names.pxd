# What a store calls its graphs.

cdef object get_name(object graph)
