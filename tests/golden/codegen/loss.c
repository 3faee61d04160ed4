
/*
kernel 0: map
  one row
    for j < n0*32  (vector)
      v0: f16 = load in0[j]
      v1: f16 = load in1[j]
      v2: f16 = sub v0 v1
      v3: f16 = mul v2 v2
      v4: f16 = add over all v3
  out0[0] = v4
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const uint16_t *const a0 = k->p[0];
    const uint16_t *const a1 = k->p[1];
    uint16_t *const a2 = k->p[2];
    char *acc = k->acc;
    float *S4 = (float *)acc;
    acc += (1 * (int64_t)sizeof *S4 + 63) & ~(int64_t)63;
    s_f32 s4_0 = s_splat_f32(0.0f);
    s_f32 s4_1 = s_splat_f32(0.0f);
    s_f32 s4_2 = s_splat_f32(0.0f);
    s_f32 s4_3 = s_splat_f32(0.0f);
    for (int64_t u = begin; u < end; u++) {
        const int64_t blocks = (d0 + 4095) / 4096;
        const int64_t j0 = u % blocks * 4096;
        const int64_t j1 = wk_least(j0 + 4096, d0);
        {
            int64_t j = j0;
            for (; j + 32 <= j1; j += 32) {
                {
                    const int64_t x = j + 0;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f16(a0 + x, m);
                    const s_f32 v1 = s_ld_f16(a1 + x, m);
                    const s_f32 v2 = s_narrow_f16(v0 - v1);
                    const s_f32 v3 = s_narrow_f16(v2 * v2);
                    s4_0 = s_add_f32(s4_0, v3);
                }
                {
                    const int64_t x = j + 8;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f16(a0 + x, m);
                    const s_f32 v1 = s_ld_f16(a1 + x, m);
                    const s_f32 v2 = s_narrow_f16(v0 - v1);
                    const s_f32 v3 = s_narrow_f16(v2 * v2);
                    s4_1 = s_add_f32(s4_1, v3);
                }
                {
                    const int64_t x = j + 16;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f16(a0 + x, m);
                    const s_f32 v1 = s_ld_f16(a1 + x, m);
                    const s_f32 v2 = s_narrow_f16(v0 - v1);
                    const s_f32 v3 = s_narrow_f16(v2 * v2);
                    s4_2 = s_add_f32(s4_2, v3);
                }
                {
                    const int64_t x = j + 24;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f16(a0 + x, m);
                    const s_f32 v1 = s_ld_f16(a1 + x, m);
                    const s_f32 v2 = s_narrow_f16(v0 - v1);
                    const s_f32 v3 = s_narrow_f16(v2 * v2);
                    s4_3 = s_add_f32(s4_3, v3);
                }
            }
            for (; j < j1; j += 8) {
                const int64_t x = j + 0;
                const int m = wk_left(j1 - x, 8);
                const s_b in = s_lanes(m);
                const s_f32 v0 = s_ld_f16(a0 + x, m);
                const s_f32 v1 = s_ld_f16(a1 + x, m);
                const s_f32 v2 = s_narrow_f16(v0 - v1);
                const s_f32 v3 = s_narrow_f16(v2 * v2);
                s4_0 = s_select_f32(in, s_add_f32(s4_0, v3), s4_0);
            }
        }
    }
    s4_0 = s_add_f32(s4_0, s4_1);
    s4_0 = s_add_f32(s4_0, s4_2);
    s4_0 = s_add_f32(s4_0, s4_3);
    S4[0] = s_first_f32(s_fold_add_f32(s4_0));
}

void wk0_end(const WkArgs *k, int64_t n)
{
    const int64_t d0 = k->d[0];
    const uint16_t *const a0 = k->p[0];
    const uint16_t *const a1 = k->p[1];
    uint16_t *const a2 = k->p[2];
    char *acc = k->acc;
    float *S4 = (float *)acc;
    acc += (1 * (int64_t)sizeof *S4 + 63) & ~(int64_t)63;
    const int64_t part = acc - k->acc;
    {
        s_f32 v4 = s_splat_f32(*S4);
        for (int64_t t = 1; t < n; t++)
            v4 = s_add_f32(v4, s_splat_f32(*(const float *)((const char *)S4 + t * part)));
        (a2)[0] = s_first_f16(v4);
    }
}

