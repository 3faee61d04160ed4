/* fuzz_cache.c -- libFuzzer target: bytes as what happens to the folder of the code cache.
 *
 * An entry is written; bytes then change, cut, lengthen or replace it, put links, folders and other files in its
 * place or beside it, or open it to others. What is read after that is what was written, or nothing; nothing is loaded, since
 * it is no shared object. All bytes are taken as machine code of a model file, too: refused.
 */
#include "runtime/compiler.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char folder[64];
static const char object[] =
    "these bytes stand for machine code, and are served as they are or not at all";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    snprintf(folder, sizeof folder, "%s/weft_fuzz_XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder) || setenv("WEFT_CACHE", folder, 1))
        abort();
    return 0;
}

/* The first name in the folder, or with `remove` all of them gone. */
static bool entry_in_folder(char *name, size_t room, bool remove)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    bool found = false;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.' || strlen(e->d_name) > 2) {
            if (remove && unlinkat(dirfd(d), e->d_name, 0) != 0)
                unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
            if (!found)
                snprintf(name, room, "%s/%s", folder, e->d_name);
            found = true;
        }
    if (d)
        closedir(d);
    return found;
}

typedef struct Bytes {
    const uint8_t *p, *end;
} Bytes;

static unsigned take(Bytes *b) { return b->p < b->end ? *b->p++ : 0; }

static void change(const char *path, Bytes *b)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    struct stat s = {0};
    unsigned what = take(b) % 8, at = take(b) << 8;
    uint8_t byte;
    char other[512];

    at |= take(b);
    byte = (uint8_t)take(b);
    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
        off_t off = (off_t)(at % (unsigned)(s.st_size + 4));

        if (what <= 2 && pwrite(fd, &byte, 1, off) != 1)
            abort();
        if (what == 3 && ftruncate(fd, off) != 0)
            abort();
    }
    if (fd >= 0)
        close(fd);
    snprintf(other, sizeof other, "%s.%u", path, at);
    if (what == 4 && unlink(path) == 0 &&
        symlink(byte & 1 ? "/dev/zero" : path, path) != 0)
        abort();
    if (what == 5 && unlink(path) == 0 &&
        (byte & 1 ? mkdir(path, 0700) : mkfifo(path, 0600)) != 0)
        abort();
    if (what == 6)
        chmod(path, byte & 0777);
    if (what == 7)
        rename(path, byte & 1 ? other : path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .threads = 1});
    CodeUnit unit = {.text = "int f(void);", .size = 12};
    CodeKey key = code_key("head", 4, &unit);
    Bytes b = {data, data + size};
    char path[400];
    size_t n = 0;
    CodeCache c = {0};
    void *got;

    codecache_open(cx, &c);
    codecache_write(&c, &key, object, sizeof object);
    if (!entry_in_folder(path, sizeof path, false))
        abort();
    for (int i = 0; i < 8 && b.p < b.end; i++)
        change(path, &b);
    got = codecache_read(&c, &key, &n);
    if (got && (n != sizeof object || memcmp(got, object, n) != 0))
        abort(); /* what nobody wrote */
    if (!got && size == 0)
        abort(); /* what was written is not found */
    if (got)
        mem_free(&c.al, got, n);
    if (codecache_find(&c, &key))
        abort();
    codecache_trim(&c);
    codecache_close(&c);
    if (!codefile_take(cx, data, size))
        abort();
    entry_in_folder(path, sizeof path, true);
    wf_ctx_free(cx);
    return 0;
}
