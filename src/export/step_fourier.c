/* step_fourier.c -- fft: one axis after the other, line by line in doubles. */
#include "export/export.h"

typedef struct Side { /* what lines are read from, or written to */
    const char *at;
    wf_dtype t;
    const char *n; /* elements of a line */
} Side;

typedef struct Fourier {
    Val shape; /* its axes but the one that is transformed are those of both sides */
    const char *line, *work, *roots;
    bool back;
} Fourier;

static const char *count_of_axes(Func *f, Val v, uint32_t first, uint32_t end)
{
    Dim n = 1;

    for (uint32_t i = first; i < end; i++)
        n = dim_mul(&f->dims, n, c_size_of(f, v, i));
    return c_dim_in(f, n);
}

/* The lines along the axis, n numbers each; of real results the first half is there. */
static void write_axis(Func *f, const Fourier *w, uint32_t axis, const char *n, Side from, Side to)
{
    const char *outer = count_of_axes(f, w->shape, 0, axis),
               *inner = count_of_axes(f, w->shape, axis + 1, rank_of(f, w->shape));
    const char *part = c_type(dtype_part(to.t)), *by = w->back ? arena_printf(f->a, " / (double)%s", n) : "";

    c_put_line(f, "%s(%s, %s, %d);", c_need(f->c, "roots"), w->roots, n, w->back ? 1 : -1);
    c_open_for(f, "i0", outer);
    c_open_for(f, "i1", inner);
    c_open_for(f, "i2", from.n);
    c_put_line(f, "const %s v0 = %s[(i0 * %s + i2) * %s + i1];", c_type(from.t), from.at, from.n, inner);
    c_put_line(f, "%s[2 * i2] = (double)v0%s;", w->line, dtype_is_complex(from.t) ? ".re" : "");
    c_put_line(f, "%s[2 * i2 + 1] = %s;", w->line, dtype_is_complex(from.t) ? "(double)v0.im" : "0");
    c_close_block(f);
    if (!dtype_is_complex(to.t))
        c_put_line(f, "%s(%s, %s);", c_need(f->c, "mirror"), w->line, n);
    c_put_line(f, "%s(%s, %s, %s, %s);", c_need(f->c, "fft"), w->line, w->work, w->roots, n);
    c_open_for(f, "i2", to.n);
    if (dtype_is_complex(to.t))
        c_put_line(f, "%s[(i0 * %s + i2) * %s + i1] = %s((%s)(%s[2 * i2]%s), (%s)(%s[2 * i2 + 1]%s));",
                   to.at, to.n, inner, c_need_of(f->c, "complex", to.t), part, w->line, by, part, w->line, by);
    else
        c_put_line(f, "%s[(i0 * %s + i2) * %s + i1] = (%s)(%s[2 * i2]%s);", to.at, to.n, inner, part, w->line, by);
    c_close_blocks(f, 3);
}

static const char *doubles(Func *f, const char *name, int64_t n)
{
    name = c_unique(f->a, &f->names, name);
    c_put_line(f, "double *const %s = %s;", name, step_memory(f, 16 * n, "double"));
    return name;
}

/* rfft begins, irfft ends with the last axis; what irfft has before that is in memory of the step. */
bool step_fft(Func *f)
{
    const FftAttr *a = f->e->attr;
    Val x = in_of(f, 0), y = out_of(f, 0);
    bool ends = a->kind == FFT_IRFFT;
    uint32_t k = a->lengths.n, first = rank_of(f, x) - k;
    Fourier w = {.shape = ends ? x : y, .back = ends || a->kind == FFT_IFFT};
    Side from = {c_at_of(f, x), dtype_of(f, x), NULL}, to = {c_at_of(f, y), dtype_of(f, y), NULL};
    int64_t longest = 1;

    for (uint32_t i = 0; i < k; i++) {
        Dim n = c_dim_of(f, a->lengths.v[i]);

        longest = MAX(longest, c_most_of(f, n));
        if (!dim_known_ge(&f->dims, n, 1))
            c_fail_if(f, "SIZE", "%s < 1", c_dim_in(f, n));
    }
    c_open_block(f, "%s", "");
    w.line = doubles(f, "line", longest);
    w.work = doubles(f, "work", longest);
    w.roots = doubles(f, "roots", longest);
    if (ends && k > 1) {
        to = (Side){c_unique(f->a, &f->names, "spectrum"), from.t, NULL};
        c_put_line(f, "%s *const %s = %s;", c_type(to.t), to.at,
                   step_memory(f, c_most_of(f, c_count_of(f, x)) * (int64_t)wf_dtype_size(to.t), c_type(to.t)));
    }
    for (uint32_t i = 0; i < k; i++) {
        uint32_t axis = first + (ends ? i : k - 1 - i);

        if (ends && i + 1 == k)
            to = (Side){c_at_of(f, y), dtype_of(f, y), NULL};
        from.n = c_dim_in(f, c_size_of(f, from.at == c_at_of(f, x) ? x : w.shape, axis));
        to.n = c_dim_in(f, c_size_of(f, dtype_is_complex(to.t) ? w.shape : y, axis));
        write_axis(f, &w, axis, c_dim_in(f, c_dim_of(f, a->lengths.v[axis - first])), from, to);
        from = to;
    }
    c_close_block(f);
    return true;
}
