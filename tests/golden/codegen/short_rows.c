
/*
kernel 0: rows
  for i0 < n0  (parallel)
    for j < 3  (vector)
      v0: f32 = load in0[3*i0 + j]
      v1: f32 = max over cols v0
    for j < 3  (vector)
      v2: f32 = sub v0 v1
      v3: f32 = exp v2
      v4: f32 = add over cols v3
      v5: f32 = add over rows v3
    for j < 3  (vector)
  out0[3*i0 + j] = v3
  out1[i0] = v4
  out2[j] = v5
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    float *const a1 = k->p[1];
    float *const a2 = k->p[2];
    float *const a3 = k->p[3];
    char *acc = k->acc;
    float *S5 = (float *)acc;
    acc += (3 * (int64_t)sizeof *S5 + 63) & ~(int64_t)63;
    s_f32 k0[3];
    s_f32 S5v[3];
    for (int64_t i1 = 0; i1 < 3; i1++)
        S5v[i1] = s_splat_f32(0.0f);
    int64_t x = begin;
    for (; x + 8 <= end; x += 8) {
        const int m = 8;
        s_f32 s1 = s_bits_f32(0xff800000u);
        for (int64_t i1 = 0; i1 < 3; i1++) {
            const s_f32 v0 = s_lds_f32(a0 + i1 + 3 * x, 3, m);
            k0[i1] = v0;
            s1 = s_max_f32(s1, v0);
        }
        const s_f32 v1 = s1;
        s_f32 s4 = s_splat_f32(0.0f);
        for (int64_t i1 = 0; i1 < 3; i1++) {
            const s_f32 v0 = k0[i1];
            const s_f32 v2 = v0 - v1;
            const s_f32 v3 = s_exp_f32(v2);
            s4 = s_add_f32(s4, v3);
            S5v[i1] = s_add_f32(S5v[i1], v3);
            s_sts_f32(a1 + i1 + 3 * x, 3, m, v3);
        }
        const s_f32 v4 = s4;
        s_st_f32(a2 + x, m, v4);
    }
    for (; x < end; x += 8) {
        const int m = wk_left(end - x, 8);
        const s_b in = s_lanes(m);
        s_f32 s1 = s_bits_f32(0xff800000u);
        for (int64_t i1 = 0; i1 < 3; i1++) {
            const s_f32 v0 = s_lds_f32(a0 + i1 + 3 * x, 3, m);
            k0[i1] = v0;
            s1 = s_max_f32(s1, v0);
        }
        const s_f32 v1 = s1;
        s_f32 s4 = s_splat_f32(0.0f);
        for (int64_t i1 = 0; i1 < 3; i1++) {
            const s_f32 v0 = k0[i1];
            const s_f32 v2 = v0 - v1;
            const s_f32 v3 = s_exp_f32(v2);
            s4 = s_add_f32(s4, v3);
            S5v[i1] = s_select_f32(in, s_add_f32(S5v[i1], v3), S5v[i1]);
            s_sts_f32(a1 + i1 + 3 * x, 3, m, v3);
        }
        const s_f32 v4 = s4;
        s_st_f32(a2 + x, m, v4);
    }
    for (int64_t i1 = 0; i1 < 3; i1++)
        S5[i1] = s_first_f32(s_fold_add_f32(S5v[i1]));
}

void wk0_end(const WkArgs *k, int64_t n)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    float *const a1 = k->p[1];
    float *const a2 = k->p[2];
    float *const a3 = k->p[3];
    char *acc = k->acc;
    float *S5 = (float *)acc;
    acc += (3 * (int64_t)sizeof *S5 + 63) & ~(int64_t)63;
    const int64_t part = acc - k->acc;
    {
        for (int64_t x = 0; x < 3; x += 8) {
            const int m = wk_left(3 - x, 8);
            s_f32 v5 = s_ld_f32(S5 + x, m);
            for (int64_t t = 1; t < n; t++)
                v5 = s_add_f32(v5, s_ld_f32((const float *)((const char *)S5 + t * part) + x, m));
            s_st_f32(a3 + x, m, v5);
        }
    }
}

