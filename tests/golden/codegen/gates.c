
/*
kernel 0: map
  for i0 < n0  (parallel)
    for j < 256  (vector)
      v0: f32 = load in0[1024*i0 + j]
      v1: f32 = load in1[1024*i0 + j]
      v2: f32 = add v0 v1
      v3: f32 = load in2[j]
      v4: f32 = add v2 v3
      v5: f32 = load in0[256 + 1024*i0 + j]
      v6: f32 = load in1[256 + 1024*i0 + j]
      v7: f32 = add v5 v6
      v8: f32 = load in2[256 + j]
      v9: f32 = add v7 v8
      v10: f32 = load in0[512 + 1024*i0 + j]
      v11: f32 = load in1[512 + 1024*i0 + j]
      v12: f32 = add v10 v11
      v13: f32 = load in2[512 + j]
      v14: f32 = add v12 v13
      v15: f32 = load in0[768 + 1024*i0 + j]
      v16: f32 = load in1[768 + 1024*i0 + j]
      v17: f32 = add v15 v16
      v18: f32 = load in2[768 + j]
      v19: f32 = add v17 v18
      v20: f32 = logistic v4
      v21: f32 = logistic v9
      v22: f32 = tanh v14
      v23: f32 = logistic v19
      v24: f32 = mul v20 v22
      v25: f32 = load in3[256*i0 + j]
      v26: f32 = mul v21 v25
      v27: f32 = add v24 v26
      v28: f32 = tanh v27
      v29: f32 = mul v23 v28
  out0[256*i0 + j] = v27
  out1[256*i0 + j] = v29
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    const float *const a1 = k->p[1];
    const float *const a2 = k->p[2];
    const float *const a3 = k->p[3];
    float *const a4 = k->p[4];
    float *const a5 = k->p[5];
    for (int64_t u = begin; u < end; u++) {
        const int64_t j0 = 0, j1 = 256;
        const int64_t i0 = u;
        for (int64_t j = j0; j < j1; j += 8) {
            const int64_t x = j + 0;
            const int m = 8;
            __builtin_prefetch(a0 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a1 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a0 + 256 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a1 + 256 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a0 + 512 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a1 + 512 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a0 + 768 + 1024 * i0 + 1024 + x);
            __builtin_prefetch(a1 + 768 + 1024 * i0 + 1024 + x);
            const s_f32 v0 = s_ld_f32(a0 + 1024 * i0 + x, m);
            const s_f32 v1 = s_ld_f32(a1 + 1024 * i0 + x, m);
            const s_f32 v2 = v0 + v1;
            const s_f32 v3 = s_ld_f32(a2 + x, m);
            const s_f32 v4 = v2 + v3;
            const s_f32 v5 = s_ld_f32(a0 + 256 + 1024 * i0 + x, m);
            const s_f32 v6 = s_ld_f32(a1 + 256 + 1024 * i0 + x, m);
            const s_f32 v7 = v5 + v6;
            const s_f32 v8 = s_ld_f32(a2 + 256 + x, m);
            const s_f32 v9 = v7 + v8;
            const s_f32 v10 = s_ld_f32(a0 + 512 + 1024 * i0 + x, m);
            const s_f32 v11 = s_ld_f32(a1 + 512 + 1024 * i0 + x, m);
            const s_f32 v12 = v10 + v11;
            const s_f32 v13 = s_ld_f32(a2 + 512 + x, m);
            const s_f32 v14 = v12 + v13;
            const s_f32 v15 = s_ld_f32(a0 + 768 + 1024 * i0 + x, m);
            const s_f32 v16 = s_ld_f32(a1 + 768 + 1024 * i0 + x, m);
            const s_f32 v17 = v15 + v16;
            const s_f32 v18 = s_ld_f32(a2 + 768 + x, m);
            const s_f32 v19 = v17 + v18;
            const s_f32 v20 = s_logistic_f32(v4);
            const s_f32 v21 = s_logistic_f32(v9);
            const s_f32 v22 = s_tanh_f32(v14);
            const s_f32 v23 = s_logistic_f32(v19);
            const s_f32 v24 = v20 * v22;
            const s_f32 v25 = s_ld_f32(a3 + 256 * i0 + x, m);
            const s_f32 v26 = v21 * v25;
            const s_f32 v27 = v24 + v26;
            const s_f32 v28 = s_tanh_f32(v27);
            const s_f32 v29 = v23 * v28;
            s_st_f32(a4 + 256 * i0 + x, m, v27);
            s_st_f32(a5 + 256 * i0 + x, m, v29);
        }
    }
}

