/* Faults that the sanitizers must find; otherwise their run proves nothing. */

#include <limits.h>
#include <stdlib.h>

/* Volatile, so that the compiler can't optimize the faults away. */
static volatile int one = 1;
static char *volatile kept;

int none(void) { return 0; }

int read_behind(void)
{
    kept = calloc(16, 1);
    int value = kept[15 + one];
    free(kept);
    return value;
}

int read_freed(void)
{
    kept = calloc(16, 1);
    free(kept);
    return kept[15];
}

int overflow(void) { return INT_MAX + one; }

int shift(void) { return one << (32 * one); }

int leak(void)
{
    kept = malloc(1234);
    kept = NULL;
    return 0;
}
