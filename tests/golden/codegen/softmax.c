
/*
kernel 0: rows
  for i0 < n0  (parallel)
    for j < 1000  (vector)
      v0: f32 = load in0[1000*i0 + j]
      v1: f32 = max over cols v0
    for j < 1000  (vector)
      v2: f32 = sub v0 v1
      v3: f32 = exp v2   kept in b0
      v4: f32 = add over cols v3
    for j < 1000  (vector)
      v5: f32 = div v3 v4
  out0[1000*i0 + j] = v5
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    float *const a1 = k->p[1];
    char *tmp = k->tmp;
    float *const b0 = (float *)tmp;
    tmp += (1000 * (int64_t)sizeof *b0 + 63) & ~(int64_t)63;
    for (int64_t u = begin; u < end; u++) {
        const int64_t j0 = 0, j1 = 1000;
        const int64_t i0 = u;
        s_f32 s1_0 = s_bits_f32(0xff800000u);
        s_f32 s1_1 = s_bits_f32(0xff800000u);
        s_f32 s1_2 = s_bits_f32(0xff800000u);
        s_f32 s1_3 = s_bits_f32(0xff800000u);
        {
            int64_t j = j0;
            for (; j + 32 <= j1; j += 32) {
                {
                    const int64_t x = j + 0;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                    s1_0 = s_max_f32(s1_0, v0);
                }
                {
                    const int64_t x = j + 8;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                    s1_1 = s_max_f32(s1_1, v0);
                }
                {
                    const int64_t x = j + 16;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                    s1_2 = s_max_f32(s1_2, v0);
                }
                {
                    const int64_t x = j + 24;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                    s1_3 = s_max_f32(s1_3, v0);
                }
            }
            for (; j < j1; j += 8) {
                const int64_t x = j + 0;
                const int m = 8;
                const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                s1_0 = s_max_f32(s1_0, v0);
            }
        }
        s1_0 = s_max_f32(s1_0, s1_2);
        s1_1 = s_max_f32(s1_1, s1_3);
        s1_0 = s_max_f32(s1_0, s1_1);
        const s_f32 v1 = s_fold_max_f32(s1_0);
        s_f32 s4_0 = s_splat_f32(0.0f);
        s_f32 s4_1 = s_splat_f32(0.0f);
        {
            int64_t j = j0;
            for (; j + 16 <= j1; j += 16) {
                {
                    const int64_t x = j + 0;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                    const s_f32 v2 = v0 - v1;
                    const s_f32 v3 = s_exp_f32(v2);
                    s_st_f32(b0 + x, m, v3);
                    s4_0 = s_add_f32(s4_0, v3);
                }
                {
                    const int64_t x = j + 8;
                    const int m = 8;
                    const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                    const s_f32 v2 = v0 - v1;
                    const s_f32 v3 = s_exp_f32(v2);
                    s_st_f32(b0 + x, m, v3);
                    s4_1 = s_add_f32(s4_1, v3);
                }
            }
            for (; j < j1; j += 8) {
                const int64_t x = j + 0;
                const int m = 8;
                const s_f32 v0 = s_ld_f32(a0 + 1000 * i0 + x, m);
                const s_f32 v2 = v0 - v1;
                const s_f32 v3 = s_exp_f32(v2);
                s_st_f32(b0 + x, m, v3);
                s4_0 = s_add_f32(s4_0, v3);
            }
        }
        s4_0 = s_add_f32(s4_0, s4_1);
        const s_f32 v4 = s_fold_add_f32(s4_0);
        const s_f32 r4 = 1 / v4;
        const int ok4 = wk_usable((double)s_first_f32(r4));
        for (int64_t j = j0; j < j1; j += 8) {
            const int64_t x = j + 0;
            const int m = 8;
            const s_f32 v3 = s_ld_f32(b0 + x, m);
            const s_f32 v5 = ok4 ? v3 * r4 : v3 / v4;
            s_st_f32(a1 + 1000 * i0 + x, m, v5);
        }
    }
}

