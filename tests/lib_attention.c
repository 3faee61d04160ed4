/* lib_attention.c -- programs of attention, with every mask. */
#include "lib_attention.h"

#include <stdio.h>
#include <stdlib.h>

static const char *mask_type(Mask m, const Shape *z, char *room, size_t n, const char *t)
{
    switch (m) {
    case BOOL_MASK: snprintf(room, n, ", m: bool[%s,%s]", z->l, z->s); break;
    case KEY_MASK: snprintf(room, n, ", m: bool[%d,1,1,%s]", (int)z->b, z->s); break;
    case BIAS:
    case BIAS_CAUSAL:
        snprintf(room, n, ", m: %s[%d,%s,%s]", t, (int)z->h, z->l, z->s);
        break;
    default: room[0] = 0;
    }
    return room;
}

/* From scores %a to masked ones %b. S: their shape. */
static void mask_lines(Mask m, const char *t, const char *S, char *out, size_t n)
{
    char p[400];

    snprintf(p, sizeof p, "  i = iota i32%s axis=2\n  j = iota i32%s axis=3\n", S, S);
    switch (m) {
    case CAUSAL:
        snprintf(out, n,
                 "%s  keep = ge i j\n  low = const %s%s -inf\n  b = select keep a low\n",
                 p, t, S);
        break;
    case CAUSAL_LOW:
        snprintf(
            out, n,
            "%s  hide = lt i j\n  low = const %s%s -30000\n  b = select hide low a\n", p,
            t, S);
        break;
    case BOOL_MASK:
        snprintf(out, n,
                 "  keep = broadcast m %s dims=[2,3]\n  low = const %s%s -inf\n  b = "
                 "select keep a low\n",
                 S, t, S);
        break;
    case KEY_MASK:
        snprintf(out, n,
                 "  keep = broadcast m %s dims=[0,1,2,3]\n  low = const %s%s -inf\n  b "
                 "= select keep a low\n",
                 S, t, S);
        break;
    case BIAS:
        snprintf(out, n, "  w = broadcast m %s dims=[1,2,3]\n  b = add a w\n", S);
        break;
    case BIAS_CAUSAL:
        snprintf(out, n,
                 "  w = broadcast m %s dims=[1,2,3]\n  a1 = add a w\n%s  keep = ge i j\n"
                 "  low = const %s%s -inf\n  b = select keep a1 low\n",
                 S, p, t, S);
        break;
    default: snprintf(out, n, "  zz = const %s%s 1\n  b = mul a zz\n", t, S);
    }
}

const Program *attention_program(wf_ctx *cx, const char *t, Mask m, const Shape *z,
                                 bool widened, const char *result)
{
    const char *w = widened ? "f32" : t; /* of the softmax */
    const char *o = z->turned ? "[0,2]" : "[0,1]";
    int i = z->turned ? 1 : 2;
    char S[128], R[128], mt[128], lines[1024], type[3][128], *text = malloc(8192);
    const char *rows[3] = {z->l, z->s, z->s};
    const Program **ps;
    uint32_t n = 0;
    char narrow[8];

    snprintf(narrow, sizeof narrow, "%s\n", t);
    for (int k = 0; k < 3; k++) {
        int width = (int)(k == 2 ? z->e : z->d);

        if (z->turned)
            snprintf(type[k], sizeof type[k], "%s[%d,%s,%d,%d]", t, (int)z->b, rows[k],
                     (int)z->h, width);
        else
            snprintf(type[k], sizeof type[k], "%s[%d,%d,%s,%d]", t, (int)z->b, (int)z->h,
                     rows[k], width);
    }
    snprintf(S, sizeof S, "[%d,%d,%s,%s]", (int)z->b, (int)z->h, z->l, z->s);
    snprintf(R, sizeof R, "[%d,%d,%s]", (int)z->b, (int)z->h, z->l);
    mask_lines(m, w, S, lines, sizeof lines);
    snprintf(
        text, 8192,
        "weft 1\nf(q: %s, k: %s, v: %s, g: %s[%d,%d,%s,%d]%s) {\n"
        "  %s = dot_general q k lhs=[3] rhs=[3] lhs_batch=%s rhs_batch=%s acc=%s\n%s"
        "  c = const %s%s 0.3125\n  a = mul s c\n%s"
        "  top = reduce_max b axes=[3]\n  fixed = stop_gradient top\n"
        "  ok = is_finite fixed\n  zero = const %s%s 0\n"
        "  shift = select ok fixed zero\n  sh = broadcast shift %s dims=[0,1,2]\n"
        "  x = sub b sh\n  e = exp x\n  sum = reduce_sum e axes=[3]\n"
        "  su = broadcast sum %s dims=[0,1,2]\n  %s = div e su\n%s%s"
        "  o = dot_general p v lhs=[3] rhs=[%d] lhs_batch=[0,1] rhs_batch=%s acc=%s\n"
        "  og = mul o g\n  y = reduce_sum og axes=[0,1,2,3]\n  ret %s\n}\n",
        type[0], type[1], type[2], t, (int)z->b, (int)z->h, z->l, (int)z->e,
        mask_type(m, z, mt, sizeof mt, w), widened ? "s0" : "s", o, o, t,
        widened ? "  s = cast s0 f32\n" : "", w, S, lines, w, R, S, S, widened ? "p0" : "p",
        widened ? "  p = cast p0 " : "", widened ? narrow : "", i, o, t, result);
    if (!programs_parse(cx, "attention", text, strlen(text), NULL, &ps, &n)) {
        check_fail(__FILE__, __LINE__, "%s\n%s", wf_ctx_message(cx), text);
        n = 0;
    }
    free(text);
    return n ? ps[n - 1] : NULL;
}
