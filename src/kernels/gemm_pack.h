/* gemm_pack.h -- copying operands into panels: dst[kk*ld + ii], ii along C, ld a
 * multiple of VL.
 *
 * Three cases: ii contiguous (copy vectors), kk contiguous (transpose VL x VL blocks in
 * registers), neither (element by element). Half floats are widened on the way.
 */
#ifndef WEFT_KERNEL_GEMM_PACK_H
#define WEFT_KERNEL_GEMM_PACK_H

#include "gemm.h"

INLINE void pack_contiguous(KType type, const void *p, int64_t sk, int w, int64_t kc,
                            REAL *dst, int ld)
{
    for (int64_t kk = 0; kk < kc; kk++, dst += ld) {
        for (int v = 0; v < ld; v += VL) {
            int n = w - v < 0 ? 0 : w - v < VL ? w - v : VL;

            real_store(dst + v, real_load_as(type, p, kk * sk + v, n));
        }
    }
}

/* The full-width copy of plain REAL, the common case of B. */
INLINE void pack_copy(const REAL *p, int64_t sk, int64_t kc, REAL *dst, int ld)
{
    for (int64_t kk = 0; kk < kc; kk++, dst += ld, p += sk) {
        for (int v = 0; v < ld; v += VL)
            real_store(dst + v, real_load(p + v));
    }
}

/* Four neighbouring panels at once: fewer pages are touched for each row of long B. */
INLINE void pack_copy4(const REAL *p, int64_t sk, int64_t kc, REAL *dst, int ld,
                       int64_t next)
{
    for (int64_t kk = 0; kk < kc; kk++, dst += ld, p += sk) {
        for (int q = 0; q < 4; q++) {
            for (int v = 0; v < ld; v += VL)
                real_store(dst + q * next + v, real_load(p + q * ld + v));
        }
    }
}

/* VL elements of row r from kk on, 0 outside its range and beyond kc. */
INLINE V pack_row_piece(KType type, const PackRows *rows, int r, int64_t kk, int64_t kc)
{
    int64_t lo = max64(rows->lo[r], kk), hi = min64(min64(rows->hi[r], kc), kk + VL);
    V x = {0};

    if (hi - lo == VL)
        return real_load_as(type, rows->p[r], kk, VL);
    if (lo == kk && hi > lo)
        return real_load_as(type, rows->p[r], kk, (int)(hi - lo));
    for (int64_t i = lo; i < hi; i++)
        x[i - kk] = real_get_as(type, rows->p[r], i);
    return x;
}

INLINE void pack_rows(KType type, const PackRows *rows, int w, int64_t kc, REAL *dst,
                      int ld)
{
    for (int v = 0; v < ld; v += VL) {
        for (int64_t kk = 0; kk < kc; kk += VL) {
            int full = (int)min64(VL, kc - kk);
            V x[VL];

            for (int r = 0; r < VL; r++)
                x[r] = v + r < w ? pack_row_piece(type, rows, v + r, kk, kc) : (V){0};
            real_transpose(x);
            for (int r = 0; r < full; r++)
                real_store(dst + (kk + r) * ld + v, x[r]);
        }
    }
}

/* Whole rows of plain REAL at one stride: no ranges to look at. */
INLINE void pack_transpose(const REAL *p, int64_t si, int w, int64_t kc, REAL *dst,
                           int ld)
{
    int64_t whole = kc - kc % VL;

    for (int v = 0; v < ld; v += VL, p += VL * si) {
        int rows = w - v < 0 ? 0 : w - v < VL ? w - v : VL;

        for (int64_t kk = 0; kk < whole; kk += VL) {
            V x[VL];

            if (rows == VL) {
                UNROLL
                for (int r = 0; r < VL; r++)
                    x[r] = real_load(p + r * si + kk);
            } else {
                UNROLL
                for (int r = 0; r < VL; r++)
                    x[r] = r < rows ? real_load(p + r * si + kk) : (V){0};
            }
            real_transpose(x);
            UNROLL
            for (int r = 0; r < VL; r++)
                real_store(dst + (kk + r) * ld + v, x[r]);
        }
        for (int64_t kk = whole; kk < kc; kk++) {
            for (int r = 0; r < VL; r++)
                dst[kk * ld + v + r] = r < rows ? p[r * si + kk] : 0;
        }
    }
}

INLINE void pack_any(KType type, const void *p, int64_t si, int64_t sk, int w, int64_t kc,
                     REAL *dst, int ld)
{
    for (int64_t kk = 0; kk < kc; kk++, dst += ld) {
        for (int r = 0; r < w; r++)
            dst[r] = real_get_as(type, p, r * si + kk * sk);
        for (int r = w; r < ld; r++)
            dst[r] = 0;
    }
}

INLINE void pack_strided(KType type, const void *p, int64_t si, int64_t sk, int w,
                         int64_t kc, REAL *dst, int ld)
{
    if (si == 1 || w == 1) {
        if (type == REAL_TYPE && w == ld)
            pack_copy(p, sk, kc, dst, ld);
        else
            pack_contiguous(type, p, sk, w, kc, dst, ld);
    } else if (sk == 1) {
        if (type == REAL_TYPE) {
            pack_transpose(p, si, w, kc, dst, ld);
        } else {
            PackRows rows;

            for (int r = 0; r < w; r++) {
                rows.p[r] = (const char *)p + r * si * (int64_t)real_type_size(type);
                rows.lo[r] = 0;
                rows.hi[r] = kc;
            }
            pack_rows(type, &rows, w, kc, dst, ld);
        }
    } else {
        pack_any(type, p, si, sk, w, kc, dst, ld);
    }
}

void REAL_NAME(gemm_pack_rows)(KType type, const PackRows *rows, int w, int64_t kc,
                               REAL *dst, int ld)
{
#if !REAL_F64
    if (type == KT_F16) {
        pack_rows(KT_F16, rows, w, kc, dst, ld);
        return;
    }
    if (type == KT_BF16) {
        pack_rows(KT_BF16, rows, w, kc, dst, ld);
        return;
    }
#endif
    (void)type;
    pack_rows(REAL_TYPE, rows, w, kc, dst, ld);
}

void REAL_NAME(gemm_pack)(KType type, const void *p, int64_t si, int64_t sk, int w,
                          int64_t kc, REAL *dst, int ld)
{
#if !REAL_F64
    if (type == KT_F16) {
        pack_strided(KT_F16, p, si, sk, w, kc, dst, ld);
        return;
    }
    if (type == KT_BF16) {
        pack_strided(KT_BF16, p, si, sk, w, kc, dst, ld);
        return;
    }
#endif
    (void)type;
    pack_strided(REAL_TYPE, p, si, sk, w, kc, dst, ld);
}

#endif
