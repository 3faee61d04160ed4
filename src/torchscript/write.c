/* write.c -- programs as a TorchScript archive, which torch.jit.load opens.
 *
 *   code/__torch__/weft.py   a class for each part of the tensors' dotted names; methods of the outermost are the programs
 *   data.pkl, data/0 ..      that object: the tensors by their names, and whether it trains
 *   constants.pkl            constants of more than one value
 *
 *   methods     a program for each `method.NAME`; where there is NAME_train, NAME asks self.training which it is
 *   arguments   and results that are nested: texts `arguments.NAME` and `results.NAME` say how (torch/jit/_form.py)
 *   inputs      are asked for their types and sizes first: a program is of those
 *   sizes       symbolic ones are read off the inputs
 *   updates     of tensors are copied into them at the end
 */
#include "torchscript/code.h"
#include "onnx/onnx.h"
#include "torchfile/torchfile.h"

#include <ctype.h>

typedef struct Part Part;
struct Part { /* of the tree of names */
    const char *name; /* of the attribute */
    int tensor;       /* its number; -1: a module */
    uint32_t number;  /* of a module's class */
    VEC(Part *) parts;
};

typedef struct Archive {
    wf_ctx *cx;
    Arena *a;
    wf_model *m;
    Part root;
    uint32_t nparts;
    const char **path; /* of each tensor: self.fc.weight */
    Text code;
    VEC(const ConstAttr *) constants;
} Archive;

/* ---- the tree of names ---------------------------------------------------------------------------------- */

static Part *find_part(Part *in, const char *name)
{
    for (uint32_t i = 0; i < in->parts.n; i++)
        if (strcmp(in->parts.v[i]->name, name) == 0)
            return in->parts.v[i];
    return NULL;
}

static Part *add_part(Archive *z, Part *in, const char *name, int tensor)
{
    Part *p = arena_zalloc(z->a, sizeof *p);

    while (find_part(in, name) || strcmp(name, "training") == 0 || (in == &z->root && model_get(&z->m->programs, name)))
        name = arena_printf(z->a, "%s_", name);
    p->name = name;
    p->tensor = tensor;
    p->number = tensor < 0 ? ++z->nparts : 0;
    vec_push(z->a, &in->parts, p);
    return p;
}

/* Words of the language: nothing else may be called so. */
static bool is_reserved(const char *s)
{
    static const char *const words[] = {"False",  "None", "True",    "and",      "as",  "assert", "async", "await",  "break", "class", "continue", "def",
                                        "del",    "elif", "else",    "except",   "for", "from",   "if",    "import", "in",    "is",    "finally",  "global",
                                        "lambda", "not",  "nonlocal", "or",      "pass", "raise", "return", "try",   "while", "with",  "yield"};

    for (int i = 0; i < COUNT(words); i++)
        if (strcmp(words[i], s) == 0)
            return true;
    return false;
}

static bool is_word(const char *s)
{
    if (!*s || isdigit((unsigned char)*s) || is_reserved(s))
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            return false;
    return true;
}

static const char *quoted(Arena *a, const char *s)
{
    Text t;

    text_init(&t, a);
    text_quoted(&t, s, strlen(s));
    return text_str(&t);
}

static const char *member(Arena *a, const char *of, const char *name)
{
    return is_word(name) ? arena_printf(a, "%s.%s", of, name) : arena_printf(a, "getattr(%s, %s)", of, quoted(a, name));
}

static void place_tensor(Archive *z, int i)
{
    const char *name = z->m->tensors.v[i].name, *of = "self";
    Part *at = &z->root;

    for (size_t n; (n = strcspn(name, ".")) && name[n] && name[n + 1]; name += n + 1) {
        const char *head = arena_printf(z->a, "%.*s", (int)n, name);
        Part *p = find_part(at, head);

        if (!p || p->tensor >= 0)
            p = add_part(z, at, head, -1);
        of = member(z->a, of, p->name);
        at = p;
    }
    z->path[i] = member(z->a, of, add_part(z, at, name, i)->name);
}

/* A parameter: what has a derivative and is not said to be a buffer. */
static bool is_parameter(const Archive *z, const Part *p)
{
    const char *name = z->m->tensors.v[p->tensor].name, *line;

    if (!dtype_is_inexact(wf_array_dtype(z->m->tensors.v[p->tensor].item)))
        return false;
    for (uint32_t i = 0; (line = model_line(model_get(&z->m->metas, "tree"), "buffer\t", i, z->a)); i++)
        if (strncmp(line, name, strlen(name)) == 0 && strchr("\t", line[strlen(name)]))
            return false;
    return true;
}

static void list_names(Archive *z, const Part *of, const char *list, bool parameters)
{
    text_printf(&z->code, "  %s = [", list);
    for (uint32_t i = 0; i < of->parts.n; i++)
        if (of->parts.v[i]->tensor >= 0 && is_parameter(z, of->parts.v[i]) == parameters)
            text_printf(&z->code, "%s, ", quoted(z->a, of->parts.v[i]->name));
    text_add(&z->code, "]\n");
}

static const char *class_name(Archive *z, const Part *p) { return p->number ? arena_printf(z->a, "Part%u", p->number) : "Model"; }

static void put_class(Archive *z, const Part *of)
{
    text_printf(&z->code, "class %s(Module):\n", class_name(z, of));
    list_names(z, of, "__parameters__", true);
    list_names(z, of, "__buffers__", false);
    for (uint32_t i = 0; i < of->parts.n; i++) {
        const Part *p = of->parts.v[i];
        const char *type = p->tensor >= 0 ? "Tensor" : arena_printf(z->a, "__torch__.weft.%s", class_name(z, p));

        if (is_word(p->name))
            text_printf(&z->code, "  %s : %s\n", p->name, type);
        else
            text_printf(&z->code, "  __annotations__[%s] = %s\n", quoted(z->a, p->name), type);
    }
    text_add(&z->code, "  training : bool\n");
}

/* ---- methods ----------------------------------------------------------------------------------------------- */

/* A name that source may have, that no local of it has. */
static const char *plain_name(Archive *z, const char *name, uint32_t i)
{
    char *s = arena_printf(z->a, "%s", name);

    for (char *p = s; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    if (!is_word(s) || *s == '_' || strcmp(s, "self") == 0 || strcmp(s, "torch") == 0 || strcmp(s, "ops") == 0)
        s = arena_printf(z->a, "x%u_%s", i, s);
    return s;
}

/* Does input v have a size that is not what its type says? An expression, or NULL: none can. The first axis that has a symbol gives
 * that its size: it is noted in bound, and not asked. */
static const char *other_sizes(TsCode *c, Val v, bool *bound)
{
    Type t = val_type(c->p, v);
    const char *any = NULL;

    for (uint32_t k = 0; k < t.rank; k++) {
        const DimNode *n = t.dims[k] < 0 ? dim_node(&c->p->dims, t.dims[k]) : NULL;
        const char *differs;

        if (n && n->kind == DIM_SYM && !bound[n->sym]) {
            bound[n->sym] = true;
            continue;
        }
        differs = ts_str(c, "torch.ne(torch.size(%s, %u), %s)", c->val[v], k, ts_dim(c, t.dims[k]));
        any = any ? ts_str(c, "torch.__or__(%s, %s)", any, differs) : differs;
    }
    return any;
}

/* Inputs of the wrong type or size say what is needed; the first nstate are the model's own tensors. */
static void check_inputs(TsCode *c, uint32_t nstate)
{
    bool *bound = arena_zalloc(c->a, (c->p->dims.syms.n + 1) * sizeof *bound);

    for (uint32_t i = 0; i < c->p->nin; i++) {
        Val v = program_in(c->p, i);
        Type t = val_type(c->p, v);
        const char *name = c->val[v], *differ = name ? other_sizes(c, v, bound) : NULL, *raise;
        Text need;

        if (i < nstate)
            continue;
        text_init(&need, c->a);
        text_printf(&need, "%s: %s[", name, wf_dtype_name((wf_dtype)t.dtype));
        for (uint32_t k = 0; k < t.rank; k++)
            text_printf(&need, "%s%s", k ? "," : "", dim_str(&c->p->dims, t.dims[k], c->a));
        text_add(&need, "] is needed");
        raise = ts_str(c, "  ops.prim.RaiseException(%s)", quoted(c->a, text_str(&need)));
        ts_line(c, "if torch.__or__(torch.ne(torch.dim(%s), %u), torch.ne(ops.prim.dtype(%s), %d)):", name, t.rank, name,
               ts_dtype((wf_dtype)t.dtype));
        ts_line(c, "%s", raise);
        if (differ) {
            ts_line(c, "if %s:", differ);
            ts_line(c, "%s", raise);
        }
    }
}

static int tensor_of(const Archive *z, const char *name)
{
    for (uint32_t i = 0; i < z->m->tensors.n; i++)
        if (strcmp(z->m->tensors.v[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Word i of a list with commas. */
static const char *nth_word(Archive *z, const char *s, uint32_t i)
{
    for (; i > 0; i--)
        s += strcspn(s, " ") + 1;
    return arena_printf(z->a, "%.*s", (int)strcspn(s, ","), s);
}

static const char *text_of(const Archive *z, const char *what, const char *name)
{
    return model_get(&z->m->metas, arena_printf(z->a, "%s.%s", what, name));
}

/* Field k of a line whose fields are divided by tabs; NULL: it has no more. */
static const char *field(Archive *z, const char *line, uint32_t k)
{
    for (; k > 0 && line; k--)
        line = strchr(line, '\t') ? strchr(line, '\t') + 1 : NULL;
    return line ? arena_printf(z->a, "%.*s", (int)strcspn(line, "\t"), line) : NULL;
}

/* The parameters with their types, and as a call hands them on: by the text `arguments`, else one for each input. */
static void put_params(Archive *z, const Program *p, uint32_t nstate, Text *params, Text *args)
{
    const char *lines = text_of(z, "arguments", p->name), *line;

    for (uint32_t i = 0; lines && (line = model_line(lines, "", i, z->a)); i++) {
        const char *head = field(z, line, 0);

        text_printf(params, ",\n    %s", head);
        text_printf(args, "%s%.*s", i ? ", " : "", (int)strcspn(head, ":"), head);
    }
    for (uint32_t i = nstate; !lines && i < p->nin; i++) {
        const char *name = plain_name(z, wf_program_input_name(p, (int)i), i - nstate);

        for (uint32_t k = nstate; k < i; k++)
            if (strcmp(name, plain_name(z, wf_program_input_name(p, (int)k), k - nstate)) == 0)
                name = arena_printf(z->a, "x%u_%s", i - nstate, name);
        text_printf(params, ",\n    %s: Tensor", name);
        text_printf(args, "%s%s", i > nstate ? ", " : "", name);
    }
}

/* The head of the method, and its inputs. */
static bool put_head(Archive *z, TsCode *c, const char *name, const Program *given, uint32_t nstate)
{
    const char *lines = text_of(z, "arguments", given->name), *line, *f;
    uint32_t n = nstate;
    Text params, args;

    text_init(&params, z->a);
    text_init(&args, z->a);
    put_params(z, given, nstate, &params, &args);
    text_printf(&c->text, "  def %s(self: __torch__.weft.Model%s)%s:\n", name, text_str(&params),
                c->p->nout == 1 && !text_of(z, "results", given->name) ? " -> Tensor" : "");
    for (uint32_t i = 0; lines && (line = model_line(lines, "", i, z->a)); i++)
        for (uint32_t k = 1; (f = field(z, line, k)); k++)
            if (*f == '?') {
                ts_line(c, "if torch.__not__(%s):", f + 1);
                ts_line(c, "  ops.prim.RaiseException(%s)", quoted(z->a, arena_printf(z->a, "%s: %s is needed", name, f + 1)));
            } else if (n < c->p->nin) {
                c->val[program_in(c->p, n++)] = is_word(f) ? f : ts_let(c, "%s", f);
            } else {
                n = UINT32_MAX - 1;
            }
    for (uint32_t i = 0; !lines && n < c->p->nin; i++, n++)
        c->val[program_in(c->p, n)] = nth_word(z, text_str(&args), i);
    return n == c->p->nin || fail(z->cx, WF_ERR_FORMAT, NOWHERE, "TorchScript: the arguments of %s are not those of its program", name);
}

/* Does an equation read it, or is it a result? */
static bool is_read(const Program *p, Val v)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; k < p->eqns[i].nin; k++)
            if (eqn_in(p, &p->eqns[i])[k] == v)
                return true;
    for (uint32_t i = 0; i < p->nout; i++)
        if (p->outs[i] == v)
            return true;
    return false;
}

/* The state that the program reads, and which of it the last results change. */
static bool bind_state(Archive *z, TsCode *c, const char *method, uint32_t nstate)
{
    for (uint32_t i = 0; i < nstate; i++) {
        const char *name = model_line(method, "state ", i, z->a), *update;
        int at = tensor_of(z, name);
        bool changed = false;

        if (at < 0)
            return fail(z->cx, WF_ERR_NAME, NOWHERE, "TorchScript: the tensor %s is missing", name);
        for (uint32_t k = 0; (update = model_line(method, "update ", k, z->a)); k++)
            changed = changed || strcmp(update, name) == 0;
        if (is_read(c->p, program_in(c->p, i)))
            c->val[program_in(c->p, i)] = ts_let(c, changed ? "torch.clone(%s)" : "%s", z->path[at]);
    }
    return true;
}

static bool put_results(Archive *z, TsCode *c, const char *method, const char *form)
{
    const Program *p = c->p;
    uint32_t nupdate = 0, n = 0;
    Text t;

    while (model_line(method, "update ", nupdate, z->a))
        nupdate++;
    if (nupdate > p->nout)
        return fail(z->cx, WF_ERR_FORMAT, NOWHERE, "TorchScript: more tensors are changed than there are results");
    for (uint32_t i = 0; i < p->nout; i++)
        if (!c->val[p->outs[i]])
            return fail(z->cx, WF_ERR_UNSUPPORTED, NOWHERE, "TorchScript: a result cannot be written");
    for (uint32_t i = p->nout - nupdate, k = 0; i < p->nout; i++, k++) {
        int at = tensor_of(z, model_line(method, "update ", k, z->a));

        if (at < 0)
            return fail(z->cx, WF_ERR_NAME, NOWHERE, "TorchScript: a tensor that is changed is missing");
        ts_let(c, "torch.copy_(torch.detach(%s), torch.detach(%s))", z->path[at], c->val[p->outs[i]]);
    }
    text_init(&t, z->a);
    for (const char *f = form; f && *f; f++)
        if (*f != '%')
            text_char(&t, *f);
        else if (n < p->nout - nupdate)
            text_add(&t, c->val[p->outs[n++]]);
    for (; !form && n < p->nout - nupdate; n++)
        text_printf(&t, "%s%s", n ? ", " : "", c->val[p->outs[n]]);
    if (form && n != p->nout - nupdate)
        return fail(z->cx, WF_ERR_FORMAT, NOWHERE, "TorchScript: the form of the results is not that of the program's");
    ts_line(c, form || n == 1 ? "return %s" : n ? "return (%s)" : "return None", text_str(&t));
    return true;
}

/* What torch has that ONNX has not. */
static bool torch_has(unsigned op)
{
    switch (op) {
    case OP_complex:
    case OP_cast: /* arithmetic of narrow integers, and bf16 */
    case OP_log1p:
    case OP_expm1:
    case OP_erfc:
    case OP_erf_inv:
    case OP_atan2:
    case OP_lgamma:
    case OP_digamma:
    case OP_cumprod:
    case OP_cumlogsumexp:
    case OP_dynamic_update_slice: return true;
    default: return false;
    }
}

static bool put_method(Archive *z, const char *name, const Program *given)
{
    TsCode c = {.cx = z->cx, .a = z->a, .p = onnx_lower(z->cx, given, torch_has), .depth = 2};
    const char *method = text_of(z, "method", given->name), *device = NULL;
    uint32_t nstate = 0;

    if (!c.p)
        return false;
    c.root = &c;
    c.constants.v = z->constants.v;
    c.constants.n = z->constants.n;
    c.constants.cap = z->constants.cap;
    text_init(&c.text, z->a);
    c.val = arena_zalloc(z->a, (c.p->nvals + 1) * sizeof *c.val);
    while (model_line(method, "state ", nstate, z->a))
        nstate++;
    if (nstate > c.p->nin)
        return fail(z->cx, WF_ERR_FORMAT, NOWHERE, "TorchScript: %s has more tensors than inputs", name);
    if (!put_head(z, &c, name, given, nstate) || !bind_state(z, &c, method, nstate))
        return false;
    for (uint32_t i = c.p->nin; i-- > 0 && (!device || i >= nstate);)
        device = c.val[program_in(c.p, i)] ? c.val[program_in(c.p, i)] : device;
    ts_line(&c, device ? "_dev = ops.prim.device(%s)" : "_dev = torch.device(\"cpu\")", device);
    if (!ts_bind(&c, c.p))
        return false;
    check_inputs(&c, nstate);
    if (!ts_equations(&c) || !put_results(z, &c, method, text_of(z, "results", given->name)))
        return false;
    z->constants.v = c.constants.v;
    z->constants.n = c.constants.n;
    z->constants.cap = c.constants.cap;
    text_addn(&z->code, c.text.s, c.text.n);
    return !failed(z->cx);
}

/* The method `as` asks which of the two forms it is. */
static void put_choice(Archive *z, const char *as, const char *name, const Program *p)
{
    uint32_t nstate = 0;
    Text params, args;

    while (model_line(text_of(z, "method", name), "state ", nstate, z->a))
        nstate++;
    text_init(&params, z->a);
    text_init(&args, z->a);
    put_params(z, p, nstate, &params, &args);
    text_printf(&z->code, "  def %s(self: __torch__.weft.Model%s):\n    if self.training:\n", as, text_str(&params));
    text_printf(&z->code, "      r = self.%s_train(%s)\n    else:\n", name, text_str(&args));
    text_printf(&z->code, "      r = self.%s_eval(%s)\n    return r\n", name, text_str(&args));
}

/* Is it one whose program this is, and not the form for training of another? */
static bool is_method(const Archive *z, const char *name)
{
    size_t n = strlen(name);

    if (n > 6 && strcmp(name + n - 6, "_train") == 0 && model_get(&z->m->programs, arena_printf(z->a, "%.*s", (int)(n - 6), name)))
        return false;
    return text_of(z, "method", name) != NULL;
}

/* A model of one method has it as forward; programs that are no model's are all methods, the main one forward. */
static bool put_methods(Archive *z)
{
    const NameTable *all = &z->m->programs;
    const Program *main = model_get(&z->m->programs, "forward") ? NULL : model_main(z->m);
    uint32_t n = 0;

    for (uint32_t i = 0; i < all->n; i++)
        n += is_method(z, all->v[i].name);
    for (uint32_t i = 0; i < all->n; i++) {
        const char *name = all->v[i].name, *as = is_word(name) ? name : arena_printf(z->a, "%s_", name);
        const Program *train = n ? model_get(&z->m->programs, arena_printf(z->a, "%s_train", name)) : NULL;

        if (n && !is_method(z, name))
            continue;
        if (n == 1 || (!n && all->v[i].item == main))
            as = "forward";
        if (train)
            put_choice(z, as, name, all->v[i].item);
        if (!put_method(z, train ? arena_printf(z->a, "%s_eval", name) : as, all->v[i].item) ||
            (train && !put_method(z, arena_printf(z->a, "%s_train", name), train)))
            return false;
    }
    return true;
}

/* ---- the archive ------------------------------------------------------------------------------------------- */

static void put_object(Archive *z, Text *t, const Part *of, wf_array **host)
{
    text_printf(t, "c__torch__.weft\n%s\n)\x81}(", class_name(z, of));
    for (uint32_t i = 0; i < of->parts.n; i++) {
        const Part *p = of->parts.v[i];

        tf_put_text(t, p->name);
        if (p->tensor >= 0)
            tf_put_tensor(t, host[p->tensor], (uint32_t)p->tensor, is_parameter(z, p));
        else
            put_object(z, t, p, host);
    }
    tf_put_text(t, "training");
    text_add(t, "\x89ub");
}

static wf_array *held(wf_ctx *cx, wf_array *a, bool of_model)
{
    wf_array *host = NULL;

    if (of_model ? wf_array_contiguous(cx, a, &host) != WF_OK : !(host = a))
        return NULL;
    array_held(cx, host);
    if (wf_array_dtype(host) == WF_U16 || wf_array_dtype(host) == WF_U32 || wf_array_dtype(host) == WF_U64) {
        fail(cx, WF_ERR_UNSUPPORTED, NOWHERE, "TorchScript: tensors of %s cannot be in its archives", wf_dtype_name(wf_array_dtype(host)));
        return NULL;
    }
    return host;
}

static bool put_storages(ZipWriter *zip, Arena *a, const char *folder, wf_array *const *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!zip_put(zip, arena_printf(a, "model/%s/%u", folder, i), wf_array_data(v[i]),
                     (size_t)wf_array_count(v[i]) * wf_dtype_size(wf_array_dtype(v[i]))))
            return false;
    return true;
}

static void put_archive(Archive *z, const char *path)
{
    ZipWriter zip = {.cx = z->cx, .put = tf_put_file};
    uint32_t n = z->m->tensors.n, nc = z->constants.n;
    wf_array **host = arena_zalloc(z->a, (n + nc + 1) * sizeof *host);
    Text data, constants;

    for (uint32_t i = 0; i < n; i++)
        if (!(host[i] = held(z->cx, z->m->tensors.v[i].item, true)))
            return;
    text_init(&constants, z->a);
    text_add(&constants, "\x80\x02(");
    for (uint32_t i = 0; i < nc; i++) {
        const ConstAttr *c = z->constants.v[i];
        wf_array *a = NULL;

        if (wf_array_from(z->cx, (wf_dtype)c->type.dtype, c->type.dims, c->type.rank, c->data->data, &a) || !(host[n + i] = held(z->cx, a, false)))
            return;
        tf_put_tensor(&constants, host[n + i], i, false);
    }
    text_add(&constants, "t.");
    text_init(&data, z->a);
    text_add(&data, "\x80\x02");
    put_object(z, &data, &z->root, host);
    text_char(&data, '.');
    if (!failed(z->cx) && (zip.user = writer_open(z->cx, path)) && zip_put(&zip, "model/data.pkl", data.s, data.n) &&
        zip_put(&zip, "model/byteorder", "little", 6) && zip_put(&zip, "model/code/__torch__/weft.py", z->code.s, z->code.n) &&
        put_storages(&zip, z->a, "data", host, n) && zip_put(&zip, "model/constants.pkl", constants.s, constants.n) &&
        put_storages(&zip, z->a, "constants", host + n, nc) && zip_put(&zip, "model/version", "10\n", 3) && zip_end(&zip))
        writer_commit(zip.user);
}

static void put_classes(Archive *z, const Part *of)
{
    for (uint32_t i = 0; i < of->parts.n; i++)
        if (of->parts.v[i]->tensor < 0) {
            put_classes(z, of->parts.v[i]);
            put_class(z, of->parts.v[i]);
        }
}

/* Classes of parts first, then that of the model with its methods. */
static void put_code(Archive *z)
{
    Text methods;

    text_init(&z->code, z->a);
    for (uint32_t i = 0; i < z->m->tensors.n; i++)
        place_tensor(z, (int)i);
    if (!put_methods(z))
        return;
    methods = z->code;
    text_init(&z->code, z->a);
    put_classes(z, &z->root);
    put_class(z, &z->root);
    text_addn(&z->code, methods.s, methods.n);
}

static wf_status write_file(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    Archive z = {.cx = cx, .a = &cx->scratch, .m = m, .root.tensor = -1};

    z.path = arena_zalloc(z.a, (m->tensors.n + 1) * sizeof *z.path);
    if (!m->programs.n)
        fail(cx, WF_ERR_VALUE, in_file(path), "the model has no program");
    else
        put_code(&z);
    if (!failed(cx))
        put_archive(&z, path);
    API_RETURN(cx);
}

bool ts_write(wf_ctx *cx, wf_model *m, const char *path) { return write_file(cx, m, path) == WF_OK; }

static bool refuse_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    (void)blob, (void)given, (void)m;
    return fail(cx, WF_ERR_FORMAT, in_file(file), "not a TorchScript archive");
}

const Format ts_format = {"TorchScript", ".ts .torchscript", NULL, refuse_read, ts_write};
