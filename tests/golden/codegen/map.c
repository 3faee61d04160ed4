
/*
kernel 0: map
  for i0 < n0  (parallel)
    for j < 100  (vector)
      v0: f32 = load in0[100*i0 + j]
      v1: f32 = logistic v0
      v2: f32 = mul v0 v1
      v3: f32 = load in1[j]
      v4: f32 = add v2 v3
  out0[100*i0 + j] = v4
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    const float *const a1 = k->p[1];
    float *const a2 = k->p[2];
    for (int64_t u = begin; u < end; u++) {
        const int64_t j0 = 0, j1 = 100;
        const int64_t i0 = u;
        {
            int64_t j = j0;
            for (; j + 8 <= j1; j += 8) {
                const int64_t x = j + 0;
                const int m = 8;
                const s_f32 v0 = s_ld_f32(a0 + 100 * i0 + x, m);
                const s_f32 v1 = s_logistic_f32(v0);
                const s_f32 v2 = v0 * v1;
                const s_f32 v3 = s_ld_f32(a1 + x, m);
                const s_f32 v4 = v2 + v3;
                s_st_f32(a2 + 100 * i0 + x, m, v4);
            }
            for (; j < j1; j += 8) {
                const int64_t x = j + 0;
                const int m = wk_left(j1 - x, 8);
                const s_f32 v0 = s_ld_f32(a0 + 100 * i0 + x, m);
                const s_f32 v1 = s_logistic_f32(v0);
                const s_f32 v2 = v0 * v1;
                const s_f32 v3 = s_ld_f32(a1 + x, m);
                const s_f32 v4 = v2 + v3;
                s_st_f32(a2 + 100 * i0 + x, m, v4);
            }
        }
    }
}

