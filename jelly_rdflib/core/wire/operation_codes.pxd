cdef enum:
    # The numbers of `jelly_rdflib.Op`.
    H = 1
    TX = 2
    TC = 3
    TA = 4
    PA = 5
    PD = 6
    A = 7
    D = 8
    END = 9
    CODES = 10  # one more than the last code
