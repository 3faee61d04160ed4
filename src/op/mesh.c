/* mesh.c -- texts of meshes and specs taken apart and put together.
 *
 * mesh.h has the forms. Parsers give NULL, or what is wrong, in words for a message of their caller, who knows which attribute
 * of which op it was. What shard rules compute with is the data (Spec: for each axis of an array the axes of the mesh that divide
 * it, and as bits all that do, since one may divide only one); texts are made of it again when a rule is done.
 */
#include "op/mesh.h"

/* The piece up to one of the ends, and what follows it; NULL at the end of the text. */
static const char *next_piece(const char **text, char end, size_t *length)
{
    const char *s = *text, *to;

    if (!s)
        return NULL;
    to = strchr(s, end);
    *length = to ? (size_t)(to - s) : strlen(s);
    *text = to ? to + 1 : NULL;
    return s;
}

static char *copy_piece(Arena *a, const char *s, size_t n)
{
    char *out = arena_alloc(a, n + 1);

    memcpy(out, s, n);
    out[n] = 0;
    return out;
}

static int find_axis(const Mesh *m, const char *s, size_t n)
{
    for (uint32_t k = 0; k < m->n; k++)
        if (strlen(m->name[k]) == n && !memcmp(m->name[k], s, n))
            return (int)k;
    return -1;
}

const char *mesh_parse(Arena *a, const char *text, Mesh *out)
{
    const char *s;
    size_t n = 0;

    memset(out, 0, sizeof *out);
    out->devices = 1;
    while (*text && (s = next_piece(&text, ',', &n))) {
        const char *colon = memchr(s, ':', n);
        int64_t size = 0;

        if (!colon || colon == s)
            return "an axis of the mesh is not name:size";
        for (const char *d = colon + 1; d < s + n; d++) {
            if (*d < '0' || *d > '9' || size > 1000000)
                return "the size of an axis is no number";
            size = size * 10 + (*d - '0');
        }
        if (size < 1)
            return "the size of an axis is less than 1";
        if (out->n == MESH_AXES)
            return "the mesh has more than 8 axes";
        if (find_axis(out, s, (size_t)(colon - s)) >= 0)
            return "an axis is there twice";
        out->name[out->n] = copy_piece(a, s, (size_t)(colon - s));
        out->size[out->n++] = size;
        out->devices *= size;
        if (out->devices > 1 << 20)
            return "the mesh has more than a million devices";
        if (!text)
            break;
    }
    return NULL;
}

static const char *parse_entry(const Mesh *m, const char *s, size_t n, Spec *out,
                               AxisList *to)
{
    const char *end = s + n;

    to->n = 0;
    if (n == 1 && *s == '-')
        return NULL;
    while (s < end) {
        const char *plus = memchr(s, '+', (size_t)(end - s));
        size_t len = (size_t)((plus ? plus : end) - s);
        int k = find_axis(m, s, len);

        if (k < 0)
            return "an axis is not one of the mesh";
        if (out->used & 1u << k)
            return "an axis of the mesh divides two axes of an array";
        out->used |= 1u << k;
        to->v[to->n++] = (uint8_t)k;
        s += len + (plus != NULL);
    }
    return to->n ? NULL : "an entry is empty";
}

const char *spec_parse(Arena *a, const Mesh *m, const char *text, uint32_t rank,
                       Spec *out)
{
    const char *s, *why;
    size_t n = 0;

    (void)a;
    out->rank = 0;
    out->used = 0;
    while (text && *text && (s = next_piece(&text, ',', &n))) {
        if (out->rank == rank)
            return "it has more entries than the array has axes";
        if ((why = parse_entry(m, s, n, out, &out->dim[out->rank++])))
            return why;
    }
    return out->rank == rank ? NULL : "it has fewer entries than the array has axes";
}

const char **specs_split(Arena *a, const char *text, uint32_t n)
{
    const char **out = arena_array(a, n + 1, sizeof *out), *s;
    uint32_t k = 0;
    size_t length = 0;

    if (n == 0)
        return *text ? NULL : out;
    while ((s = next_piece(&text, ';', &length))) {
        if (k == n)
            return NULL;
        out[k++] = copy_piece(a, s, length);
    }
    return k == n ? out : NULL;
}

const char *specs_join(Arena *a, const char *const *specs, uint32_t n)
{
    Text t;

    text_init(&t, a);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_char(&t, ';');
        text_add(&t, specs[i]);
    }
    return text_str(&t);
}

const char *spec_insert(Arena *a, const char *spec, uint32_t rank, uint32_t at)
{
    Text t;
    const char *s;
    size_t n = 0;

    text_init(&t, a);
    for (uint32_t i = 0; i <= rank; i++) {
        if (i)
            text_char(&t, ',');
        if (i == at)
            text_char(&t, '-');
        else if ((s = next_piece(&spec, ',', &n)))
            text_addn(&t, s, n);
    }
    return text_str(&t);
}

const char *spec_first(Arena *a, const Mesh *m, uint32_t rank)
{
    Text t;

    text_init(&t, a);
    for (uint32_t k = 0; k < m->n; k++)
        text_printf(&t, "%s%s", k ? "+" : "", m->name[k]);
    if (!m->n)
        text_char(&t, '-');
    for (uint32_t i = 1; i < rank; i++)
        text_add(&t, ",-");
    return text_str(&t);
}

uint32_t axes_count(const char *axes)
{
    uint32_t n = *axes != 0;

    for (; *axes; axes++)
        n += *axes == ',';
    return n;
}

bool axes_have(const char *axes, const char *name, size_t length)
{
    const char *s;
    size_t n = 0;

    while ((s = next_piece(&axes, ',', &n)))
        if (n == length && !memcmp(s, name, n))
            return true;
    return false;
}

uint32_t mesh_find(Arena *a, const Mesh *m, const char *axes, AxisList *out,
                   const char **rest)
{
    uint32_t bits = 0;
    const char *s;
    size_t n = 0;
    Text t;

    text_init(&t, a);
    out->n = 0;
    while ((s = next_piece(&axes, ',', &n))) {
        int k = find_axis(m, s, n);

        if (k >= 0) {
            bits |= 1u << k;
            out->v[out->n++] = (uint8_t)k;
        } else {
            if (*text_str(&t))
                text_char(&t, ',');
            text_addn(&t, s, n);
        }
    }
    *rest = *text_str(&t) ? text_str(&t) : NULL;
    return bits;
}

const char *axes_of_bits(Arena *a, const Mesh *m, uint32_t bits)
{
    Text t;
    bool any = false;

    text_init(&t, a);
    for (uint32_t k = 0; k < m->n; k++)
        if (bits & 1u << k) {
            text_printf(&t, "%s%s", any ? "," : "", m->name[k]);
            any = true;
        }
    return text_str(&t);
}

int64_t mesh_count(const Mesh *m, AxisList axes)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < axes.n; i++)
        n *= m->size[axes.v[i]];
    return n;
}

int64_t mesh_coordinate(const Mesh *m, int64_t device, uint32_t axis)
{
    for (uint32_t k = m->n; k-- > axis + 1;)
        device /= m->size[k];
    return device % m->size[axis];
}

int64_t mesh_position(const Mesh *m, int64_t device, AxisList axes)
{
    int64_t p = 0;

    for (uint32_t i = 0; i < axes.n; i++)
        p = p * m->size[axes.v[i]] + mesh_coordinate(m, device, axes.v[i]);
    return p;
}

/* ---- specs as data ---- */

void spec_divide(Spec *s, uint32_t k, AxisList axes)
{
    s->dim[k] = axes;
    for (uint32_t i = 0; i < axes.n; i++)
        s->used |= 1u << axes.v[i];
}

Spec spec_row(const Spec *s)
{
    Spec r = {.rank = s->rank - 1};

    for (uint32_t k = 0; k < r.rank; k++)
        spec_divide(&r, k, s->dim[k + 1]);
    return r;
}

Spec spec_stack(const Spec *s)
{
    Spec r = {.rank = s->rank + 1};

    for (uint32_t k = 0; k < s->rank; k++)
        spec_divide(&r, k + 1, s->dim[k]);
    return r;
}

Spec spec_without(const Spec *s, uint32_t axes)
{
    Spec r = {.rank = s->rank};

    for (uint32_t k = 0; k < s->rank; k++) {
        AxisList left = {0};

        for (uint32_t i = 0; i < s->dim[k].n; i++)
            if (!(axes & 1u << s->dim[k].v[i]))
                left.v[left.n++] = s->dim[k].v[i];
        spec_divide(&r, k, left);
    }
    return r;
}

Spec spec_over(const Spec *outer, const Spec *inner)
{
    Spec r = *outer;

    for (uint32_t k = 0; k < r.rank; k++) {
        AxisList all = outer->dim[k];

        for (uint32_t i = 0; i < inner->dim[k].n; i++)
            all.v[all.n++] = inner->dim[k].v[i];
        spec_divide(&r, k, all);
    }
    return r;
}
