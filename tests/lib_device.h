/* lib_device.h -- a second device for tests: the host cannot read its addresses (to do so
 * is a fault), every queue is a thread that does its work late, and it can fail. */
#ifndef WEFT_LIB_DEVICE_H
#define WEFT_LIB_DEVICE_H

#include "runtime/runtime.h"

typedef enum FakeNative { /* which equations it has kernels for, of those it can */
                          NATIVE_NONE,
                          NATIVE_ALL,
                          NATIVE_SOME /* by number of the op, so that steps alternate */
} FakeNative;

typedef struct FakeStats {
    atomic_long blocks; /* allocated now */
    atomic_long copies_in, copies_out, copies_inside, copies_across, steps, joins;
} FakeStats;

typedef struct Fake {
    Device device; /* first */
    FakeNative native;
    atomic_uint delay;     /* of each piece of work, in microseconds */
    atomic_long fail_put;  /* the n-th put from now fails, and all after it; 0: none */
    atomic_long fail_work; /* the same for work, when it is done */
    atomic_bool lost;
    size_t room; /* bytes it has; 0: no limit */
    FakeStats stats;
} Fake;

/* A runtime with n fake devices, numbers 1 to n, "fake:0" and so on. */
wf_runtime *fake_runtime(int n, FakeNative native);
Fake *fake_of(wf_ctx *cx, int ordinal);
wf_ctx *fake_context(wf_runtime *r);

#endif
