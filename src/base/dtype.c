/* dtype.c -- the table of element types: one row each, one column a question. */
#include "base.h"

#define BITS  (DT_USED | DT_ORDERED)
#define UINT  (BITS | DT_INTEGER | DT_ARITHMETIC)
#define SINT  (UINT | DT_SIGNED)
#define REAL  (DT_ORDERED | DT_ARITHMETIC | DT_SIGNED | DT_INEXACT | DT_DIFFERENTIABLE)
#define FLOAT (DT_USED | REAL)
#define PAIR  ((FLOAT & ~DT_ORDERED) | DT_COMPLEX)

/* Rows without DT_USED are reserved: no values of them exist yet. */
const DtypeRow dtype_table[WF_DTYPE_COUNT] = {
    /*               name       bits  significand  what may be asked */
    [WF_INVALID] = {"invalid",  0,    0,           0},
    [WF_BOOL] =    {"bool",     8,    1,           BITS},
    [WF_I8] =      {"i8",       8,    7,           SINT},
    [WF_I16] =     {"i16",      16,   15,          SINT},
    [WF_I32] =     {"i32",      32,   31,          SINT},
    [WF_I64] =     {"i64",      64,   63,          SINT},
    [WF_U8] =      {"u8",       8,    8,           UINT},
    [WF_U16] =     {"u16",      16,   16,          UINT},
    [WF_U32] =     {"u32",      32,   32,          UINT},
    [WF_U64] =     {"u64",      64,   64,          UINT},
    [WF_F16] =     {"f16",      16,   11,          FLOAT},
    [WF_BF16] =    {"bf16",     16,   8,           FLOAT},
    [WF_F32] =     {"f32",      32,   24,          FLOAT},
    [WF_F64] =     {"f64",      64,   53,          FLOAT},
    [WF_C64] =     {"c64",      64,   24,          PAIR},
    [WF_C128] =    {"c128",     128,  53,          PAIR},
    [WF_F8E4M3] =  {"f8e4m3",   8,    4,           REAL},
    [WF_F8E5M2] =  {"f8e5m2",   8,    3,           REAL},
    [WF_I4] =      {"i4",       4,    3,           SINT & ~DT_USED},
    [WF_U4] =      {"u4",       4,    4,           UINT & ~DT_USED},
};

const char *wf_dtype_name(wf_dtype dtype) { return dtype_row(dtype)->name; }

bool wf_dtype_is_float(wf_dtype dtype) { return dtype_is_float(dtype); }
bool wf_dtype_is_complex(wf_dtype dtype) { return dtype_is_complex(dtype); }

size_t wf_dtype_size(wf_dtype dtype)
{
    return dtype_is(dtype, DT_USED) ? dtype_row(dtype)->bits / 8 : 0;
}
