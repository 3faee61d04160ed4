
/*
kernel 0: straight
  3 times
    kernel 0_0
    kernel 0_1
  kernel 0_2
  with 2176 bytes of memory
 */

/*
kernel 0_0: product 4 x 8, 8 summed
 */
/* tiles of 4 x 8 */
static inline void wk0_0_wide(const float *a, const float *b, float *c)
{
    s_f32 c0_0 = {0};
    s_f32 c1_0 = {0};
    s_f32 c2_0 = {0};
    s_f32 c3_0 = {0};
    for (int64_t p = 0; p < 8; p++) {
        const s_f32 b0 = s_ld_f32(b + 8 * p + 0, 8);
        const s_f32 a0 = s_splat_f32(a[1 * p + 0]);
        c0_0 += a0 * b0;
        const s_f32 a1 = s_splat_f32(a[1 * p + 8]);
        c1_0 += a1 * b0;
        const s_f32 a2 = s_splat_f32(a[1 * p + 16]);
        c2_0 += a2 * b0;
        const s_f32 a3 = s_splat_f32(a[1 * p + 24]);
        c3_0 += a3 * b0;
    }
    s_st_f32(c + 0, 8, c0_0);
    s_st_f32(c + 8, 8, c1_0);
    s_st_f32(c + 16, 8, c2_0);
    s_st_f32(c + 24, 8, c3_0);
}

static void wk0_0(const void *A, const void *B, void *C, char *tmp)
{
    {
    const float *a = A, *b = B;
    float *c = C;
    for (int64_t j = 0; j < 8; j += 8) {
        for (int64_t i = 0; i < 4; i += 4)
            wk0_0_wide(a + 8 * i, b + 1 * j, c + 8 * i + j);
    }
    }
}


/*
kernel 0_1: map
  one row
    for j < 32  (vector)
      v0: f32 = load in0[j]
      v1: f32 = tanh v0
  out0[j] = v1
 */
static void wk0_1(const WkArgs *k, int64_t begin, int64_t end)
{
    const float *const a0 = k->p[0];
    float *const a1 = k->p[1];
    for (int64_t u = begin; u < end; u++) {
        const int64_t j0 = 0, j1 = 32;
        for (int64_t j = j0; j < j1; j += 8) {
            const int64_t x = j + 0;
            const int m = 8;
            const s_f32 v0 = s_ld_f32(a0 + x, m);
            const s_f32 v1 = s_tanh_f32(v0);
            s_st_f32(a1 + x, m, v1);
        }
    }
}


/*
kernel 0_2: rows
  for i0 < 4  (parallel)
    for j < 8  (vector)
      v0: f32 = load in0[8*i0 + j]
      v1: f32 = add over cols v0
    for j < 8  (vector)
  out0[i0] = v1
 */
static void wk0_2(const WkArgs *k, int64_t begin, int64_t end)
{
    const float *const a0 = k->p[0];
    float *const a1 = k->p[1];
    for (int64_t u = begin; u < end; u++) {
        const int64_t j0 = 0, j1 = 8;
        const int64_t i0 = u;
        s_f32 s1_0 = s_splat_f32(0.0f);
        for (int64_t j = j0; j < j1; j += 8) {
            const int64_t x = j + 0;
            const int m = 8;
            const s_f32 v0 = s_ld_f32(a0 + 8 * i0 + x, m);
            s1_0 = s_add_f32(s1_0, v0);
        }
        const s_f32 v1 = s_fold_add_f32(s1_0);
        (a1 + i0)[0] = s_first_f32(v1);
    }
}

void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    char *const q0 = k->tmp;
    char *const q1 = k->p[0];
    char *const q2 = k->p[1];
    char *const q3 = k->p[2];
    for (int64_t t0 = 0; t0 < 3 && !*k->stop; t0++) {
        char *const q260 = !t0 ? q2 : (3 - t0) % 2 ? q0 + 128 : q0;
        char *const q261 = (2 - t0) % 2 ? q0 + 128 : q0;
        wk0_0(q260, q1, q261, q0 + 2176);
        {
            void *const p[] = {q261, q261};
            const WkArgs args = {p, k->d, q0 + 256, q0 + 320, k->stop};
            wk0_1(&args, 0, 1);
        }
    }
    {
        void *const p[] = {q0, q3};
        const WkArgs args = {p, k->d, q0 + 128, q0 + 192, k->stop};
        wk0_2(&args, 0, 4);
    }
}

