
/*
kernel 0: scalars
 */
void wk0(const WkArgs *k, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    const s_f32 v0_1 = s_splat_f32(*(const float *)k->p[0]);
    s_f32 v0_2 = v0_1;
    while (!*k->stop) {
        const s_f32 v1_2 = s_splat_f32(1.0f);
        const s_b v1_3 = s_gt_f32(v0_2, v1_2);
        if (!s_first_bool(v1_3))
            break;
        const s_f32 v2_2 = s_splat_f32(0.99999f);
        const s_f32 v2_3 = v0_2 * v2_2;
        const s_f32 n2_0 = v2_3;
        v0_2 = n2_0;
    }
    *(float *)k->p[1] = s_first_f32(v0_2);
}

