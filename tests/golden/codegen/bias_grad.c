
/*
kernel 0: columns
  v0: f32 = const 0
  for i0 < n0  (parallel)
    for j < 64  (vector)
      v1: f32 = load in0[64*i0 + j]
      v2: bool = gt v1 v0
      v3: f32 = load in1[64*i0 + j]
      v4: f32 = select v2 v3 v0
      v5: f32 = add over rows v4
  out0[64*i0 + j] = v4
  out1[j] = v5
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    const float *const a1 = k->p[1];
    float *const a2 = k->p[2];
    float *const a3 = k->p[3];
    char *acc = k->acc;
    float *S5 = (float *)acc;
    acc += (64 * (int64_t)sizeof *S5 + 63) & ~(int64_t)63;
    for (int64_t x = 0; x < 64; x += 8)
        s_st_f32(S5 + x, wk_left(64 - x, 8), s_splat_f32(0.0f));
    const s_f32 v0 = s_splat_f32(0.0f);
    for (int64_t u = begin; u < end; u++) {
        const int64_t j0 = 0, j1 = 64;
        const int64_t i0 = u;
        for (int64_t j = j0; j < j1; j += 8) {
            const int64_t x = j + 0;
            const int m = 8;
            const s_f32 v1 = s_ld_f32(a0 + 64 * i0 + x, m);
            const s_b v2 = s_gt_f32(v1, v0);
            const s_f32 v3 = s_ld_f32(a1 + 64 * i0 + x, m);
            const s_f32 v4 = s_select_f32(v2, v3, v0);
            s_st_f32(S5 + x, m, s_add_f32(s_ld_f32(S5 + x, m), v4));
            s_st_f32(a2 + 64 * i0 + x, m, v4);
        }
    }
}

void wk0_end(const WkArgs *k, int64_t n)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    const float *const a1 = k->p[1];
    float *const a2 = k->p[2];
    float *const a3 = k->p[3];
    char *acc = k->acc;
    float *S5 = (float *)acc;
    acc += (64 * (int64_t)sizeof *S5 + 63) & ~(int64_t)63;
    const int64_t part = acc - k->acc;
    {
        for (int64_t x = 0; x < 64; x += 8) {
            const int m = wk_left(64 - x, 8);
            s_f32 v5 = s_ld_f32(S5 + x, m);
            for (int64_t t = 1; t < n; t++)
                v5 = s_add_f32(v5, s_ld_f32((const float *)((const char *)S5 + t * part) + x, m));
            s_st_f32(a3 + x, m, v5);
        }
    }
}

