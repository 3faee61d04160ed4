/* lib_kernels.h -- what tests of products and convolutions share: arrays and workspaces that notice who writes beside them,
 * several threads, and an epilogue that says where it was. */
#ifndef LIB_KERNELS_H
#define LIB_KERNELS_H

#include "base/base.h"
#include "kernels/kernels.h"

#include <stdatomic.h>

#define GUARD      64
#define GUARD_BYTE 0xA5

int64_t rand_below(int64_t n);
int64_t rand_between(int64_t lo, int64_t hi);
int rand_chance(int64_t n); /* one in n */

int64_t ktype_size(KType t);
double ktype_get(KType t, const void *p, int64_t i); /* element i of an array */
void ktype_put(KType t, void *p, int64_t i, double x);
double unit_of(KType t); /* half of the distance from 1 to the next number */

/* An array with room before and after the elements, at any alignment of the element. */
typedef struct Buf {
    KType type;
    char *mem;
    size_t size;
    int64_t n;
    char *p; /* element 0 */
} Buf;

Buf buf_new(KType type, int64_t n);
/* An input: nothing after the last element, so that a sanitizer sees reads beyond it. */
Buf buf_random(KType type, int64_t n);
Buf buf_random_guarded(KType type, int64_t n);
void room_free(Buf *b);

KPar par_of(int threads); /* on a pool of four */

typedef struct Workspace {
    size_t size;
    char *p;
} Workspace;

Workspace workspace_new(size_t size);
void workspace_check(Workspace *w, const char *what); /* nothing was written behind it; frees it */

/* An epilogue, and what it makes of an element. */
double twice_plus_place(double x, int64_t batch, int64_t i, int64_t j);
typedef struct Seen {
    int64_t m, n;
    bool f64;
    atomic_int *count; /* for each element */
} Seen;

void on_tile(void *user, const KTile *t);

#endif
