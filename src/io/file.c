/* file.c -- bytes of files: mapped when read, replaced as a whole when written.
 *
 *   reading   A plain file is mapped, private and read-only, so that large tensors cost
 *             no memory until they are used. Whoever cuts a mapped file shorter makes
 *             reading beyond its end a bus error; replacing it by renaming, as Writer
 *             does, is safe.
 *   writing   temporary file in the same folder, fsync, rename, fsync of the folder
 */
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool blob_fail(wf_ctx *cx, const char *path, const char *what, int error)
{
    char text[128];

    return fail(cx, WF_ERR_IO, in_file(path), "cannot %s: %s", what,
                strerror_r(error, text, sizeof text));
}

/* ---- reading ----------------------------------------------------------------------- */

void blob_release(void *blob)
{
    Blob *b = blob;

    if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    wf_allocator al = b->al;
    if (b->room)
        mem_free(&al, (char *)(uintptr_t)b->data, b->room);
    else if (b->size)
        munmap((char *)(uintptr_t)b->data, b->size);
    mem_free(&al, b, sizeof *b);
}

Blob *blob_retain(Blob *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

static Blob *blob_new(wf_ctx *cx)
{
    Blob *b = mem_alloc(&cx->al, sizeof *b);

    if (!b)
        ctx_out_of_memory(cx);
    *b = (Blob){.al = cx->al, .data = ""};
    atomic_init(&b->refs, 1);
    pool_defer(cx, blob_release, b);
    return b;
}

/* At least `room` bytes for data. What is there is kept. */
static char *blob_reserve(wf_ctx *cx, Blob *b, size_t room)
{
    char *p = mem_alloc(&cx->al, room);

    if (!p)
        ctx_out_of_memory(cx);
    if (b->size)
        memcpy(p, b->data, b->size);
    if (b->room)
        mem_free(&cx->al, (char *)(uintptr_t)b->data, b->room);
    b->data = p;
    b->room = room;
    return p;
}

Blob *blob_copy(wf_ctx *cx, const void *data, size_t size)
{
    Blob *b = blob_new(cx);

    memcpy(blob_reserve(cx, b, size + !size), data, size);
    b->size = size;
    return b;
}

static bool read_to_end(wf_ctx *cx, const char *path, int fd, Blob *b)
{
    for (;;) {
        if (b->size == b->room)
            blob_reserve(cx, b, b->room ? b->room * 2 : 1 << 16);
        ssize_t got = read(fd, (char *)(uintptr_t)b->data + b->size, b->room - b->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return blob_fail(cx, path, "read", errno);
        if (got == 0)
            return true;
        b->size += (size_t)got;
    }
}

static void close_fd(void *obj) { close((int)(intptr_t)obj); }

Blob *blob_of(wf_ctx *cx, const char *path, int fd, bool map)
{
    struct stat st;
    Blob *b;

    pool_defer(cx, close_fd, (void *)(intptr_t)fd);
    b = blob_new(cx);
    b->copied = !map;
    if (fstat(fd, &st) != 0)
        return blob_fail(cx, path, "read", errno), NULL;
    b->device = st.st_dev;
    b->number = st.st_ino;
    if (S_ISDIR(st.st_mode))
        return blob_fail(cx, path, "read", EISDIR), NULL;
    if (S_ISBLK(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fd)))
        return fail(cx, WF_ERR_IO, NOWHERE, "cannot read %s: it is a device, not a file", path), NULL;
    if (map && S_ISREG(st.st_mode) && st.st_size > 0) {
        /* Tensors on it may be written to: pages are copied then, the file stays as it is. */
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_NORESERVE, fd, 0);

        if (p != MAP_FAILED) {
            b->data = p;
            b->size = (size_t)st.st_size;
            return b;
        }
    }
    return read_to_end(cx, path, fd, b) ? b : NULL;
}

static Blob *open_blob(wf_ctx *cx, const char *path, bool map)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? (blob_fail(cx, path, "open", errno), NULL) : blob_of(cx, path, fd, map);
}

Blob *blob_open(wf_ctx *cx, const char *path) { return open_blob(cx, path, true); }
Blob *blob_read(wf_ctx *cx, const char *path) { return open_blob(cx, path, false); }

/* ---- writing ----------------------------------------------------------------------- */

struct Writer {
    wf_ctx *cx;
    wf_allocator al;
    int fd;
    const char *path;      /* as the caller gave it; borrowed for the call */
    char *temp;            /* the temporary file; NULL: the target is written directly */
    size_t temp_size;      /* of that name's memory */
    size_t n;              /* bytes in buf */
    char target[PATH_MAX]; /* path with links followed */
    char buf[1 << 16];
};

static void writer_close(void *obj)
{
    Writer *w = obj;
    wf_allocator al = w->al;

    if (w->fd >= 0)
        close(w->fd);
    if (w->temp) {
        unlink(w->temp);
        mem_free(&al, w->temp, w->temp_size);
    }
    mem_free(&al, w, sizeof *w);
}

/* The folder's part of a path, its slash included: how long. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The process of a name ".NAME.PID.k~"; 0: it is not such a name. */
static long writer_of(const char *entry, const char *name)
{
    size_t n = strlen(name);
    char *end;
    long pid;

    if (entry[0] != '.' || strncmp(entry + 1, name, n) != 0 || entry[n + 1] != '.' ||
        entry[n + 2] < '1' || entry[n + 2] > '9')
        return 0;
    pid = strtol(entry + n + 2, &end, 10);
    if (*end != '.' || end[1] < '0' || end[1] > '9')
        return 0;
    end += 1 + strspn(end + 1, "0123456789");
    return strcmp(end, "~") == 0 ? pid : 0;
}

/* Is nobody writing it? Who does holds a lock, wherever its process is. */
static bool is_abandoned(int folder, const char *entry, long pid)
{
    struct stat st;
    int fd;
    bool free;

    if (pid == (long)getpid() || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
        return false;
    fd = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    free = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return free;
}

/* Removes what killed writers of this target have left beside it. */
static void remove_abandoned(const Writer *w)
{
    size_t n = folder_length(w->target);
    char folder[PATH_MAX];
    DIR *d;

    memcpy(folder, n ? w->target : ".", n ? n : 1);
    folder[n ? n : 1] = '\0';
    if (!(d = opendir(folder)))
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        long pid = writer_of(e->d_name, w->target + n);

        if (pid > 0 && is_abandoned(dirfd(d), e->d_name, pid))
            unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

/* Open a new file ".NAME.PID.k~" beside the target. */
static bool open_temp(Writer *w, mode_t mode)
{
    const char *target = w->target;
    size_t folder = folder_length(target);

    w->temp_size = strlen(target) + 48;
    w->temp = mem_alloc(&w->al, w->temp_size);
    if (!w->temp)
        ctx_out_of_memory(w->cx);
    for (int k = 0; k < 100 && w->fd < 0; k++) {
        snprintf(w->temp, w->temp_size, "%.*s.%s.%ld.%d~", (int)folder, target,
                 target + folder, (long)getpid(), k);
        w->fd = open(w->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (w->fd < 0 && errno != EEXIST)
            break;
    }
    if (w->fd < 0) { /* nothing of ours to remove */
        int error = errno;

        mem_free(&w->al, w->temp, w->temp_size);
        w->temp = NULL;
        return blob_fail(w->cx, w->path, "create a file beside it", error);
    }
    (void)flock(w->fd, LOCK_EX | LOCK_NB); /* see is_abandoned */
    return true;
}

Writer *writer_open(wf_ctx *cx, const char *path)
{
    Writer *w = mem_alloc(&cx->al, sizeof *w);
    struct stat st;
    bool exists;

    if (!w)
        ctx_out_of_memory(cx);
    w->cx = cx;
    w->al = cx->al;
    w->path = path;
    w->temp = NULL;
    w->fd = -1;
    w->n = 0;
    pool_defer(cx, writer_close, w);
    if (!realpath(path, w->target)) { /* a new file */
        if (strlen(path) >= sizeof w->target)
            return blob_fail(cx, path, "write", ENAMETOOLONG), NULL;
        memcpy(w->target, path, strlen(path) + 1);
    }
    exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return blob_fail(cx, path, "write", EISDIR), NULL;
    if (exists && !S_ISREG(st.st_mode)) {
        w->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (w->fd < 0)
            return blob_fail(cx, path, "open", errno), NULL;
        return w;
    }
    if (exists && access(path, W_OK) != 0)
        return blob_fail(cx, path, "write", errno), NULL;
    remove_abandoned(w);
    if (!open_temp(w, 0666))
        return NULL;
    if (exists)
        (void)!fchmod(w->fd,
                      st.st_mode & 07777); /* what it may not be stays as created */
    return w;
}

static bool write_all(Writer *w, const char *s, size_t n)
{
    while (n) {
        ssize_t put = write(w->fd, s, MIN(n, (size_t)1 << 30));

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return blob_fail(w->cx, w->path, "write", errno);
        s += put;
        n -= (size_t)put;
    }
    return true;
}

bool writer_put(Writer *w, const void *data, size_t size)
{
    if (size > sizeof w->buf - w->n) {
        if (!write_all(w, w->buf, w->n))
            return false;
        w->n = 0;
    }
    if (size > sizeof w->buf)
        return write_all(w, data, size);
    if (size)
        memcpy(w->buf + w->n, data, size);
    w->n += size;
    return true;
}

static void sync_folder(const char *target)
{
    size_t n = folder_length(target);
    char folder[4096];
    int fd;

    if (n >= sizeof folder)
        return;
    memcpy(folder, n ? target : ".", n ? n : 1);
    folder[n ? n : 1] = '\0';
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

bool writer_commit(Writer *w)
{
    int fd = w->fd;

    if (!write_all(w, w->buf, w->n))
        return false;
    w->n = 0;
    if (w->temp && fsync(fd) != 0)
        return blob_fail(w->cx, w->path, "write", errno);
    w->fd = -1;
    if (close(fd) != 0)
        return blob_fail(w->cx, w->path, "write", errno);
    if (!w->temp)
        return true;
    if (rename(w->temp, w->target) != 0)
        return blob_fail(w->cx, w->path, "replace", errno);
    mem_free(&w->al, w->temp, w->temp_size);
    w->temp = NULL;
    sync_folder(w->target);
    return true;
}
