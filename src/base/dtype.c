/* dtype.c -- names and sizes of the element types. */
#include "base.h"

static const struct {
    const char *name;
    size_t size; /* in bytes; 0: reserved, no values of it exist yet */
} dtypes[WF_DTYPE_COUNT] = {
    [WF_INVALID] = {"invalid", 0}, [WF_BOOL] = {"bool", 1},
    [WF_I8] = {"i8", 1},           [WF_I16] = {"i16", 2},
    [WF_I32] = {"i32", 4},         [WF_I64] = {"i64", 8},
    [WF_U8] = {"u8", 1},           [WF_U16] = {"u16", 2},
    [WF_U32] = {"u32", 4},         [WF_U64] = {"u64", 8},
    [WF_F16] = {"f16", 2},         [WF_BF16] = {"bf16", 2},
    [WF_F32] = {"f32", 4},         [WF_F64] = {"f64", 8},
    [WF_C64] = {"c64", 0},         [WF_C128] = {"c128", 0},
    [WF_F8E4M3] = {"f8e4m3", 0},   [WF_F8E5M2] = {"f8e5m2", 0},
    [WF_I4] = {"i4", 0},           [WF_U4] = {"u4", 0},
};

static bool in_table(wf_dtype dtype)
{
    return (unsigned)dtype < WF_DTYPE_COUNT;
}

const char *wf_dtype_name(wf_dtype dtype)
{
    return in_table(dtype) ? dtypes[dtype].name : "invalid";
}

size_t wf_dtype_size(wf_dtype dtype)
{
    return in_table(dtype) ? dtypes[dtype].size : 0;
}
