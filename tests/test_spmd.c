/* test_spmd.c -- spmd on the local engine: devices as threads of this process. That its
 * results are those of the evaluator is checked with all other ops (tests/ops/control.wir);
 * here: mistakes, faults, order, and random programs against vmap. SPMD_LAWS=n and SPMD_SEED=s in the environment choose
 * how many random programs are taken, and from where.
 */
#include "lib_random.h"
#include "op/mesh.h"
#include "op/op.h"
#include "weft.h"

#include <stdlib.h>
#include <string.h>

static uint64_t env_number(const char *name, uint64_t standard)
{
    const char *s = getenv(name);

    return s && *s ? strtoull(s, NULL, 10) : standard;
}

static bool run_on(wf_ctx *cx, const Program *p, const Nd *in, wf_array **out)
{
    wf_array *a[8] = {0};
    bool ok;

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, in[i].dtype, in[i].dims, (int)in[i].rank, in[i].data, &a[i]);
    ok = wf_eval(cx, p, a, (int)p->nin, out, (int)p->nout) == WF_OK;
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(a[i]);
    return ok;
}

static void refuse(wf_ctx *cx, const char *text, wf_status status, const char *says)
{
    const Program *p = parse_lines(cx, text);
    Nd x = nd_f64s(cx, (double[]){1, 2, 3, 4}, 4);
    wf_array *out[2] = {0};

    if (p)
        run_on(cx, p, &x, out);
    check_error(cx, status, says);
}

XTEST(mistakes_in_layouts_say_what_is_wrong)
{
    static const struct {
        const char *eqn, *says;
        wf_status status;
    } cases[] = {
        {"spmd x body=f mesh=\"i:3\" in=\"i\" out=\"i\"",
         "spmd: operand 0 is f64[4], but axis 0 is divided by 3 devices", WF_ERR_SHAPE},
        {"spmd x body=f mesh=\"i\" in=\"i\" out=\"i\"", "is not name:size", WF_ERR_VALUE},
        {"spmd x body=f mesh=\"i:0\" in=\"i\" out=\"i\"", "is less than 1", WF_ERR_VALUE},
        {"spmd x body=f mesh=\"i:2,i:2\" in=\"i\" out=\"i\"", "is there twice", WF_ERR_VALUE},
        {"spmd x body=f mesh=\"i:2\" in=\"j\" out=\"i\"", "in=\"j\": an axis is not one of the mesh",
         WF_ERR_VALUE},
        {"spmd x body=f mesh=\"i:2\" in=\"i,-\" out=\"i\"", "more entries than the array has axes",
         WF_ERR_VALUE},
        {"spmd x body=f mesh=\"i:2\" in=\"i\" out=\"\"", "fewer entries than the array has axes",
         WF_ERR_VALUE},
        {"spmd x body=f mesh=\"i:2\" in=\"i+i\" out=\"i\"", "divides two axes", WF_ERR_VALUE},
    };

    for (int k = 0; k < COUNT(cases); k++)
        refuse(cx,
               arena_printf(&cx->scratch, "f(x: f64[2]) { ret x }\nmain(x: f64[4]) { y = %s; ret y }",
                            cases[k].eqn),
               cases[k].status, cases[k].says);
}

XTEST(devices_that_go_different_ways_do_not_wait_for_ever)
{
    refuse(cx,
           "a(x: f64[1]) { y = psum x axis=\"i\"; ret y }\n"
           "b(x: f64[1]) { ret x }\n"
           "f(x: f64[1]) { k = axis_index axis=\"i\"; y = cond k x branches=[a,b]; ret y }\n"
           "main(x: f64[4]) { y = spmd x body=f mesh=\"i:4\" in=\"i\" out=\"i\"; ret y }",
           WF_ERR_VALUE, "psum: device 0 waits for device 1, which has ended without it");
    refuse(cx,
           "a(x: f64[1]) { y = psum x axis=\"i\"; ret y }\n"
           "b(x: f64[1]) { y = pmax x axis=\"i\"; ret y }\n"
           "f(x: f64[1]) { k = axis_index axis=\"i\"; y = cond k x branches=[a,b]; ret y }\n"
           "main(x: f64[4]) { y = spmd x body=f mesh=\"i:4\" in=\"i\" out=\"i\"; ret y }",
           WF_ERR_VALUE, "of 1 of f64");
}

XTEST(the_error_of_a_device_is_that_of_the_run)
{
    refuse(cx,
           "f(x: f64[1]) { t = const f64[1] 3; o = ne x t; s = reshape o []; assert s x message=\"saw {}\";"
           " y = psum x axis=\"i\"; ret y }\n"
           "main(x: f64[4]) { y = spmd x body=f mesh=\"i:4\" in=\"i\" out=\"i\"; ret y }",
           WF_ERR_ASSERT, "saw [3]");
}

static char lines[256];
static void take_line(void *user, const char *text)
{
    (void)user;
    strncat(lines, text, sizeof lines - strlen(lines) - 2);
    strcat(lines, "|");
}

XTEST(what_devices_print_comes_in_their_order)
{
    const Program *p = parse_lines(
        cx, "f(x: f64[1]) { print x format=\"a {}\"; y = psum x axis=\"i\"; print y format=\"b {}\"; ret y }\n"
            "main(x: f64[4]) { y = spmd x body=f mesh=\"i:4\" in=\"i\" out=\"i\"; ret y }");
    Nd x = nd_f64s(cx, (double[]){1, 2, 3, 4}, 4);

    cx->print_line = take_line;
    REQUIRE(is_valid(cx, p));
    for (int k = 0; k < 20; k++) {
        wf_array *out = NULL;

        lines[0] = 0;
        REQUIRE(run_on(cx, p, &x, &out));
        wf_array_release(out);
        CHECK_STR(lines, "a [1]|b [10]|a [2]|b [10]|a [3]|b [10]|a [4]|b [10]|");
    }
}

/* A random program that speaks over "i", of which the devices of a mesh have a row each: the
 * engine gives what vmap gives, and so for its gradient. */
static const Program *on_devices(wf_ctx *cx, const Program *p)
{
    Builder *b = builder_new(cx, "rows", B_OPTIMISE), *m = builder_new(cx, "main", B_OPTIMISE);
    Val in[16], out[16], v[16];
    char ins[512] = "", outs[512] = "";
    SpmdAttr a = {.mesh = "i:2", .in = ins, .out = outs};
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = copier_type(&c, val_type(p, program_in(p, i)));
        Dim dims[MAX_RANK + 1] = {1};

        memcpy(dims + 1, t.dims, t.rank * sizeof(Dim));
        in[i] = b_input(b, NULL, b_make_type(b, (wf_dtype)t.dtype, dims, t.rank + 1u));
        c.val[program_in(p, i)] = b_squeeze(b, in[i], 0);
        dims[0] = 2;
        v[i] = b_input(m, NULL, b_make_type(m, (wf_dtype)t.dtype, dims, t.rank + 1u));
        strcat(strcat(ins, i ? ";" : ""), "i");
        for (uint32_t k = 0; k < t.rank; k++)
            strcat(ins, ",-");
    }
    for (uint32_t i = 0; i < p->neqns; i++)
        copier_eqn(&c, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout; j++) {
        out[j] = b_expand(b, c.val[p->outs[j]], 0);
        strcat(strcat(outs, j ? ";" : ""), "i");
        for (uint32_t k = 1; k < b_rank(b, out[j]); k++)
            strcat(outs, ",-");
    }
    a.body.p = builder_finish(b, out, p->nout);
    if (!a.body.p)
        return NULL;
    b_eqn(m, OP_spmd, v, p->nin, &a, out, p->nout);
    return builder_finish(m, out, p->nout);
}

static bool near(wf_ctx *cx, const Program *p, const Program *q, const Nd *in, double tolerance)
{
    wf_array *a[16] = {0}, *b[16] = {0};
    bool ok = run_on(cx, p, in, a) && run_on(cx, q, in, b);

    for (uint32_t j = 0; j < p->nout && ok; j++) {
        Nd x = {wf_array_dtype(a[j]), (uint32_t)wf_array_rank(a[j]), wf_array_dims(a[j]),
                wf_array_count(a[j]), NULL}, y = x;

        x.data = (void *)(uintptr_t)wf_array_data(a[j]);
        y.data = (void *)(uintptr_t)wf_array_data(b[j]);
        ok = !nd_differ(cx, &x, &y, tolerance);
    }
    for (uint32_t j = 0; j < p->nout; j++) {
        wf_array_release(a[j]);
        wf_array_release(b[j]);
    }
    return ok;
}

XTEST(random_programs_on_devices_are_their_rows)
{
    const uint64_t first = env_number("SPMD_SEED", 1), end = first + env_number("SPMD_LAWS", 59);
    int done = 0;

    for (uint64_t seed = first; seed < end; seed++) {
        Region inner;
        const Program *p, *v, *s;
        int axes[16] = {0}, wrt[1] = {0};

        api_enter_(cx, &inner);
        p = random_program(cx, &(Rng){seed}, 12, RANDOM_SPEAKS);
        if (p && p->nin <= 8 && p->nout <= 8 && !p->dims.syms.n &&
            dtype_is_float((wf_dtype)val_type(p, 1).dtype)) {
            v = xf_vmap(cx, p, axes, "i", 2, NULL);
            s = on_devices(cx, p);
            for (int k = 0; k < 2 && v && s && !failed(cx); k++) {
                Case c = case_of(cx, v, seed);
                Rng rng = {seed};

                if (!near(cx, s, v, case_inputs(cx, &c, &rng), 1e-9))
                    FAIL("seed %d, %s: %s", (int)seed, k ? "vjp" : "value", wf_ctx_message(cx));
                v = k ? v : xf_vjp(cx, v, wrt, 1);
                s = k ? s : xf_vjp(cx, s, wrt, 1);
                done++;
            }
        }
        if (failed(cx))
            FAIL("seed %d: %s", (int)seed, wf_ctx_message(cx));
        wf_clear(cx);
        api_leave(cx, &inner);
    }
    CHECK(end - first < 50 || (uint64_t)done > (end - first) * 2 / 3);
}

/* A mesh of one to three axes, at most eight devices. */
static const char *random_mesh(wf_ctx *cx, Rng *rng)
{
    static const char *const meshes[] = {"a:2", "a:4", "a:2,b:2", "a:2,b:3", "a:2,b:2,c:2", "a:3", "a:1,b:2", "a:8"};

    return arena_strdup(&cx->scratch, meshes[rng_int(rng, 0, COUNT(meshes) - 1)]);
}

/* Axes of the mesh for axes of inputs, wherever they come out even. */
static const char *random_specs(wf_ctx *cx, Rng *rng, const Mesh *m, const Program *p)
{
    Text t;

    text_init(&t, &cx->scratch);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type x = val_type(p, program_in(p, i));
        uint32_t used = 0;

        text_add(&t, i ? ";" : "");
        for (uint32_t k = 0; k < x.rank; k++) {
            int64_t n = 1;
            bool some = false;

            text_add(&t, k ? "," : "");
            for (int tries = 0; tries < 3; tries++) {
                uint32_t a = (uint32_t)rng_int(rng, 0, (int64_t)m->n - 1);

                if (used & 1u << a || !x.dims[k] || x.dims[k] % (n * m->size[a]) || rng_int(rng, 0, 2) == 0)
                    continue;
                used |= 1u << a;
                n *= m->size[a];
                text_printf(&t, "%s%s", some ? "+" : "", m->name[a]);
                some = true;
            }
            text_add(&t, some ? "" : "-");
        }
    }
    return text_str(&t);
}

/* What a program of these is refused for. */
static bool finds_sizes(wf_ctx *cx)
{
    bool yes = cx->status == WF_ERR_NORULE && strstr(wf_ctx_message(cx), "when it runs");

    if (yes)
        wf_clear(cx);
    return yes;
}

/* Parts in half floats are rounded where they are divided. */
static bool has_half(const Program *p)
{
    for (Val v = 1; v < p->nvals; v++)
        if (val_type(p, v).dtype == WF_F16 || val_type(p, v).dtype == WF_BF16)
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (has_half(p->subs[i]))
            return true;
    return false;
}

/* Sizes that meshes divide: N and every constant size stay what they are, N is 12. */
XTEST(programs_spread_over_a_mesh_are_what_they_were)
{
    const uint64_t first = env_number("SPMD_SEED", 1), end = first + env_number("SPMD_LAWS", 159);
    int done = 0, divided = 0;

    for (uint64_t seed = first; seed < end; seed++) {
        Region inner;
        const Program *p, *s, *g, *v;
        int wrt[1] = {0}, axes[16] = {0};
        Rng rng = {seed};
        double tolerance = seed % 2 ? 1e-9 : 1e-5; /* nets have parts in f32 */
        Mesh m;

        api_enter_(cx, &inner);
        p = seed % 2 ? random_program(cx, &rng, 14, RANDOM_PLAIN) : random_net(cx, &rng, WF_F64, 5);
        if (p && p->dims.syms.n)
            p = program_specialise(cx, p, (const char *const[]){"N"}, (const int64_t[]){12}, 1);
        if (!p)
            wf_clear(cx); /* not for these sizes */
        if (p && has_half(p))
            tolerance = 0.05;
        if (p && p->nin <= 8 && p->nout <= 8 && !p->dims.syms.n && dtype_is_float((wf_dtype)val_type(p, 1).dtype)) {
            const char *mesh = random_mesh(cx, &rng), *specs;
            Case c;

            mesh_parse(&cx->scratch, mesh, &m);
            specs = random_specs(cx, &rng, &m, p);
            s = xf_spread(cx, p, mesh, specs, NULL);
            if (finds_sizes(cx))
                goto next;
            c = case_of(cx, p, seed);
            if (!s || !near(cx, s, p, case_inputs(cx, &c, &(Rng){seed}), tolerance))
                FAIL("seed %d, %s, %s: %s", (int)seed, mesh, specs, wf_ctx_message(cx));
            divided += strpbrk(specs, "abc") != NULL;
            done++;
            /* rows of it: vmap of what is spread */
            if ((v = xf_vmap(cx, p, axes, NULL, 2, NULL)) && (s = xf_vmap(cx, s, axes, NULL, 2, NULL))) {
                c = case_of(cx, v, seed);
                if (!near(cx, s, v, case_inputs(cx, &c, &(Rng){seed}), tolerance))
                    FAIL("seed %d, %s, %s: vmap of what is spread: %s", (int)seed, mesh, specs, wf_ctx_message(cx));
            }
            /* the gradient spread, and the gradient of what is spread */
            g = failed(cx) ? NULL : xf_vjp(cx, p, wrt, 1);
            if (!g || g->nin > 8 || g->nout > 8)
                goto next;
            c = case_of(cx, g, seed);
            specs = random_specs(cx, &rng, &m, g);
            s = xf_spread(cx, g, mesh, specs, NULL);
            if (finds_sizes(cx))
                goto next;
            if (!s || !near(cx, s, g, case_inputs(cx, &c, &(Rng){seed}), tolerance))
                FAIL("seed %d, %s, %s: of the gradient: %s", (int)seed, mesh, specs, wf_ctx_message(cx));
            s = failed(cx) ? NULL : xf_spread(cx, p, mesh, random_specs(cx, &rng, &m, p), NULL);
            if (s && (s = xf_vjp(cx, s, wrt, 1)) && !near(cx, s, g, case_inputs(cx, &c, &(Rng){seed}), tolerance))
                FAIL("seed %d, %s: gradient of what is spread: %s", (int)seed, mesh, wf_ctx_message(cx));
        }
    next:
        if (failed(cx))
            FAIL("seed %d: %s", (int)seed, wf_ctx_message(cx));
        wf_clear(cx);
        api_leave(cx, &inner);
    }
    CHECK(end - first < 50 || (uint64_t)done > (end - first) / 2);
    CHECK(end - first < 50 || (uint64_t)divided > (end - first) / 3);
}

/* The gradient of a largest element goes to where it is in the whole, however the whole is divided. */
XTEST(places_of_the_largest_of_windows_are_those_in_the_whole)
{
    static const char *const specs[] = {"a,-,-;a,-,-", "-,a,-;-,-,-", "-,-,a;-,-,a", "a,-,b;a,-,-", "b,a,-;b,-,a"};
    const Program *p = parse_lines(cx, "f(x: f64[4,6,4]) {\n"
                                       "  y, i = reduce_window_max x window=[1,2,1] stride=[1,2,1]\n"
                                       "  z = mul y y\n"
                                       "  ret z\n}\n"),
                  *g = p ? xf_vjp(cx, p, (int[]){0}, 1) : NULL, *s;
    Case c;

    REQUIRE(g != NULL && g->nin == 2);
    c = case_of(cx, g, 3);
    for (size_t k = 0; k < COUNT(specs); k++) {
        s = xf_spread(cx, g, "a:2,b:2", specs[k], NULL);
        if (!s || !near(cx, s, g, case_inputs(cx, &c, &(Rng){3}), 1e-9))
            FAIL("%s: %s", specs[k], wf_ctx_message(cx));
    }
}

/* One axis of the mesh is the spmd's own; the other divides what its devices have further. */
XTEST(an_spmd_is_spread_over_the_other_axes_of_a_mesh)
{
    static const char text[] =
        "f(x: f64[2,4]) { y = psum x axis=\"a\"; z = mul y y; ret z }\n"
        "main(x: f64[4,4]) { y = spmd x body=f mesh=\"a:2\" in=\"a,-\" out=\"-,-\"; z = add y y; ret z }";
    const Program *p = parse_lines(cx, text), *s;
    Case c;

    CHECK(p != NULL);
    c = case_of(cx, p, 3);
    for (int k = 0; k < 2; k++) {
        s = xf_spread(cx, p, "a:2,b:2", k ? "-,b" : "a,b", NULL);
        if (!s || !near(cx, s, p, case_inputs(cx, &c, &(Rng){3}), 1e-9))
            FAIL("%d: %s", k, wf_ctx_message(cx));
    }
    CHECK(!xf_spread(cx, p, "c:2", "c,-", NULL));
    check_error(cx, WF_ERR_NORULE, "an spmd over another mesh");
}

XTEST(a_profile_shows_what_the_first_device_does_and_its_exchanges)
{
    const Program *p = parse_lines(cx, "f(x: f64[2,4]) { y = dot_general x x lhs=[1] rhs=[1] acc=f64; z = psum y axis=\"a\"; w = tanh z; ret w }\n"
                                       "main(x: f64[4,4]) { y = spmd x body=f mesh=\"a:2\" in=\"a,-\" out=\"-,-\"; ret y }");
    Nd x = nd_f64s(cx, (double[16]){1, 2, 3}, 16);
    wf_array *in = NULL;
    wf_exec *e = NULL;
    wf_profile *q = NULL;
    int exchanges = 0, products = 0;

    REQUIRE(p != NULL);
    wf_array_from(cx, WF_F64, (int64_t[]){4, 4}, 2, x.data, &in);
    wf_prepare(cx, p, &e);
    wf_profile_new(cx, e, &in, 1, 2, &q);
    REQUIRE(q != NULL);
    for (int i = 0; i < wf_profile_events(q); i++) {
        const char *op = wf_profile_step_at(q, wf_profile_event_at(q, i).step)->op;

        exchanges += !strcmp(op, "psum") && wf_profile_event_at(q, i).depth < 0;
        products += !strcmp(op, "dot_general") && wf_profile_event_at(q, i).depth > 0;
    }
    CHECK(exchanges >= 2 && products >= 2);
    wf_profile_free(q);
    wf_exec_release(e);
    wf_array_release(in);
}

XTEST(what_a_device_costs_is_counted_and_predicted)
{
    const Program *p = parse_lines(cx, "main(x: f32[4,8], w: f32[8,2]) { y = dot x w; ret y }"), *s;
    wf_machine m = {.size = sizeof m, .flops = 1e3, .memory = 1e3, .latency = 1, .link = 10};
    wf_mesh_cost c = {.size = sizeof c};

    CHECK(p != NULL);
    s = xf_spread(cx, p, "a:2", "-,a;a,-", NULL); /* [4,4] times [4,2], added up: 64 flops, 128 bytes moved and 32 added up */
    CHECK(s && wf_program_mesh_cost(cx, s, &m, &c) == WF_OK);
    CHECK(c.devices == 2 && c.exchanges == 1 && c.sent_bytes == 32);
    CHECK(c.sent_seconds > 5.19 && c.sent_seconds < 5.21); /* two turns, and 32 bytes */
    CHECK(c.flops >= 64 && c.compute_seconds > 0.064);
    CHECK(wf_program_mesh_cost(cx, p, &m, &c) == WF_ERR_VALUE);
    check_error(cx, WF_ERR_VALUE, "'main' is not divided among the devices of a mesh");
    CHECK(wf_program_mesh_cost(cx, NULL, &m, &c) == WF_ERR_ARG);
    wf_clear(cx);
    CHECK(wf_program_mesh_svg(cx, s, NULL) == WF_ERR_ARG);
    wf_clear(cx);
    CHECK(wf_program_mesh_cost(NULL, s, &m, &c) == WF_ERR_ARG);
}
