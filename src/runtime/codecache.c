/* codecache.c -- compiled units on disk, between runs and processes.
 *
 *   directory    the user's own, mode 0700, held open; entries are reached through it
 *   entry        <hash of the key>.so:  object | head | text | Footer
 *                The loader reads the object and does not see what follows it.
 *   a hit        opened without following links; a plain file of ours that nobody else
 *                may write; read; checksum right; head and text the same as the key's,
 *                byte for byte; then loaded through that same descriptor
 *   publishing   written under a name of its own, then renamed: others see all or
 *                nothing, and of two who publish the same one the later stays
 *   use          renews the time of the file; codecache_trim removes the oldest
 *
 * Where something does not work (disk full, directory read-only, file system without
 * execution) the object is loaded from memory, from a file that has no name.
 */
#include "compiler.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC         "weft code 1\n\0\0\0\0"
#define NAME_MAX_     48
#define STALE_SECONDS 3600 /* what is left of a compile this long ago has no owner */

typedef struct Footer {
    char magic[16];
    uint64_t object_size, head_size, text_size;
    Hash sum; /* of all that stands before */
} Footer;

CodeKey code_key(const char *head, size_t head_size, const CodeUnit *u)
{
    CodeKey k = {head, head_size, u->text, u->size, {0, 0}};
    Hasher h;

    hash_init(&h, 1);
    hash_u64(&h, head_size);
    hash_bytes(&h, head, head_size);
    hash_bytes(&h, u->text, u->size);
    k.hash = hash_done(&h);
    return k;
}

static void entry_name(const CodeKey *k, char name[NAME_MAX_])
{
    snprintf(name, NAME_MAX_, "%016llx%016llx.so", (unsigned long long)k->hash.hi,
             (unsigned long long)k->hash.lo);
}

/* ---- the directory ----------------------------------------------------------------- */

/* Ours alone? */
static bool is_own_directory(int fd)
{
    struct stat s;

    return fstat(fd, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & 077) == 0;
}

/* Where it should be; false: nowhere. */
static bool directory_path(char *path, size_t room)
{
    const char *own = getenv("WEFT_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n;

    if (own && *own)
        n = strcmp(own, "off") == 0 ? -1 : snprintf(path, room, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(path, room, "%s/weft", xdg);
    else if (home && *home == '/')
        n = snprintf(path, room, "%s/.cache/weft", home);
    else
        n = -1;
    return n > 0 && (size_t)n < room;
}

static int64_t size_limit(void)
{
    const char *s = getenv("WEFT_CACHE_MB");
    long mb = s ? strtol(s, NULL, 10) : 256;

    return (int64_t)MIN(MAX(mb, 0), 1 << 20) << 20;
}

void codecache_open(wf_ctx *cx, CodeCache *c)
{
    char *slash;

    c->dir = -1;
    c->al = cx->al;
    c->limit = size_limit();
    if (!directory_path(c->path, sizeof c->path))
        return;
    slash = strrchr(c->path, '/');
    if (slash && slash != c->path) { /* ~/.cache may be missing, too */
        *slash = 0;
        mkdir(c->path, 0700);
        *slash = '/';
    }
    mkdir(c->path, 0700);
    c->dir = open(c->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->dir < 0) {
        ctx_log(cx, WF_LOG_DEBUG, "no code cache: %s: %s", c->path, strerror(errno));
        return;
    }
    if (!is_own_directory(c->dir)) {
        ctx_log(cx, WF_LOG_WARN,
                "code cache not used: %s must be a directory of yours that is closed to "
                "others (mode 0700)",
                c->path);
        codecache_close(c);
    }
}

void codecache_close(CodeCache *c)
{
    if (c->dir >= 0)
        close(c->dir);
    c->dir = -1;
}

/* ---- loading ----------------------------------------------------------------------- */

/* dlopen takes a library of the same name for the same library, and descriptors are
 * numbers that come again: so each load spells its path in its own way. For the kernel
 * "/proc/self/fd//./5" is "/proc/self/fd/5". */
static void *load_descriptor(int fd)
{
    static _Atomic uint32_t loads;
    uint32_t id = atomic_fetch_add_explicit(&loads, 1, memory_order_relaxed);
    char path[128] = "/proc/self/fd";
    size_t n = strlen(path);

    for (; id; id >>= 1)
        n += (size_t)snprintf(path + n, sizeof path - n, id & 1 ? "/." : "/");
    snprintf(path + n, sizeof path - n, "/%d", fd);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool write_all(int fd, const void *p, size_t n)
{
    const char *at = p;

    while (n > 0) {
        ssize_t k = write(fd, at, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

static void *load_memory(const void *object, size_t size)
{
    int fd = memfd_create("weft-code", MFD_CLOEXEC);
    void *handle;

    if (fd < 0)
        return NULL;
    handle = write_all(fd, object, size) ? load_descriptor(fd) : NULL;
    close(fd);
    return handle;
}

/* A shared object that ends where it says it does: its table of sections, which is
 * written last, is there. A shorter one would crash the loader. */
static bool is_whole_object(const void *object, size_t size)
{
    Elf64_Ehdr h;

    if (size < sizeof h)
        return false;
    memcpy(&h, object, sizeof h);
    return memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_ident[EI_CLASS] == ELFCLASS64 &&
           h.e_type == ET_DYN && h.e_shoff <= size &&
           (uint64_t)h.e_shnum * h.e_shentsize <= size - h.e_shoff;
}

/* ---- a hit ------------------------------------------------------------------------- */

static Hash checksum(const void *object, size_t size, const CodeKey *k)
{
    Hasher h;

    hash_init(&h, 2);
    hash_bytes(&h, object, size);
    hash_bytes(&h, k->head, k->head_size);
    hash_bytes(&h, k->text, k->text_size);
    return hash_done(&h);
}

static bool read_all(int fd, char *to, size_t n)
{
    size_t done = 0;

    while (done < n) {
        ssize_t k = pread(fd, to + done, n - done, (off_t)done);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        done += (size_t)k;
    }
    return true;
}

/* Are these bytes an entry for the key? */
static bool entry_fits(const char *p, size_t size, const CodeKey *k, size_t *out_object)
{
    size_t keys = k->head_size + k->text_size, object;
    Footer f;

    if (size < sizeof f || keys > size - sizeof f)
        return false;
    memcpy(&f, p + size - sizeof f, sizeof f);
    object = size - sizeof f - keys;
    if (memcmp(f.magic, MAGIC, sizeof f.magic) != 0 || f.object_size != object ||
        f.head_size != k->head_size || f.text_size != k->text_size ||
        memcmp(p + object, k->head, k->head_size) != 0 ||
        memcmp(p + object + k->head_size, k->text, k->text_size) != 0 ||
        !hash_eq(f.sum, checksum(p, object, k)))
        return false;
    *out_object = object;
    return true;
}

/* All of the entry behind fd, if it is ours and right; object: how much of it is code. */
static char *read_entry(CodeCache *c, int fd, const CodeKey *key, size_t *out_size,
                        size_t *out_object)
{
    struct stat s;
    char *p;

    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
        (s.st_mode & 022) != 0 || s.st_size <= 0 || s.st_size > (off_t)1 << 30)
        return NULL;
    *out_size = (size_t)s.st_size;
    if (!(p = mem_alloc(&c->al, *out_size)))
        return NULL;
    if (read_all(fd, p, *out_size) && entry_fits(p, *out_size, key, out_object))
        return p;
    mem_free(&c->al, p, *out_size);
    return NULL;
}

/* Loads the entry behind fd if it is right. */
static void *load_entry(CodeCache *c, int fd, const CodeKey *key)
{
    size_t size, object;
    char *p = read_entry(c, fd, key, &size, &object);
    void *handle = NULL;

    if (p && is_whole_object(p, object)) {
        handle = load_descriptor(fd);
        if (!handle)
            handle = load_memory(p, object); /* a file system without execution */
    }
    if (p)
        mem_free(&c->al, p, size);
    return handle;
}

/* The descriptor of an entry, or -1. */
static int open_entry(CodeCache *c, const char *name)
{
    int fd;

    if (c->dir < 0)
        return -1;
    fd = openat(c->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        unlinkat(c->dir, name, 0);
    return fd;
}

/* A used entry is renewed, one that is wrong goes. */
static void close_entry(CodeCache *c, const char *name, int fd, bool used)
{
    if (used)
        futimens(fd, NULL);
    else
        unlinkat(c->dir, name, 0);
    c->damaged += !used;
    close(fd);
}

void *codecache_find(CodeCache *c, const CodeKey *key)
{
    char name[NAME_MAX_];
    void *handle;
    int fd;

    entry_name(key, name);
    if ((fd = open_entry(c, name)) < 0)
        return NULL;
    handle = load_entry(c, fd, key);
    close_entry(c, name, fd, handle != NULL);
    return handle;
}

void *codecache_read(CodeCache *c, const CodeKey *key, size_t *out_size)
{
    char name[NAME_MAX_], *p, *copy = NULL;
    size_t size;
    int fd;

    entry_name(key, name);
    if ((fd = open_entry(c, name)) < 0)
        return NULL;
    p = read_entry(c, fd, key, &size, out_size);
    close_entry(c, name, fd, p != NULL);
    if (p && (copy = mem_alloc(&c->al, *out_size)))
        memcpy(copy, p, *out_size);
    if (p)
        mem_free(&c->al, p, size);
    return copy;
}

/* ---- publishing -------------------------------------------------------------------- */

static bool write_entry(int fd, const CodeKey *k, const void *object, size_t size)
{
    Footer f = {MAGIC, size, k->head_size, k->text_size, checksum(object, size, k)};

    return write_all(fd, object, size) && write_all(fd, k->head, k->head_size) &&
           write_all(fd, k->text, k->text_size) && write_all(fd, &f, sizeof f);
}

/* The descriptor of the new entry, or -1. */
static int publish(CodeCache *c, const CodeKey *key, const void *object, size_t size)
{
    char name[NAME_MAX_], fresh[NAME_MAX_];
    uint64_t id;
    int fd;

    if (c->dir < 0 || getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        return -1;
    entry_name(key, name);
    snprintf(fresh, sizeof fresh, "%016llx.tmp", (unsigned long long)id);
    fd = openat(c->dir, fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (write_entry(fd, key, object, size) && renameat(c->dir, fresh, c->dir, name) == 0)
        return fd;
    unlinkat(c->dir, fresh, 0);
    close(fd);
    return -1;
}

void *codecache_add(CodeCache *c, const CodeKey *key, const void *object, size_t size)
{
    void *handle = NULL;
    int fd;

    if (!is_whole_object(object, size))
        return NULL;
    if ((fd = publish(c, key, object, size)) >= 0) {
        handle = load_descriptor(fd);
        close(fd);
    }
    return handle ? handle : load_memory(object, size);
}

void *code_load_object(const void *object, size_t size)
{
    return is_whole_object(object, size) ? load_memory(object, size) : NULL;
}

void codecache_write(CodeCache *c, const CodeKey *key, const void *bytes, size_t size)
{
    int fd = publish(c, key, bytes, size);

    if (fd >= 0)
        close(fd);
}

/* ---- keeping it small -------------------------------------------------------------- */

typedef struct Entry {
    char name[NAME_MAX_];
    struct timespec used;
    int64_t size;
} Entry;

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const Entry *)a)->used, *y = &((const Entry *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && strcmp(s + n - k, end) == 0;
}

/* A directory that a compile worked in. It holds plain files only. */
static void remove_work(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    unlinkat(dir, name, AT_REMOVEDIR);
}

/* One file of the directory: swept away, or counted. */
static void look_at(CodeCache *c, const char *name, Entry **entries, size_t *n,
                    size_t *room)
{
    struct stat s;
    bool old;

    if (fstatat(c->dir, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    old = time(NULL) - s.st_mtim.tv_sec > STALE_SECONDS;
    if (S_ISDIR(s.st_mode) && strncmp(name, "work.", 5) == 0 && old)
        remove_work(c->dir, name);
    else if (S_ISREG(s.st_mode) && ends_in(name, ".tmp") && old)
        unlinkat(c->dir, name, 0);
    else if (S_ISREG(s.st_mode) && ends_in(name, ".so") && strlen(name) < NAME_MAX_) {
        if (*n == *room) {
            size_t more = *room ? *room * 2 : 256;
            Entry *v = realloc(*entries, more * sizeof *v);

            if (!v)
                return;
            *entries = v;
            *room = more;
        }
        (*entries)[*n].used = s.st_mtim;
        (*entries)[*n].size = s.st_size;
        strcpy((*entries)[(*n)++].name, name);
    }
}

void codecache_trim(CodeCache *c)
{
    int fd = c->dir < 0 ? -1 : openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    Entry *entries = NULL;
    size_t n = 0, room = 0;
    int64_t total = 0;

    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        look_at(c, e->d_name, &entries, &n, &room);
    closedir(d);
    for (size_t i = 0; i < n; i++)
        total += entries[i].size;
    if (total > c->limit) {
        qsort(entries, n, sizeof *entries, by_use);
        for (size_t i = 0; i < n && total > c->limit / 4 * 3; i++) {
            unlinkat(c->dir, entries[i].name, 0);
            total -= entries[i].size;
        }
    }
    free(entries);
}
