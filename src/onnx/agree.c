/* agree.c -- sizes of which only a run can say that they are equal, where tensors must agree in them.
 *
 * Symbols of inputs that must be equal become one (tensor/hint.c). What an equation finds stays as it is, and so does what is
 * computed of sizes (H, and twice the half of H: where a network goes down and up again): the tensor is cut to
 * the size of the other, and the program asserts that nothing was cut. A size that is 1 in some run is not stretched.
 */
#include "functions/functions.h"
#include "onnx/ops.h"

/* Can it not be said that a is b? Two numbers the rule refuses; 1 is stretched. */
static bool differs(OxRun *r, int64_t a, int64_t b)
{
    return ox_ok(r) && a != b && a != 1 && b != 1 && (a < 0 || b < 0) && !size_same(r->c, a, b);
}

static wf_tensor cut(OxRun *r, wf_tensor x, int axis, int64_t size)
{
    wf_tensor has = ox_num_tensor(r, ox_num_size(wf_size(r->c, x, axis))), wants = ox_num_tensor(r, ox_num_size(size));

    wf_assert(r->c, wf_eq(r->c, has, wants), "sizes {} and {} differ", (wf_tensor[]){has, wants}, 2);
    return wf_narrow(r->c, x, axis, 0, size);
}

static void agree(OxRun *r, wf_tensor *x, int i, wf_tensor *y, int k)
{
    int64_t a = wf_size(r->c, *x, i), b = wf_size(r->c, *y, k);

    if (!differs(r, a, b))
        return;
    if (size_is_found(r->c, b))
        *y = cut(r, *y, k, a);
    else
        *x = cut(r, *x, i, b);
}

void ox_agree(OxRun *r, wf_tensor *v, size_t n, int skip)
{
    for (size_t j = 1; j < 2 * n - 1 && ox_ok(r); j++) { /* twice: the first may have been cut to a later one */
        size_t k = j < n ? j : j - n + 1;
        int rx = wf_rank(r->c, v[0]), ry = wf_rank(r->c, v[k]);

        for (int i = 1; i <= MIN(rx, ry); i++)
            if (i != skip)
                agree(r, &v[0], rx - i, &v[k], ry - i);
    }
}

/* spec: the letters of each operand's axes, up to "->" */
void ox_agree_labels(OxRun *r, const char *spec, wf_tensor *v, size_t n)
{
    struct {
        size_t k;
        int axis;
    } seen[128] = {0};
    const char *begin = spec;
    size_t k = 0;

    if (strchr(spec, '.'))
        return;
    for (; *spec && *spec != '-' && k < n && ox_ok(r); spec++) {
        int at = (int)(spec - begin), letter = *spec & 127;

        if (*spec == ',') {
            begin = spec + 1;
            k++;
        } else if (at >= wf_rank(r->c, v[k])) {
            return;
        } else if (seen[letter].k) {
            agree(r, &v[seen[letter].k - 1], seen[letter].axis, &v[k], at);
        } else {
            seen[letter].k = k + 1, seen[letter].axis = at;
        }
    }
}

void ox_agree_product(OxRun *r, wf_tensor *x, wf_tensor *y)
{
    int rx = ox_ok(r) ? wf_rank(r->c, *x) : 0, ry = ox_ok(r) ? wf_rank(r->c, *y) : 0;

    if (rx < 1 || ry < 1)
        return;
    agree(r, x, rx - 1, y, MAX(ry - 2, 0));
    for (int i = 3; i <= MIN(rx, ry); i++)
        agree(r, x, rx - i, y, ry - i);
}
