/* test_laws.c -- the laws of the transforms on random programs; failures are shrunk and shown as text. LAWS=n and
 * LAWS_SEED=s in the environment choose how many and from where.
 */
#include "lib_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t env_number(const char *name, uint64_t standard)
{
    const char *s = getenv(name);
    return s ? strtoull(s, NULL, 10) : standard;
}

/* A point where a kink is nearer than the step of the difference gives a false alarm: such a point is rare, so ask
 * at two more. */
static const char *complain(wf_ctx *cx, const Program *p, uint64_t seed)
{
    const char *why = NULL;

    for (uint64_t k = 0; k < 3; k++) {
        wf_clear(cx);
        why = (op_program_uses_axis(p, "i") ? check_speaking
                                         : check_laws)(cx, p, seed + k * 1000003);
        if (!why)
            return NULL;
    }
    return why;
}

static bool one_program(uint64_t seed)
{
    BENCH_OPEN(b);
    Rng rng = {seed};
    int size = 2 + (int)(rng_next(&rng) % 40);
    RandomKind kind = (RandomKind[]){RANDOM_PLAIN, RANDOM_PLAIN, RANDOM_CUSTOM,
                                     RANDOM_SPEAKS}[seed % 4];
    const Program *p = random_program(b.cx, &rng, size, kind);
    const char *why = p ? complain(b.cx, p, seed) : wf_ctx_message(b.cx);

    if (why) {
        why = arena_strdup(&b.cx->scratch, why);
        Text s;
        if (p) {
            wf_clear(b.cx);
            p = shrink_program(b.cx, p, seed, complain);
            wf_clear(b.cx);
            const char *now = complain(b.cx, p, seed);
            why = now ? arena_strdup(&b.cx->scratch, now) : why;
            text_init(&s, &b.cx->scratch);
            program_print(p, &(PrintOptions){0}, &s);
        }
        FAIL("seed %llu: %s\n%s", (unsigned long long)seed, why, p ? text_str(&s) : "");
    }
    BENCH_CLOSE(b);
    return why == NULL;
}

TEST(laws_hold_for_random_programs)
{
    uint64_t n = env_number("LAWS", 1000), seed = env_number("LAWS_SEED", 1);
    int bad = 0;

    for (uint64_t i = 0; i < n && bad < 5; i++)
        bad += !one_program(seed + i);
}

/* ---- a wrong rule is caught ---- */

static void jvp_wrong(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], e->out[0]); /* d sin = sin dx */
}

static void set_rules(unsigned op, const OpRules *rules)
{
    long page = sysconf(_SC_PAGESIZE);
    volatile uintptr_t at = (uintptr_t)&op_rule_table[op]; /* a compiler that saw the table would drop the write */
    uintptr_t from = at & ~(uintptr_t)(page - 1);

    if (mprotect((void *)from, at + sizeof rules - from, PROT_READ | PROT_WRITE))
        abort();
    memcpy((void *)at, &rules, sizeof rules);
}

TEST(a_planted_wrong_rule_is_caught_and_shrunk)
{
    const OpRules *right = op_rules(OP_sin);
    OpRules wrong = *right;
    bool caught = false;

    wrong.jvp = jvp_wrong;
    set_rules(OP_sin, &wrong);
    for (uint64_t seed = 1; seed < 40 && !caught; seed++) {
        BENCH_OPEN(b);
        Rng rng = {seed};
        const Program *p = random_program(b.cx, &rng, 20, RANDOM_PLAIN);
        const char *why = p ? complain(b.cx, p, seed) : NULL;
        if (why) {
            wf_clear(b.cx);
            p = shrink_program(b.cx, p, seed, complain);
            bool has_sin = false;
            for (uint32_t i = 0; i < p->neqns; i++)
                has_sin |= p->eqns[i].op == OP_sin;
            CHECK(has_sin);
            CHECK(p->neqns <= 12);
            caught = true;
        }
        BENCH_CLOSE(b);
    }
    set_rules(OP_sin, right);
    CHECK(caught);
}
