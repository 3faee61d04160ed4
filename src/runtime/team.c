/* team.c -- the local engine: the devices of a mesh as threads of this process.
 *
 * A device is a thread with a context and a root, so with memory, of its own, which live as
 * long as the root that runs the spmd. Exchanges are in shared memory: every member of a
 * group leaves word where its operand and its result are, and waits for the others; each
 * then computes its share for all and waits again, until nobody reads its operand any more.
 * A small operand is left itself beside the word: each computes all of its own result then,
 * and goes on. Two such places serve in turn: who leaves something in one again has met the
 * others in between, so they have read what was there.
 *
 * Nobody waits for ever: a device that ends, or waits elsewhere, while others wait for it is
 * an error that says who waits where. One that fails wakes all, and what it said is the
 * error of the run.
 */
#include "runtime/comm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef struct Ask { /* a function of whoever runs the team, which only its own thread may call */
    const char *name;
    const wf_kernel_value *in;
    wf_kernel_value *out;
    int nin, nout;
    wf_status status;
} Ask;

typedef struct Member {
    Team *team;
    Comm comm; /* of the context: its exchange is team_exchange */
    wf_ctx *cx;
    Root *root;
    pthread_t thread;
    bool started, ok;
    bool broken;    /* memory ran out in its root */
    bool brings;    /* it is in an exchange: */
    uint64_t given; /* which */
    const struct Meeting *asleep; /* it sleeps until all are here in this turn; under the lock */
    uint64_t turn;
    Text printed;   /* lines of print, given out in the order of the ranks */
    Arena lines;
    Ask *asks; /* it waits for this */
} Member;

#define LOOKS 4000 /* at a meeting that is about to end, before a thread sleeps */
#define SMALL (8 << 10) /* bytes of an operand that is left itself, and of all those of a group: */
#define SMALL_ALL (32 << 10)
#define SMALL_AWAKE 512 /* where a second meeting costs less than that everyone reads all */

typedef struct Left { /* what a member brings to a meeting */
    _Alignas(64) _Atomic uint64_t turn; /* of the meetings of its group, when the rest is there */
    uint64_t what;
    const void *in;
    _Alignas(64) Exchange word;
    _Alignas(64) char data[SMALL];
} Left;

typedef struct Meeting { /* of a group along some axes; its first member's */
    int64_t n;
    _Atomic int64_t sleeping;
    _Atomic(Left *) left; /* [2][n], in turn; made at need, */
    char *room;           /* in here, which need not be aligned */
} Meeting;

struct Team {
    Team *next;
    wf_allocator al;
    Arena a;
    const char *text;
    Mesh mesh;
    Member *member;
    Meeting *meeting; /* [devices << axes] */
    pthread_mutex_t lock;
    pthread_cond_t go, met, told; /* a job; a meeting, or what ends it; something for who runs the team */
    uint64_t job;
    int64_t running;
    int64_t culprit; /* -1: none has failed */
    bool quit;
    int looks; /* of who waits for others */
    int pid;
    TeamFn *fn;
    void *user;
};

/* ---- exchanges --------------------------------------------------------------------- */

static bool stop(Team *t, Member *m)
{
    if (t->culprit < 0)
        t->culprit = m->comm.rank;
    pthread_cond_broadcast(&t->met);
    return false;
}

static Left *left_at(const Meeting *w, uint64_t turn, int64_t k)
{
    return w->left + (int64_t)(turn & 1) * w->n + k;
}

static bool is_here(const Meeting *w, uint64_t turn, int64_t k)
{
    return atomic_load_explicit(&left_at(w, turn, k)->turn, memory_order_seq_cst) == turn;
}

/* Who has met the others later than that has met them then: a place is left again two meetings later. */
static bool all_are_here(const Meeting *w, uint64_t turn)
{
    for (int64_t k = 0; k < w->n; k++)
        if (!is_here(w, turn, k))
            return false;
    return true;
}

/* With the lock. Everyone that still runs waits: nobody will come. */
static bool nobody_comes(Team *t, Member *m, const Exchange *x)
{
    int64_t other = -1, waiting = 0;

    for (int64_t k = 0; k < t->mesh.devices; k++)
        waiting += t->member[k].asleep && !all_are_here(t->member[k].asleep, t->member[k].turn);
    if (waiting < t->running)
        return false;
    for (int64_t k = 0; k < x->n && other < 0; k++)
        if (!t->member[x->member[k]].brings ||
            t->member[x->member[k]].given != x->what)
            other = x->member[k];
    fail(m->cx, WF_ERR_VALUE, x->place, "%s: device %lld waits for device %lld, which %s",
         op_name(x->op), (long long)m->comm.rank, (long long)other,
         other >= 0 && t->member[other].brings
             ? "waits elsewhere: a collective under a condition that differs from device "
               "to device"
             : "has ended without it");
    return true;
}

/* Where every device has a core, the others are about to come; elsewhere they may need this one's. */
static bool come_soon(const Team *t, const Meeting *w, uint64_t turn)
{
    int64_t k = 0;

    for (int looks = t->looks; looks; looks--) {
        while (is_here(w, turn, k))
            if (++k == w->n)
                return true;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    return false;
}

/* The lock is for those who sleep. Who comes looks for them after he has said that he is here, and who goes to sleep looks who
 * is here after he is counted among the sleeping: one of both sees the other. */
static bool sleep_until(Member *m, const Exchange *x, Meeting *w, uint64_t turn)
{
    Team *t = m->team;
    bool ok;

    pthread_mutex_lock(&t->lock);
    m->asleep = w;
    m->turn = turn;
    atomic_fetch_add(&w->sleeping, 1);
    while (!(ok = all_are_here(w, turn)) && t->culprit < 0 && !nobody_comes(t, m, x))
        pthread_cond_wait(&t->met, &t->lock);
    atomic_fetch_sub(&w->sleeping, 1);
    m->asleep = NULL;
    if (!ok && failed(m->cx))
        stop(t, m);
    pthread_mutex_unlock(&t->lock);
    return ok || (!failed(m->cx) && fail(m->cx, WF_ERR_CANCELLED, x->place,
                                         "%s: another device failed", op_name(x->op)));
}

/* Until all members of the group are here. */
static bool meet(Member *m, const Exchange *x, Meeting *w, uint64_t turn)
{
    atomic_store(&left_at(w, turn, x->me)->turn, turn);
    if (atomic_load(&w->sleeping)) {
        pthread_mutex_lock(&m->team->lock);
        pthread_cond_broadcast(&m->team->met);
        pthread_mutex_unlock(&m->team->lock);
    }
    return come_soon(m->team, w, turn) || sleep_until(m, x, w, turn);
}

static size_t room_bytes(int64_t n) { return (size_t)(2 * n) * sizeof(Left) + _Alignof(Left); }

/* Its places are there; false: no memory. */
static bool has_places(Team *t, Meeting *w, int64_t n)
{
    Left *left = atomic_load_explicit(&w->left, memory_order_acquire);

    if (left)
        return true;
    pthread_mutex_lock(&t->lock);
    if (!w->left && (w->room = mem_alloc(&t->al, room_bytes(n)))) {
        left = (Left *)(void *)(w->room + (-(uintptr_t)w->room & (_Alignof(Left) - 1)));
        for (int64_t k = 0; k < 2 * n; k++)
            atomic_init(&left[k].turn, 0);
        w->n = n;
        atomic_store_explicit(&w->left, left, memory_order_release);
    }
    left = w->left;
    pthread_mutex_unlock(&t->lock);
    return left != NULL;
}

static bool carry_out(wf_ctx *cx, const Exchange *x, const Meeting *w, uint64_t turn, const void *const *in, bool small)
{
    bool sums = x->op == OP_psum || x->op == OP_pmax || x->op == OP_pmin;
    Exchange *word;
    const Exchange **all;

    if (sums && small)
        return comm_combine(exchange_how(x), x->dtype, x->out, in, (int)x->n, x->count);
    all = arena_array(&cx->scratch, (size_t)x->n, sizeof *all);
    word = arena_array(&cx->scratch, (size_t)x->n, sizeof *word);
    for (int64_t k = 0; k < x->n; k++) {
        word[k] = left_at(w, turn, k)->word;
        word[k].in = in[k];
        all[k] = &word[k];
    }
    if (sums || x->op == OP_reduce_scatter)
        return exchange_reduce(x, all);
    exchange_move(x, all);
    return true;
}

/* What this member brings, and the turn in which. */
static uint64_t leave(const Meeting *w, const Exchange *x, bool small, size_t bytes)
{
    uint64_t turn = MAX(left_at(w, 0, x->me)->turn, left_at(w, 1, x->me)->turn) + 1;
    Left *mine = left_at(w, turn, x->me);

    mine->word = *x;
    mine->what = x->what;
    mine->in = small ? mine->data : x->in;
    if (small && bytes)
        memcpy(mine->data, x->in, bytes);
    return turn;
}

static bool is_another(wf_ctx *cx, const Member *m, const Exchange *x, const Exchange *other)
{
    return !fail(cx, WF_ERR_VALUE, x->place, "%s: device %lld brings %lld elements of %s for it, device %lld a %s of %lld of %s",
                 op_name(x->op), (long long)m->comm.rank, (long long)x->count, wf_dtype_name(x->dtype),
                 (long long)x->member[other->me], op_name(other->op), (long long)other->count, wf_dtype_name(other->dtype));
}

static bool team_exchange(Comm *c, wf_ctx *cx, const Exchange *x)
{
    Member *m = (Member *)(void *)((char *)c - offsetof(Member, comm));
    Team *t = m->team;
    Meeting *w = &t->meeting[(x->member[0] << t->mesh.n) + x->axes];
    const size_t bytes = (size_t)x->count * wf_dtype_size(x->dtype);
    const bool small = bytes <= (t->looks ? SMALL_AWAKE : SMALL) && bytes * (size_t)x->n <= SMALL_ALL;
    const void **in = arena_array(&cx->scratch, (size_t)x->n, sizeof *in);
    uint64_t turn;
    bool ok = true;

    if (!has_places(t, w, x->n))
        return fail_memory(cx);
    turn = leave(w, x, small, bytes);
    m->brings = true;
    m->given = x->what;
    if (!meet(m, x, w, turn))
        return false;
    for (int64_t k = 0; k < x->n && ok; k++) {
        const Left *left = left_at(w, turn, k);

        in[k] = left->in;
        ok = left->what == x->what || !is_another(cx, m, x, &left->word);
    }
    ok = ok && (carry_out(cx, x, w, turn, in, small) ||
                fail(cx, WF_ERR_NORULE, x->place, "%s of %s", op_name(x->op), wf_dtype_name(x->dtype)));
    m->brings = false;
    if (!ok) {
        pthread_mutex_lock(&t->lock);
        stop(t, m);
        pthread_mutex_unlock(&t->lock);
    }
    return ok && (small || meet(m, x, w, turn + 1));
}

/* ---- threads ------------------------------------------------------------------------ */

static void keep_line(void *user, const char *text)
{
    Member *m = user;

    text_add(&m->printed, text);
    text_char(&m->printed, '\n');
}

static void work(Member *m)
{
    Region region;

    m->ok = false;
    api_enter_(m->cx, &region);
    if (setjmp(region.jump)) {
        api_out_of_memory(m->cx, &region);
        m->broken = true;
    } else {
        m->ok = m->team->fn(m->team->user, m->comm.rank, m->root);
        arena_reset(&m->cx->scratch, region.scratch_mark);
        api_leave(m->cx, &region);
    }
}

static void *member_thread(void *user)
{
    Member *m = user;
    Team *t = m->team;
    uint64_t job = 0;
    bool quit;

    for (;;) {
        pthread_mutex_lock(&t->lock);
        while (t->job == job && !t->quit)
            pthread_cond_wait(&t->go, &t->lock);
        job = t->job;
        quit = t->quit;
        pthread_mutex_unlock(&t->lock);
        if (quit)
            return NULL;
        work(m);
        pthread_mutex_lock(&t->lock);
        if (!m->ok)
            stop(t, m);
        t->running--;
        pthread_cond_broadcast(&t->met);
        pthread_cond_broadcast(&t->told);
        pthread_mutex_unlock(&t->lock);
    }
}

static void free_team(Team *t)
{
    wf_allocator al = t->al;
    bool ours = t->pid == (int)getpid(); /* a forked child has no threads */

    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_broadcast(&t->go);
    pthread_mutex_unlock(&t->lock);
    for (int64_t d = 0; t->member && d < t->mesh.devices; d++) {
        Member *m = &t->member[d];

        if (m->started && ours)
            pthread_join(m->thread, NULL);
        root_free(m->root);
        wf_ctx_free(m->cx);
        arena_free(&m->lines);
    }
    for (int64_t k = 0; t->meeting && k < t->mesh.devices << t->mesh.n; k++)
        if (t->meeting[k].room)
            mem_free(&t->al, t->meeting[k].room, room_bytes(t->meeting[k].n));
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->go);
    pthread_cond_destroy(&t->met);
    pthread_cond_destroy(&t->told);
    arena_free(&t->a);
    mem_free(&al, t, sizeof *t);
}

void teams_free(Root *root)
{
    while (root->teams) {
        Team *t = root->teams;

        root->teams = t->next;
        free_team(t);
    }
}

static bool start_member(Root *root, Team *t, int64_t d)
{
    Member *m = &t->member[d];
    wf_options o = {.size = sizeof o, .threads = 1};

    m->team = t;
    m->comm = (Comm){.rank = d, .mesh = &t->mesh, .exchange = team_exchange};
    if (!m->cx)
        m->cx = wf_ctx_new(&o);
    if (!m->cx)
        return false;
    m->cx->comm = &m->comm;
    if (!m->lines.al.resize)
        arena_init(&m->lines, &t->al, m->cx);
    if (m->broken) {
        root_free(m->root);
        m->root = NULL;
        m->broken = false;
    }
    if (!m->root)
        m->root = root_new(m->cx, &root->al, root->nplans, 0, 0);
    if (m->root && !m->started)
        m->started = !pthread_create(&m->thread, NULL, member_thread, m);
    return m->root && m->started;
}

/* Hangs on the root before anything in it can fail. */
static Team *new_team(Root *root, const char *mesh)
{
    Team *t = mem_alloc(&root->al, sizeof *t);

    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->al = root->al;
    t->pid = (int)getpid();
    arena_init(&t->a, &t->al, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->go, NULL);
    pthread_cond_init(&t->met, NULL);
    pthread_cond_init(&t->told, NULL);
    t->next = root->teams;
    root->teams = t;
    t->a.cx = root->cx; /* an exhausted allocator jumps out of the run; the root has it */
    t->text = arena_strdup(&t->a, mesh);
    mesh_parse(&t->a, mesh, &t->mesh);
    t->meeting =
        arena_zalloc(&t->a, ((size_t)t->mesh.devices << t->mesh.n) * sizeof *t->meeting);
    t->member = arena_zalloc(&t->a, (size_t)t->mesh.devices * sizeof *t->member);
    t->a.cx = NULL;
    t->culprit = -1;
    return t;
}

static Team *find_team(Root *root, const char *mesh)
{
    Team *t = root->teams;

    if (t && t->pid != (int)getpid())
        teams_free(root), t = NULL;
    while (t && strcmp(t->text, mesh) != 0)
        t = t->next;
    return t ? t : new_team(root, mesh);
}

/* ---- a run -------------------------------------------------------------------------- */

/* Of a member's context: asks the thread that runs the team, and waits. */
static wf_status ask(wf_ctx *cx, void *user, const char *name, const wf_kernel_value *in, int nin, wf_kernel_value *out,
                     int nout)
{
    Member *m = user;
    Ask a = {name, in, out, nin, nout, WF_OK};

    (void)cx;
    pthread_mutex_lock(&m->team->lock);
    m->asks = &a;
    pthread_cond_broadcast(&m->team->told);
    while (m->asks)
        pthread_cond_wait(&m->team->met, &m->team->lock);
    pthread_mutex_unlock(&m->team->lock);
    return a.status;
}

/* With the lock, which it gives away meanwhile: the call of the first that asks. */
static bool answer(Team *t, wf_ctx *cx)
{
    for (int64_t d = 0; d < t->mesh.devices; d++) {
        Ask *a = t->member[d].asks;

        if (!a)
            continue;
        pthread_mutex_unlock(&t->lock);
        a->status = failed(cx) ? cx->status : cx->call_back(cx, cx->call_user, a->name, a->in, a->nin, a->out, a->nout);
        pthread_mutex_lock(&t->lock);
        t->member[d].asks = NULL;
        pthread_cond_broadcast(&t->met);
        return true;
    }
    return false;
}

static void wait_for_all(Team *t, wf_ctx *cx)
{
    struct timespec until;

    pthread_mutex_lock(&t->lock);
    while (t->running) {
        if (answer(t, cx))
            continue;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&t->told, &t->lock, &until);
        for (int64_t d = 0; d < t->mesh.devices && cancelled(cx); d++)
            wf_cancel(t->member[d].cx);
    }
    pthread_mutex_unlock(&t->lock);
}

/* The error of the device that failed first becomes that of cx. */
static bool report(Team *t, wf_ctx *cx)
{
    const wf_ctx *from = t->member[t->culprit].cx;

    if (from->status == WF_ERR_MEMORY)
        return fail_memory(cx);
    fail(cx, from->status ? from->status : WF_ERR_INTERNAL, from->error.place, "%s",
         from->error.text ? from->error.text : "a device failed");
    for (int i = 0; i < MIN(from->nnotes, CTX_NOTES); i++)
        fail_note(cx, from->notes[i].place, "%s", from->notes[i].text);
    if (t->mesh.devices > 1)
        fail_note(cx, NOWHERE, "on device %lld of %lld", (long long)t->culprit,
                  (long long)t->mesh.devices);
    return false;
}

static void give_lines(Team *t, wf_ctx *cx)
{
    for (int64_t d = 0; d < t->mesh.devices; d++) {
        char *s = t->member[d].printed.n ? t->member[d].printed.s : NULL;

        while (s && *s) {
            char *end = strchr(s, '\n');

            *end = 0;
            if (cx->print_line)
                cx->print_line(cx->print_user, s);
            else
                puts(s);
            s = end + 1;
        }
    }
}

/* Of a run that failed: members were in different ones. */
static void forget_meetings(Team *t)
{
    for (int64_t k = 0; k < t->mesh.devices << t->mesh.n; k++)
        for (int64_t i = 0; t->meeting[k].left && i < 2 * t->meeting[k].n; i++)
            t->meeting[k].left[i].turn = 0;
}

bool team_run(Root *root, const char *mesh, TeamFn *fn, void *user)
{
    Team *t = find_team(root, mesh);
    wf_ctx *cx = root->cx;

    if (!t)
        return fail_memory(cx);
    for (int64_t d = 0; d < t->mesh.devices; d++) {
        Member *m = &t->member[d];

        if (!start_member(root, t, d))
            return fail_memory(cx);
        wf_clear(m->cx);
        m->brings = false;
        m->asleep = NULL;
        arena_clear(&m->lines);
        text_init(&m->printed, &m->lines);
        m->cx->cancelled = 0;
        m->cx->print_value = cx->print_value;
        m->cx->print_line = keep_line;
        m->cx->print_user = m;
        m->cx->call_back = cx->call_back ? ask : NULL;
        m->cx->call_user = m;
    }
    if (t->culprit >= 0)
        forget_meetings(t);
    pthread_mutex_lock(&t->lock);
    t->fn = fn;
    t->user = user;
    t->running = t->mesh.devices;
    t->culprit = -1;
    t->looks = t->mesh.devices <= cpu_count() ? LOOKS : 0;
    t->job++;
    pthread_cond_broadcast(&t->go);
    pthread_mutex_unlock(&t->lock);
    wait_for_all(t, cx);
    give_lines(t, cx);
    return t->culprit < 0 || report(t, cx);
}
