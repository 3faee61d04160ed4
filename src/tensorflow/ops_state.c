/* ops_state.c -- variables, optimisers, random numbers.
 *
 * A variable is a tensor of the model (OxState): programs take it as input and give its new value, in the order in which the
 * graph reads and assigns. While a file is opened its restore op runs once, with numbers (TgFile.restoring): what it assigns
 * are the first values.
 */
#include "tensorflow/ops.h"

/* ---- variables ------------------------------------------------------------------------------------------------------ */

OxState *tg_variable(OxRun *r, const char *name)
{
    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].place && *r->state[i].place == '^' &&
            strcmp(r->state[i].place + 1, name) == 0)
            return &r->state[i];
    return NULL;
}

/* arg 1: a variable of the old kind, which is its value wherever it is used */
TG_RULE(handle)
{
    const char *name = tg_text(r, "shared_name", "");
    OxState *s = tg_variable(r, *name ? name : r->node->name);

    if (!s)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "there is no variable '%.80s'",
                       *name ? name : r->node->name);
    return ox_put_value(r, 0,
                        (OxValue){.kind = OX_RESOURCE, .state = s, .is_ref = op->arg});
}

static OxState *state_in(OxRun *r, size_t i)
{
    const OxValue *v = ox_value(r, i);

    if (v->kind != OX_RESOURCE || !v->state)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "input %zu is no variable", i), NULL;
    return v->state;
}

TG_RULE(read)
{
    OxState *s = state_in(r, 0);

    (void)op;
    return s && ox_put(r, 0, ox_state_value(r, s));
}

static bool set_state(OxRun *r, OxState *s, wf_tensor t)
{
    wf_array *a = NULL;

    if (!ox_ok(r))
        return false;
    if (!tg_file(r)->restoring) {
        s->update = t;
        return true;
    }
    if (wf_to_array(r->c, t, &a))
        return false;
    wf_array_release(s->array);
    s->array = a;
    return true;
}

/* arg: 0 set, 1 add, 2 subtract. The old kind gives the variable. */
TG_RULE(assign)
{
    OxState *s = state_in(r, 0);
    wf_tensor t = s ? ox_in(r, 1) : WF_NONE;

    if (!s || !ox_ok(r))
        return false;
    if (op->arg)
        t = op->arg == 1 ? wf_add(r->c, ox_state_value(r, s), t)
                         : wf_sub(r->c, ox_state_value(r, s), t);
    return set_state(r, s, t) &&
           ox_put_value(r, 0, (OxValue){.kind = OX_RESOURCE, .state = s, .is_ref = true});
}

TG_RULE(initialized)
{
    OxState *s = state_in(r, 0);

    (void)op;
    return s && ox_put(r, 0, wf_scalar(r->c, WF_BOOL, s->array != NULL));
}

TG_RULE(resource_gather)
{
    OxState *s = state_in(r, 0);
    wf_tensor ix = s ? ox_in(r, 1) : WF_NONE;

    (void)op;
    if (tg_int(r, "batch_dims", 0))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "batch axes");
    return s && ox_ok(r) &&
           ox_put(r, 0,
                  wf_take(r->c, ox_state_value(r, s), wf_cast(r->c, ix, WF_I64), 0));
}

/* Rows of a variable: 0 set, 1 add, 2 subtract. */
TG_RULE(resource_scatter)
{
    OxState *s = state_in(r, 0);
    wf_tensor ix = s ? ox_in(r, 1) : WF_NONE, v = s ? ox_in(r, 2) : WF_NONE, x;

    if (!s || !ox_ok(r))
        return false;
    x = ox_state_value(r, s);
    ix = wf_cast(r->c, ix, WF_I64);
    x = op->arg ? wf_index_add(r->c, x, (wf_index[]){wf_at_tensor(ix)}, 1,
                               op->arg == 2 ? wf_neg(r->c, v) : v)
                : wf_index_set(r->c, x, (wf_index[]){wf_at_tensor(ix)}, 1, v);
    return set_state(r, s, x) &&
           ox_put_value(r, 0, (OxValue){.kind = OX_RESOURCE, .state = s, .is_ref = true});
}

/* A checkpoint's tensors by name: (prefix, names, slices). */
TG_RULE(restore)
{
    const OxValue *names = ox_value(r, 1);
    TgBundle *b = tg_file(r)->bundle;

    (void)op;
    if (names->kind != OX_STRINGS || !b)
        return ox_fail(r, WF_ERR_UNSUPPORTED,
                       b ? "names that are no constant"
                         : "there is no checkpoint to restore from");
    for (int i = 0; i < names->nitems && ox_ok(r); i++) {
        const char *name =
            ox_string(&r->mem, names->strings[i].data, names->strings[i].size);
        int k = name ? tg_bundle_find(b, name) : -1;
        wf_array *a;

        if (k < 0)
            return ox_ok(r)
                       ? ox_fail(r, WF_ERR_FORMAT, "the checkpoint has no '%.80s'", name)
                       : false;
        if (tg_bundle_entry(b, k)->type == TG_STRING) {
            ox_put_value(r, (size_t)i, (OxValue){.kind = OX_STRINGS});
            continue;
        }
        if ((a = tg_bundle_array(b, k)))
            ox_put(r, (size_t)i, wf_from_array(r->c, a));
        wf_array_release(a);
    }
    return ox_ok(r);
}

/* ---- optimisers --------------------------------------------------------------------------------------------------------- */

enum { DESCENT, MOMENTUM, KERAS_MOMENTUM, ADAM, ADAGRAD, ADAGRAD_V2, RMSPROP, ADADELTA };

static wf_tensor adam_step(OxRun *r, OxState **s)
{
    wf_ctx *c = r->c;
    wf_tensor b1p = ox_in(r, 3), b2p = ox_in(r, 4), lr = ox_in(r, 5), b1 = ox_in(r, 6),
              b2 = ox_in(r, 7), eps = ox_in(r, 8);
    wf_tensor g = ox_in(r, 9), m = ox_state_value(r, s[1]), v = ox_state_value(r, s[2]),
              one, rate, up;
    wf_tensor difference, less, rest, sum;

    if (!ox_ok(r))
        return WF_NONE;
    one = ox_like(r, 1, g);
    difference = wf_sub(c, one, b1p);
    rate = wf_div(c, wf_mul(c, lr, wf_sqrt(c, wf_sub(c, one, b2p))), difference);
    less = wf_sub(c, one, b1);
    m = wf_add(c, m, wf_mul(c, wf_sub(c, g, m), less));
    rest = wf_sub(c, one, b2);
    v = wf_add(c, v, wf_mul(c, wf_sub(c, wf_square(c, g), v), rest));
    set_state(r, s[1], m);
    set_state(r, s[2], v);
    up = m;
    if (tg_bool(r, "use_nesterov", false)) {
        up = wf_mul(c, wf_sub(c, one, b1), g);
        up = wf_add(c, wf_mul(c, m, b1), up);
    }
    sum = wf_add(c, wf_sqrt(c, v), eps);
    return wf_sub(c, ox_state_value(r, s[0]), wf_div(c, wf_mul(c, rate, up), sum));
}

static wf_tensor rmsprop_step(OxRun *r, OxState **s)
{
    wf_ctx *c = r->c;
    wf_tensor lr = ox_in(r, 3), rho = ox_in(r, 4), momentum = ox_in(r, 5),
              eps = ox_in(r, 6), g = ox_in(r, 7);
    wf_tensor ms = ox_state_value(r, s[1]), mom = ox_state_value(r, s[2]);
    wf_tensor difference, product, inverse;

    if (!ox_ok(r))
        return WF_NONE;
    difference = wf_sub(c, ox_like(r, 1, g), rho);
    ms = wf_add(c, ms, wf_mul(c, wf_sub(c, wf_square(c, g), ms), difference));
    inverse = wf_rsqrt(c, wf_add(c, ms, eps));
    product = wf_mul(c, wf_mul(c, lr, g), inverse);
    mom = wf_add(c, wf_mul(c, mom, momentum), product);
    set_state(r, s[1], ms);
    set_state(r, s[2], mom);
    return wf_sub(c, ox_state_value(r, s[0]), mom);
}

static wf_tensor momentum_step(OxRun *r, OxState **s, bool keras)
{
    wf_ctx *c = r->c;
    wf_tensor lr = ox_in(r, 2), g = ox_in(r, 3), momentum = ox_in(r, 4),
              acc = ox_state_value(r, s[1]), x = ox_state_value(r, s[0]), up;
    bool nesterov = tg_bool(r, "use_nesterov", false);

    if (!ox_ok(r))
        return WF_NONE;
    if (keras) {
        wf_tensor product = wf_mul(c, lr, g);

        acc = wf_sub(c, wf_mul(c, acc, momentum), product);
        set_state(r, s[1], acc);
        if (nesterov) {
            product = wf_mul(c, lr, g);
            acc = wf_sub(c, wf_mul(c, acc, momentum), product);
        }
        return wf_add(c, x, acc);
    }
    acc = wf_add(c, wf_mul(c, acc, momentum), g);
    set_state(r, s[1], acc);
    up = wf_mul(c, nesterov ? wf_mul(c, acc, momentum) : acc, lr);
    if (nesterov)
        up = wf_add(c, wf_mul(c, g, lr), up);
    return wf_sub(c, x, up);
}

static wf_tensor adagrad_step(OxRun *r, OxState **s, bool second)
{
    wf_ctx *c = r->c;
    wf_tensor lr = ox_in(r, 2), g = ox_in(r, second ? 4 : 3),
              acc = ox_state_value(r, s[1]), root;

    if (!ox_ok(r))
        return WF_NONE;
    if (tg_bool(r, "update_slots", true))
        acc = wf_add(c, acc, wf_square(c, g));
    set_state(r, s[1], acc);
    root = wf_sqrt(c, acc);
    if (second)
        root = wf_add(c, root, ox_in(r, 3));
    return wf_sub(c, ox_state_value(r, s[0]), wf_div(c, wf_mul(c, lr, g), root));
}

TG_RULE(apply)
{
    int slots = op->arg == DESCENT ? 1 : op->arg == ADAM || op->arg == RMSPROP ? 3 : 2;
    OxState *s[3] = {NULL, NULL, NULL};
    wf_tensor x;

    for (int i = 0; i < slots; i++)
        if (!(s[i] = state_in(r, (size_t)i)))
            return false;
    switch (op->arg) {
    case DESCENT: {
        wf_tensor rate = ox_in(r, 1), g = ox_in(r, 2);
        x = wf_sub(r->c, ox_state_value(r, s[0]), wf_mul(r->c, rate, g));
        break;
    }
    case ADAM: x = adam_step(r, s); break;
    case RMSPROP: x = rmsprop_step(r, s); break;
    case ADAGRAD:
    case ADAGRAD_V2: x = adagrad_step(r, s, op->arg == ADAGRAD_V2); break;
    default: x = momentum_step(r, s, op->arg == KERAS_MOMENTUM);
    }
    return ox_ok(r) && set_state(r, s[0], x) &&
           ox_put_value(r, 0,
                        (OxValue){.kind = OX_RESOURCE, .state = s[0], .is_ref = true});
}

/* ---- random numbers ------------------------------------------------------------------------------------------------------- */

/* By distribution: the numbers are Weft's, of a key that every run changes. When a file is opened: of a fixed key. */
static wf_tensor next_key(OxRun *r)
{
    if (tg_file(r)->restoring)
        return wf_key(r->c, (uint64_t)++tg_file(r)->randoms);
    return ox_key(r);
}

enum { UNIFORM, NORMAL, TRUNCATED, UNIFORM_INT };

static wf_tensor draw(OxRun *r, int kind, wf_tensor key, wf_dtype d, const int64_t *dims,
                      int rank)
{
    wf_ctx *c = r->c;
    wf_dtype as = d == WF_F64 ? WF_F64 : WF_F32;

    if (!ox_ok(r) || !ox_bounded(r, dims, rank, OX_FILLED))
        return WF_NONE;
    return wf_cast(c,
                   kind == UNIFORM ? wf_key_uniform(c, key, as, dims, rank, 0, 1)
                   : kind == NORMAL
                       ? wf_key_normal(c, key, as, dims, rank)
                       : wf_key_truncated_normal(c, key, as, dims, rank, -2, 2),
                   d);
}

/* lo + floor(u (hi - lo)), for bounds that may depend on inputs */
static wf_tensor draw_int(OxRun *r, wf_tensor key, wf_dtype d, const int64_t *dims,
                          int rank, wf_tensor lo, wf_tensor hi)
{
    wf_ctx *c = r->c;
    wf_tensor span, u, cast, whole;

    if (!ox_ok(r) || !ox_bounded(r, dims, rank, OX_FILLED))
        return WF_NONE;
    u = wf_cast(c, wf_key_bits(c, key, WF_U32, dims, rank), WF_I64);
    cast = wf_cast(c, lo, WF_I64);
    span = wf_sub(c, wf_cast(c, hi, WF_I64), cast);
    whole = wf_cast(c, lo, WF_I64);
    return wf_cast(c, wf_add(c, wf_remainder(c, u, span), whole), d);
}

TG_RULE(random)
{
    int64_t dims[WF_MAX_RANK];
    wf_dtype d;
    int rank;

    if (!tg_dims(r, 0, dims, &rank))
        return false;
    if (op->arg == UNIFORM_INT) {
        wf_tensor lo = ox_in(r, 1), hi = ox_in(r, 2);
        d = tg_type_attr(r, "Tout");
        return ox_ok(r) && ox_put(r, 0, draw_int(r, next_key(r), d, dims, rank, lo, hi));
    }
    d = tg_type_attr(r, "dtype");
    return ox_ok(r) && ox_put(r, 0, draw(r, op->arg, next_key(r), d, dims, rank));
}

/* (shape, seed) or (shape, key, counter, algorithm): the same numbers for the same seed */
TG_RULE(stateless_random)
{
    wf_ctx *c = r->c;
    int64_t dims[WF_MAX_RANK];
    wf_tensor seed = ox_in(r, 1), key;
    const TgAttr *a = tg_attr(r, "dtype");
    int rank;

    if (!tg_dims(r, 0, dims, &rank) || !ox_ok(r))
        return false;
    key = wf_key(c, 0);
    for (int64_t i = 0; i < 2 && i < MAX(1, wf_count(c, seed)); i++)
        key = wf_key_fold_in(
            c, key,
            wf_cast(c,
                    wf_index_get(c, wf_reshape(c, seed, (int64_t[]){WF_INFER}, 1),
                                 (wf_index[]){wf_at_int(i)}, 1),
                    WF_U32));
    if (op->arg == UNIFORM_INT) {
        size_t n = ox_nin(r);
        wf_tensor lo = ox_in(r, n - 2), hi = ox_in(r, n - 1);
        return ox_ok(r) && ox_put(r, 0,
                                  draw_int(r, key, a ? tg_dtype(a->type) : WF_I32, dims,
                                           rank, lo, hi));
    }
    return ox_put(r, 0,
                  draw(r, op->arg, key,
                       a && tg_dtype(a->type) != WF_INVALID ? tg_dtype(a->type) : WF_F32,
                       dims, rank));
}

TG_RULE(random_shuffle)
{
    wf_tensor x = ox_in(r, 0);

    (void)op;
    return ox_ok(r) && ox_put(r, 0, wf_key_permutation(r->c, next_key(r), x, 0));
}

TG_RULE(multinomial)
{
    wf_tensor x = ox_in(r, 0), y;
    const TgAttr *a = tg_attr(r, "output_dtype");
    int n;
    const OxNum *count = ox_nums(r, 1, &n);
    int64_t dims[2];
    wf_tensor cast;

    (void)op;
    if (!count || !ox_ok(r) || wf_rank(r->c, x) != 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs a matrix") : false;
    dims[0] = ox_size(r, count[0]);
    dims[1] = wf_size(r->c, x, 0);
    cast = wf_cast(r->c, x, WF_F32);
    y = wf_key_categorical(r->c, next_key(r), cast, 1, dims, 2, a && tg_dtype(a->type) == WF_I32 ? WF_I32 : WF_I64);
    return ox_put(r, 0, wf_permute(r->c, y, (int[]){1, 0}, 2));
}
