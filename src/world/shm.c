/* shm.c -- processes of one machine, that exchange in shared memory.
 *
 * One file in memory has a word for each rank, meetings of groups, and for each rank two slots. An exchange goes in pieces,
 * which use the slots in turn: a member puts a piece of what it brings into its slot, meets the others, and takes what it
 * needs from theirs. Of a sum every member computes its share into its own slot, and all meet again. A slot is filled anew
 * when all who read it have said so. Two processes talk through a ring of bytes for each direction.
 *
 * A rank holds a lock on its own byte of the file for as long as it lives, whatever ends it. Who waits looks now and then
 * whether those it waits for are there, and which error they left: nobody waits for ever.
 */
#include "world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RANKS   1024
#define MEETS   4096
#define SLOT    (256 << 10)
#define RING    (64 << 10)
#define OPENING RANKS /* the byte whose lock says who sets up the file */
#define SPINS   200

typedef struct Meet {
    _Atomic uint64_t key; /* of the group; 0: free */
    _Atomic uint32_t here, turn;
    _Atomic uint64_t taken; /* pieces, each counted by every member that has read it */
} Meet;

typedef struct Slot {
    uint64_t what, key, piece; /* of the exchange, its group, the group's pieces so far */
    int64_t most;              /* of an all_to_all: bytes for one member */
    char brings[SLOT], computed[SLOT];
} Slot;

typedef struct Member {
    _Atomic uint32_t arrived, failed; /* failed: it left an error */
    _Atomic uint32_t news;            /* woken when a ring of its has changed */
    char error[256];
} Member;

typedef struct Ring { /* of bytes from one process to another; counts never wrap */
    _Atomic uint64_t put, taken;
    char data[RING];
} Ring;

typedef struct Shared {
    _Atomic uint32_t gone;    /* the name is: everyone has arrived */
    _Atomic uint32_t culprit; /* 1 + the rank that was first found to be missing; those who noticed go, too */
    Meet meet[MEETS];
    Member member[];
} Shared;

typedef struct Message { /* arrived before it was asked for */
    struct Message *next;
    int from, tag;
    int64_t bytes;
    char data[];
} Message;

typedef struct Shm {
    CommEngine e;
    int file;
    size_t length;
    Shared *s;
    Slot *slots; /* [size][2] */
    Ring *rings; /* [from][to] */
    Message *early;
    struct {
        Meet *of;
        uint64_t until;
    } used[2]; /* own slots: free when so many have taken it */
    char name[128];
    int spins; /* looks at what is about to come before the core is given away */
} Shm;

typedef struct Joined { /* a group, as this process is in it */
    Meet *at;
    uint64_t key, piece;
} Joined;

static Shm *shm(CommEngine *e) { return (Shm *)(void *)e; }

static bool lost(Shm *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool lost(Shm *m, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(m->e.error, sizeof m->e.error, format, args);
    va_end(args);
    return false;
}

/* ---- waiting ---------------------------------------------------------------------- */

static void futex_wait(_Atomic uint32_t *at, uint32_t while_it_is)
{
    struct timespec t = {0, 50 * 1000 * 1000};

    syscall(SYS_futex, at, FUTEX_WAIT, while_it_is, &t, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *at)
{
    syscall(SYS_futex, at, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_lock(int file, int byte)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(file, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

static bool lock_byte(int file, int byte, bool wait)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    while (fcntl(file, wait ? F_OFD_SETLKW : F_OFD_SETLK, &l) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

static void unlock_byte(int file, int byte)
{
    struct flock l = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    fcntl(file, F_OFD_SETLK, &l);
}

/* Has this rank ended, or failed? Then the error says who did first. */
static bool is_lost(Shm *m, int rank, char *why, size_t n)
{
    uint32_t first = 0;

    if (rank == m->e.rank || (!atomic_load(&m->s->member[rank].failed) && has_lock(m->file, rank)))
        return false;
    if (!atomic_compare_exchange_strong(&m->s->culprit, &first, (uint32_t)rank + 1))
        rank = (int)first - 1;
    if (atomic_load(&m->s->member[rank].failed))
        snprintf(why, n, "rank %d failed: %s", rank, m->s->member[rank].error);
    else
        snprintf(why, n, "rank %d has ended", rank);
    return true;
}

static bool is_gone(Shm *m, int rank)
{
    char why[sizeof m->e.error];

    return is_lost(m, rank, why, sizeof why) && !lost(m, "%s", why);
}

static bool shm_alive(CommEngine *e, const Group *g, char *why, size_t n)
{
    for (int k = 0; k < g->n; k++)
        if (is_lost(shm(e), g->rank[k], why, n))
            return false;
    return true;
}

/* Once in a while in every wait. False: one of them will not come, or it takes too long. */
static bool goes_on(Shm *m, const int *rank, int n, double since)
{
    for (int k = 0; k < n; k++)
        if (is_gone(m, rank ? rank[k] : k))
            return false;
    if (m->e.stopped && m->e.stopped(m->e.stop_user))
        return lost(m, "cancelled");
    return m->e.timeout <= 0 || now() - since < m->e.timeout ||
           lost(m, "waited %g seconds (WEFT_COMM_TIMEOUT)", m->e.timeout);
}

static Slot *slot(Shm *m, const Group *g, int k)
{
    const Joined *j = g->data;

    return &m->slots[(size_t)g->rank[k] * 2 + (j->piece & 1)];
}

static bool is_in(Shm *m, const Group *g, int k)
{
    const Joined *j = g->data;

    return slot(m, g, k)->key == j->key && slot(m, g, k)->piece == j->piece;
}

/* Who is not here, after how long was waited. */
static void name_missing(Shm *m, const Group *g)
{
    size_t n = strlen(m->e.error);
    const char *between = " for rank ";

    if (strncmp(m->e.error, "waited", 6) != 0)
        return;
    for (int k = 0; k < g->n && n < sizeof m->e.error - 24; k++)
        if (!is_in(m, g, k)) {
            n += (size_t)snprintf(m->e.error + n, sizeof m->e.error - n, "%s%d", between, g->rank[k]);
            between = ", ";
        }
}

/* The k-th look at something that is about to come. Where every process has a core, who gives his away may wait for the turns
 * of programs that have nothing to do with this. */
static void look_again(const Shm *m, int k)
{
    if (k >= m->spins)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}

/* All of the group have come. */
static bool meet(Shm *m, Group *g)
{
    Meet *w = ((Joined *)g->data)->at;
    uint32_t turn = atomic_load(&w->turn);
    double since = 0;

    if (atomic_fetch_add(&w->here, 1) + 1 == (uint32_t)g->n) {
        atomic_store(&w->here, 0);
        atomic_fetch_add(&w->turn, 1);
        futex_wake(&w->turn);
        return true;
    }
    for (int k = 0; k < m->spins + SPINS && atomic_load(&w->turn) == turn; k++)
        look_again(m, k);
    while (atomic_load(&w->turn) == turn) {
        futex_wait(&w->turn, turn);
        if (since == 0)
            since = now();
        if (atomic_load(&w->turn) == turn && !goes_on(m, g->rank, g->n, since))
            return name_missing(m, g), false;
    }
    return true;
}

/* ---- pieces ------------------------------------------------------------------------- */

/* The own slot, when nobody reads it any more; NULL: one who does has ended. */
static Slot *open_slot(Shm *m, Group *g, uint64_t what)
{
    const Joined *j = g->data;
    Slot *s = slot(m, g, g->me);
    Meet *before = m->used[j->piece & 1].of;
    double since = now();

    for (int spins = 0; before && atomic_load(&before->taken) < m->used[j->piece & 1].until; spins++)
        if (spins > m->spins + SPINS && !goes_on(m, NULL, m->e.size, since))
            return NULL;
        else
            look_again(m, spins);
    s->what = what;
    s->key = j->key;
    s->piece = j->piece;
    return s;
}

/* All have filled their slots. Do all mean the same? */
static bool all_filled(Shm *m, Group *g, uint64_t what)
{
    if (!meet(m, g))
        return false;
    for (int k = 0; k < g->n; k++)
        if (slot(m, g, k)->what != what)
            return lost(m, "rank %d is in another exchange, or runs another program", g->rank[k]);
    return true;
}

/* This process has read what it needs of a piece. */
static void taken(Shm *m, Group *g)
{
    Joined *j = g->data;

    m->used[j->piece & 1].of = j->at;
    m->used[j->piece & 1].until = (j->piece + 1) * (uint64_t)g->n;
    atomic_fetch_add(&j->at->taken, 1);
    j->piece++;
}

/* ---- exchanges ---------------------------------------------------------------------- */

static bool shm_join(CommEngine *e, Group *g)
{
    Shm *m = shm(e);
    uint64_t key = (uint64_t)g->n;
    Joined *j = calloc(1, sizeof *j);

    for (int k = 0; k < g->n; k++)
        key = hash_mix(key, (uint64_t)g->rank[k] + 1);
    for (int k = 0; j && k < MEETS; k++) {
        Meet *w = &m->s->meet[(key + (uint64_t)k) % MEETS];
        uint64_t found = 0; /* a key that another group has is as unlikely as two equal hashes */

        if (atomic_compare_exchange_strong(&w->key, &found, key | 1) || found == (key | 1)) {
            *j = (Joined){w, key | 1, 0};
            return g->data = j, true;
        }
    }
    free(j);
    return lost(m, j ? "more than %d groups of processes" : "out of memory", MEETS);
}

static void shm_leave(CommEngine *e, Group *g)
{
    (void)e;
    free(g->data);
    g->data = NULL;
}

/* Combined by each its share, which lies in its own slot for all to take. What a member itself brings to that is where it was. */
static bool reduce_piece(Shm *m, Group *g, Combine how, wf_dtype t, const char *in, char *out, int64_t n, int root)
{
    const int64_t size = (int64_t)m->e.dtype_size(t);
    int64_t from = n * g->me / g->n, to = n * (g->me + 1) / g->n;
    const void *all[RANKS];

    for (int k = 0; k < g->n; k++)
        all[k] = (k == g->me ? in : slot(m, g, k)->brings) + from * size;
    if (!m->e.combine(how, t, slot(m, g, g->me)->computed + from * size, all, g->n, to - from))
        return lost(m, "no such reduction of this type");
    if (!meet(m, g))
        return false;
    for (int k = 0; k < g->n && (root < 0 || root == g->me); k++) {
        from = n * k / g->n * size;
        to = n * (k + 1) / g->n * size;
        if (to > from)
            memcpy(out + from, slot(m, g, k)->computed + from, (size_t)(to - from));
    }
    return true;
}

/* Exchanges of nothing meet, too: at least one piece. */
#define PIECES(at, n, most, total)                                                           for (int64_t at = 0, n; n = MIN(most, total - at), at == 0 || n > 0; at += MAX(n, 1))

/* All but the share that this member combines itself. */
static void bring_to_others(const Group *g, Slot *mine, const char *in, int64_t n, int64_t size)
{
    int64_t from = n * g->me / g->n * size, to = n * (g->me + 1) / g->n * size;

    memcpy(mine->brings, in, (size_t)from);
    memcpy(mine->brings + to, in + to, (size_t)(n * size - to));
}

static bool shm_reduce(CommEngine *e, Group *g, uint64_t what, Combine how, wf_dtype t, const void *in,
                       void *out, int64_t count, int root)
{
    Shm *m = shm(e);
    const int64_t size = (int64_t)e->dtype_size(t);

    PIECES(at, n, SLOT / size, count)
    {
        Slot *mine = open_slot(m, g, what);

        if (mine && n)
            bring_to_others(g, mine, (const char *)in + at * size, n, size);
        if (!mine || !all_filled(m, g, what) ||
            !reduce_piece(m, g, how, t, n ? (const char *)in + at * size : in, n ? (char *)out + at * size : out, n, root))
            return false;
        taken(m, g);
    }
    return true;
}

static bool shm_scatter_reduce(CommEngine *e, Group *g, uint64_t what, Combine how, wf_dtype t,
                               const void *in, void *out, int64_t count)
{
    Shm *m = shm(e);
    const int64_t size = (int64_t)e->dtype_size(t);
    const void *all[RANKS];

    PIECES(at, n, SLOT / size / g->n, count)
    {
        Slot *mine = open_slot(m, g, what);

        for (int k = 0; k < g->n && mine && n; k++)
            memcpy(mine->brings + k * n * size, (const char *)in + (k * count + at) * size,
                   (size_t)(n * size));
        if (!mine || !all_filled(m, g, what))
            return false;
        for (int k = 0; k < g->n; k++)
            all[k] = slot(m, g, k)->brings + g->me * n * size;
        if (!e->combine(how, t, (char *)out + at * size, all, g->n, n))
            return lost(m, "no such reduction of this type");
        taken(m, g);
    }
    return true;
}

/* from: whose slot is read, -1: all; to: who reads, -1: all. */
static bool move_pieces(Shm *m, Group *g, uint64_t what, const char *in, char *out, int64_t bytes, int from, int to)
{
    PIECES(at, n, SLOT, bytes)
    {
        Slot *mine = open_slot(m, g, what);

        if (mine && n && (from < 0 || from == g->me))
            memcpy(mine->brings, in + at, (size_t)n);
        if (!mine || !all_filled(m, g, what))
            return false;
        for (int k = MAX(from, 0); n && k < (from < 0 ? g->n : from + 1); k++)
            if ((to < 0 || to == g->me) && from != g->me)
                memcpy(out + (from < 0 ? k * bytes : 0) + at, slot(m, g, k)->brings, (size_t)n);
        taken(m, g);
    }
    return true;
}

static bool shm_gather(CommEngine *e, Group *g, uint64_t what, const void *in, void *out, int64_t bytes, int root)
{
    return move_pieces(shm(e), g, what, in, out, bytes, -1, root);
}

static bool shm_broadcast(CommEngine *e, Group *g, uint64_t what, void *data, int64_t bytes, int root)
{
    return move_pieces(shm(e), g, what, data, data, bytes, root, -1);
}

/* A slot has a part for each member; as many pieces as the longest message needs. */
static bool shm_all_to_all(CommEngine *e, Group *g, uint64_t what, const void *in, const int64_t *give,
                           void *out, const int64_t *take)
{
    Shm *m = shm(e);
    const int64_t part = SLOT / g->n;
    int64_t most = 0;

    for (int k = 0; k < g->n; k++)
        most = MAX(most, give[k]);
    for (int64_t at = 0; at == 0 || at < most; at += part) {
        Slot *mine = open_slot(m, g, what);
        const char *from = in;
        char *to = out;

        if (!mine)
            return false;
        mine->most = most;
        for (int k = 0; k < g->n; from += give[k++])
            if (give[k] > at)
                memcpy(mine->brings + k * part, from + at, (size_t)MIN(part, give[k] - at));
        if (!all_filled(m, g, what))
            return false;
        for (int k = 0; k < g->n; to += take[k++]) {
            most = MAX(most, slot(m, g, k)->most);
            if (take[k] > at)
                memcpy(to + at, slot(m, g, k)->brings + g->me * part, (size_t)MIN(part, take[k] - at));
        }
        taken(m, g);
    }
    return true;
}

/* ---- from one to another ------------------------------------------------------------- */

static Ring *ring(Shm *m, int from, int to) { return &m->rings[(size_t)from * (size_t)m->e.size + (size_t)to]; }

/* Bytes into a ring, or out of it, as there is room or something there; waits for the other side. */
static bool pump(Shm *m, Ring *r, int from, int to, char *data, int64_t bytes)
{
    const bool puts = from == m->e.rank;
    const int other = puts ? to : from;
    double since = now();

    while (bytes > 0) {
        uint64_t put = atomic_load(&r->put), taken = atomic_load(&r->taken);
        uint32_t news = atomic_load(&m->s->member[m->e.rank].news);
        uint64_t at = (puts ? put : taken) % RING;
        int64_t n = (int64_t)(puts ? RING - (put - taken) : put - taken);

        n = MIN(MIN(n, bytes), (int64_t)(RING - at));
        if (n > 0) {
            if (puts)
                memcpy(r->data + at, data, (size_t)n);
            else
                memcpy(data, r->data + at, (size_t)n);
            atomic_fetch_add(puts ? &r->put : &r->taken, (uint64_t)n);
            atomic_fetch_add(&m->s->member[other].news, 1);
            futex_wake(&m->s->member[other].news);
            data += n;
            bytes -= n;
            since = now();
        } else {
            if (atomic_load(&r->put) == put && atomic_load(&r->taken) == taken)
                futex_wait(&m->s->member[m->e.rank].news, news);
            if (atomic_load(&r->put) == put && atomic_load(&r->taken) == taken &&
                !goes_on(m, &other, 1, since))
                return false;
        }
    }
    return true;
}

typedef struct Head {
    int64_t bytes;
    int64_t tag;
} Head;

static bool shm_send(CommEngine *e, int to, int tag, const void *data, int64_t bytes)
{
    Shm *m = shm(e);
    Ring *r = ring(m, e->rank, to);
    Head h = {bytes, tag};

    return pump(m, r, e->rank, to, (char *)&h, sizeof h) &&
           pump(m, r, e->rank, to, (char *)(uintptr_t)data, bytes);
}

static bool fits(Shm *m, int from, int64_t sent, int64_t bytes)
{
    return sent == bytes ||
           lost(m, "rank %d sent %lld bytes, %lld are wanted", from, (long long)sent, (long long)bytes);
}

/* A message that came before it was wanted. */
static bool take_early(Shm *m, int from, int tag, void *data, int64_t bytes, int *who, bool *ok)
{
    for (Message **at = &m->early; *at; at = &(*at)->next) {
        Message *x = *at;

        if ((from >= 0 && x->from != from) || x->tag != tag)
            continue;
        *who = x->from;
        *ok = fits(m, x->from, x->bytes, bytes);
        if (*ok && bytes)
            memcpy(data, x->data, (size_t)bytes);
        *at = x->next;
        free(x);
        return true;
    }
    return false;
}

static bool put_by(Shm *m, int from, const Head *h)
{
    Message *x = malloc(sizeof *x + (size_t)h->bytes), **last = &m->early;

    if (!x)
        return lost(m, "no memory for a message of %lld bytes", (long long)h->bytes);
    *x = (Message){NULL, from, (int)h->tag, h->bytes};
    if (!pump(m, ring(m, from, m->e.rank), from, m->e.rank, x->data, h->bytes)) {
        free(x);
        return false;
    }
    while (*last)
        last = &(*last)->next;
    *last = x;
    return true;
}

/* The head of the next message of anybody, and its sender; -1: the one that is waited for will send none. */
static int next_message(Shm *m, int from, Head *h)
{
    double since = now();

    for (;;) {
        uint32_t news = atomic_load(&m->s->member[m->e.rank].news);
        bool gone = !goes_on(m, &from, from >= 0, since); /* what it sent before is still there */

        for (int k = 0; k < m->e.size; k++) {
            Ring *r = ring(m, k, m->e.rank);

            if (atomic_load(&r->put) != atomic_load(&r->taken))
                return pump(m, r, k, m->e.rank, (char *)h, sizeof *h) ? k : -1;
        }
        if (gone)
            return -1;
        futex_wait(&m->s->member[m->e.rank].news, news);
    }
}

/* Messages of others, and of other tags, are put by: who sends never waits for what is received first. */
static bool shm_receive(CommEngine *e, int from, int tag, void *data, int64_t bytes, int *who)
{
    Shm *m = shm(e);
    bool ok = false;
    Head h;

    while (!take_early(m, from, tag, data, bytes, who, &ok)) {
        int k = next_message(m, from, &h);

        if (k >= 0 && (from < 0 || k == from) && h.tag == tag && h.bytes == bytes) {
            *who = k;
            return pump(m, ring(m, k, e->rank), k, e->rank, data, bytes);
        }
        if (k < 0 || !put_by(m, k, &h))
            return false;
    }
    return ok;
}

/* ---- coming and going ---------------------------------------------------------------- */

/* Not everyone came. The last to go takes the name away. */
static void give_up(Shm *m)
{
    bool others = false;

    if (!lock_byte(m->file, OPENING, true))
        return;
    for (int k = 0; k < m->e.size; k++)
        others = others || (k != m->e.rank && has_lock(m->file, k));
    if (!others)
        shm_unlink(m->name);
}

static void shm_close(CommEngine *e, const char *failure)
{
    Shm *m = shm(e);

    if (failure && m->s) {
        Member *mine = &m->s->member[e->rank];

        snprintf(mine->error, sizeof mine->error, "%s", failure);
        atomic_store(&mine->failed, 1);
    }
    while (m->early) {
        Message *x = m->early;

        m->early = x->next;
        free(x);
    }
    if (m->file >= 0 && m->s && !atomic_load(&m->s->gone))
        give_up(m);
    if (m->s)
        munmap(m->s, m->length);
    if (m->file >= 0)
        close(m->file);
    free(m);
}

static size_t slots_at(int size)
{
    return (sizeof(Shared) + (size_t)size * sizeof(Member) + 4095) & ~(size_t)4095;
}

static size_t file_length(int size)
{
    return slots_at(size) + (size_t)size * 2 * sizeof(Slot) + (size_t)size * (size_t)size * sizeof(Ring);
}

/* The file, empty or with others in it. What is left of processes that ended is cleared. */
static bool set_up(Shm *m)
{
    struct stat st;
    bool alive = false;

    for (;;) {
        m->file = shm_open(m->name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (m->file < 0 || fstat(m->file, &st) != 0)
            return lost(m, "cannot open shared memory %s: %s", m->name, strerror(errno));
        if (st.st_uid != geteuid())
            return lost(m, "shared memory %s is another user's", m->name);
        if (!lock_byte(m->file, OPENING, true))
            return lost(m, "cannot lock shared memory %s: %s", m->name, strerror(errno));
        if (fstat(m->file, &st) == 0 && st.st_nlink > 0)
            break;
        close(m->file); /* everyone of an earlier world has met there: begin a new one */
    }
    for (int k = 0; k < m->e.size && !alive; k++)
        alive = has_lock(m->file, k);
    if (!alive && (ftruncate(m->file, 0) != 0 || ftruncate(m->file, (off_t)m->length) != 0))
        return lost(m, "cannot size shared memory %s: %s", m->name, strerror(errno));
    if (alive && (size_t)st.st_size != m->length)
        return lost(m, "other processes of %s are a world of another size", m->name);
    m->s = mmap(NULL, m->length, PROT_READ | PROT_WRITE, MAP_SHARED, m->file, 0);
    if (m->s == MAP_FAILED) {
        m->s = NULL;
        return lost(m, "cannot map %zu bytes: %s", m->length, strerror(errno));
    }
    if (!lock_byte(m->file, m->e.rank, false))
        return lost(m, "rank %d is there already", m->e.rank);
    atomic_store(&m->s->member[m->e.rank].arrived, 1);
    unlock_byte(m->file, OPENING);
    return true;
}

/* Until everyone is there. The first rank then takes the name away, so that nothing stays behind. */
static bool wait_for_all(Shm *m, double patience)
{
    double since = now();

    while (!atomic_load(&m->s->gone)) {
        int missing = -1;

        for (int k = m->e.size - 1; k >= 0; k--)
            if (!atomic_load(&m->s->member[k].arrived))
                missing = k;
            else if (is_gone(m, k))
                return false;
        if (missing < 0 && m->e.rank == 0) {
            shm_unlink(m->name);
            atomic_store(&m->s->gone, 1);
            futex_wake(&m->s->gone);
        } else if (patience > 0 && now() - since > patience) {
            return lost(m, "rank %d waited %g seconds for rank %d to arrive", m->e.rank, patience,
                        MAX(missing, 0));
        } else {
            futex_wait(&m->s->gone, 0);
        }
    }
    return true;
}

CommEngine *shm_engine(int rank, int size, const char *key, double patience, char *error, size_t nerror)
{
    Shm *m = calloc(1, sizeof *m);

    if (!m || size > RANKS) {
        snprintf(error, nerror, m ? "more than %d processes" : "out of memory", RANKS);
        free(m);
        return NULL;
    }
    m->e = (CommEngine){.version = ENGINE_VERSION, .name = "shm", .rank = rank, .size = size,
                    .join = shm_join, .leave = shm_leave, .reduce = shm_reduce,
                    .scatter_reduce = shm_scatter_reduce, .gather = shm_gather,
                    .broadcast = shm_broadcast, .all_to_all = shm_all_to_all, .send = shm_send,
                    .receive = shm_receive, .alive = shm_alive, .close = shm_close};
    m->spins = size <= cpu_count() ? 4000 : 0;
    m->file = -1;
    m->length = file_length(size);
    snprintf(m->name, sizeof m->name, "/weft-%ld-%s", (long)geteuid(), key);
    if (!set_up(m) || !wait_for_all(m, patience)) {
        snprintf(error, nerror, "%s", m->e.error);
        shm_close(&m->e, NULL);
        return NULL;
    }
    m->slots = (Slot *)(void *)((char *)m->s + slots_at(size));
    m->rings = (Ring *)(void *)(m->slots + (size_t)size * 2);
    return &m->e;
}
