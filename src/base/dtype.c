/* dtype.c -- the table of element types: one row each, one column a question. */
#include "base.h"

#include <math.h>

#define BITS  (DT_USED | DT_ORDERED)
#define UINT  (BITS | DT_INTEGER | DT_ARITHMETIC)
#define SINT  (UINT | DT_SIGNED)
#define REAL  (DT_ORDERED | DT_ARITHMETIC | DT_SIGNED | DT_INEXACT | DT_DIFFERENTIABLE)
#define FLOAT (DT_USED | REAL)
#define PAIR  ((FLOAT & ~DT_ORDERED) | DT_COMPLEX)
#define EIGHT (DT_USED | DT_STORAGE | DT_SIGNED | DT_DIFFERENTIABLE)

const DtypeRow dtype_table[WF_DTYPE_COUNT] = {
    /*               name       bits  significand  what may be asked, what it is computed in */
    [WF_INVALID] = {"invalid",  0,    0,           0, WF_INVALID},
    [WF_BOOL] =    {"bool",     8,    1,           BITS, WF_INVALID},
    [WF_I8] =      {"i8",       8,    7,           SINT, WF_INVALID},
    [WF_I16] =     {"i16",      16,   15,          SINT, WF_INVALID},
    [WF_I32] =     {"i32",      32,   31,          SINT, WF_INVALID},
    [WF_I64] =     {"i64",      64,   63,          SINT, WF_INVALID},
    [WF_U8] =      {"u8",       8,    8,           UINT, WF_INVALID},
    [WF_U16] =     {"u16",      16,   16,          UINT, WF_INVALID},
    [WF_U32] =     {"u32",      32,   32,          UINT, WF_INVALID},
    [WF_U64] =     {"u64",      64,   64,          UINT, WF_INVALID},
    [WF_F16] =     {"f16",      16,   11,          FLOAT, WF_INVALID},
    [WF_BF16] =    {"bf16",     16,   8,           FLOAT, WF_INVALID},
    [WF_F32] =     {"f32",      32,   24,          FLOAT, WF_INVALID},
    [WF_F64] =     {"f64",      64,   53,          FLOAT, WF_INVALID},
    [WF_C64] =     {"c64",      64,   24,          PAIR, WF_INVALID},
    [WF_C128] =    {"c128",     128,  53,          PAIR, WF_INVALID},
    [WF_F8E4M3FN] = {"f8e4m3fn", 8,   4,           EIGHT, WF_F32},
    [WF_F8E5M2] =  {"f8e5m2",   8,    3,           EIGHT, WF_F32},
    [WF_F8E4M3FNUZ] = {"f8e4m3fnuz", 8, 4,         EIGHT, WF_F32},
    [WF_F8E5M2FNUZ] = {"f8e5m2fnuz", 8, 3,         EIGHT, WF_F32},
    [WF_F8E8M0FNU] = {"f8e8m0fnu", 8, 1,           EIGHT & ~DT_SIGNED, WF_F32},
    [WF_I4] =      {"i4",       4,    3,           DT_USED | DT_STORAGE | DT_SIGNED, WF_I8},
    [WF_U4] =      {"u4",       4,    4,           DT_USED | DT_STORAGE, WF_U8},
};

const char *wf_dtype_name(wf_dtype dtype) { return dtype_row(dtype)->name; }

bool wf_dtype_is_float(wf_dtype dtype) { return dtype_is_float(dtype); }
bool wf_dtype_is_complex(wf_dtype dtype) { return dtype_is_complex(dtype); }

size_t wf_dtype_size(wf_dtype dtype)
{
    return dtype_is(dtype, DT_USED) ? (dtype_row(dtype)->bits + 7u) / 8 : 0;
}

/* ---- one element ---- */

double element_as_f64(wf_dtype dtype, const void *p)
{
    switch (dtype) {
    case WF_BOOL: return *(const uint8_t *)p != 0;
    case WF_I8: return *(const int8_t *)p;
    case WF_I16: return *(const int16_t *)p;
    case WF_I32: return *(const int32_t *)p;
    case WF_I64: return (double)*(const int64_t *)p;
    case WF_U8: return *(const uint8_t *)p;
    case WF_U16: return *(const uint16_t *)p;
    case WF_U32: return *(const uint32_t *)p;
    case WF_U64: return (double)*(const uint64_t *)p;
    case WF_F16: return f16_to_f32(*(const uint16_t *)p);
    case WF_BF16: return bf16_to_f32(*(const uint16_t *)p);
    case WF_F32: return *(const float *)p;
    case WF_F64: return *(const double *)p;
    case WF_I4: return (int8_t)(*(const uint8_t *)p << 4) >> 4;
    case WF_U4: return *(const uint8_t *)p & 15;
    case WF_C64:
    case WF_C128: return NAN; /* no real number: equal to none that is asked for */
    default: return dtype_is_storage(dtype) ? (double)f8_to_f32(dtype, *(const uint8_t *)p) : 0;
    }
}

/* x without its fraction, at the ends of the range where it is beyond; NaN is 0. */
static int64_t whole(double x)
{
    return x != x ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x;
}

/* Integers are those modulo the size of the dtype: -1 is 255 in u8. */
void element_from_f64(wf_dtype dtype, double x, void *out)
{
    switch (dtype) {
    case WF_BOOL: *(uint8_t *)out = x != 0; break;
    case WF_I8: *(int8_t *)out = (int8_t)whole(x); break;
    case WF_I16: *(int16_t *)out = (int16_t)whole(x); break;
    case WF_I32: *(int32_t *)out = (int32_t)whole(x); break;
    case WF_I64: *(int64_t *)out = whole(x); break;
    case WF_U8: *(uint8_t *)out = (uint8_t)whole(x); break;
    case WF_U16: *(uint16_t *)out = (uint16_t)whole(x); break;
    case WF_U32: *(uint32_t *)out = (uint32_t)whole(x); break;
    case WF_U64:
        *(uint64_t *)out = x >= 0x1p64 ? UINT64_MAX : x >= 0x1p63 ? (uint64_t)x : (uint64_t)whole(x);
        break;
    case WF_F16: *(uint16_t *)out = f16_from_f64(x); break;
    case WF_BF16: *(uint16_t *)out = bf16_from_f64(x); break;
    case WF_F32: *(float *)out = (float)x; break;
    case WF_F64: *(double *)out = x; break;
    case WF_C64: memcpy(out, (const float[]){(float)x, 0}, 8); break;
    case WF_C128: memcpy(out, (const double[]){x, 0}, 16); break;
    case WF_I4:
    case WF_U4: *(uint8_t *)out = whole(x) & 15; break;
    default:
        if (dtype_is_storage(dtype))
            *(uint8_t *)out = f8_from_f32(dtype, (float)x);
        break;
    }
}
