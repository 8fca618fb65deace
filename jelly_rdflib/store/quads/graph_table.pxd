# The graphs of a store: how many quads each has, and which are listed.

ctypedef struct GraphEntry:
    uint32_t name  # number of the term
    uint32_t count  # the number of quads
    bint is_listed


ctypedef struct GraphTable:
    GraphEntry* entries
    uint32_t count, capacity
    uint32_t filled  # how many graphs have quads
    SlotTable slots  # of entries, each with its number + 1
    uint32_t last  # the entry that was found last


cdef GraphEntry* find_graph(GraphTable* table, uint32_t name) noexcept
cdef GraphEntry* need_graph(GraphTable* table, uint32_t name) except NULL
cdef bint cut_graphs(GraphTable* table, uint32_t count) noexcept


cdef inline void count_quad(GraphTable* table, GraphEntry* graph, int change) noexcept:
    table.filled -= graph.count > 0
    graph.count += change
    table.filled += graph.count > 0
