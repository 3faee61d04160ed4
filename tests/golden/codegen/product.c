
/*
kernel 0: map
  product = dot_general in0 in1, and on each piece of it, [..row, j]:
  for i0 < n0  (parallel)
    for j < 100  (vector)
      v0: f32 = load product[j]
      v1: f32 = load in2[j]
      v2: f32 = add v0 v1
      v3: f32 = tanh v2
  out0, where product is, [j] = v3
 */
void wk0_tile(const WkArgs *k, const WkTile *t)
{
    const int64_t d0 = k->d[0];
    const float *const a0 = k->p[0];
    const float *const a1 = k->p[1];
    const float *const a2 = k->p[2];
    float *const a3 = k->p[3];
    for (int64_t u = 0; u < t->rows; u++) {
        const int64_t j0 = t->col, j1 = t->col + t->cols;
        float *const a4 = (float *)t->c + (u * t->ld - j0);
        int64_t n1 = t->row + u;
        const int64_t i0 = n1;
        {
            int64_t j = j0;
            for (; j + 8 <= j1; j += 8) {
                const int64_t x = j + 0;
                const int m = 8;
                const s_f32 v0 = s_ld_f32(a4 + x, m);
                const s_f32 v1 = s_ld_f32(a2 + x, m);
                const s_f32 v2 = v0 + v1;
                const s_f32 v3 = s_tanh_f32(v2);
                s_st_f32(a4 + x, m, v3);
            }
            for (; j < j1; j += 8) {
                const int64_t x = j + 0;
                const int m = wk_left(j1 - x, 8);
                const s_f32 v0 = s_ld_f32(a4 + x, m);
                const s_f32 v1 = s_ld_f32(a2 + x, m);
                const s_f32 v2 = v0 + v1;
                const s_f32 v3 = s_tanh_f32(v2);
                s_st_f32(a4 + x, m, v3);
            }
        }
    }
}

void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    const int64_t d0 = k->d[0];
    const int64_t rows = d0, cols = 100;
    for (int64_t u = begin; u < end; u++) {
        const WkTile t = {(float *)k->p[3] + u * cols, cols, u % rows, 0, 1, cols, u / rows};

        wk0_tile(k, &t);
    }
}

