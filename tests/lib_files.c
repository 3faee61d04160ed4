/* lib_files.c -- files of a test program, in a folder of its own that goes with it. */
#include "lib_files.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

const char *path_of(const char *name)
{
    static char paths[8][128];
    static int k;
    char *p = paths[k++ % 8];

    if (!*folder) {
        strcpy(folder, "/tmp/weft-test-XXXXXX");
        if (!mkdtemp(folder))
            FAIL("no temporary folder");
    }
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

__attribute__((destructor)) static void remove_folder(void)
{
    char command[128];

    if (!*folder)
        return;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    (void)!system(command);
}

void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(data, 1, n, f) != n)
        FAIL("cannot write %s", path);
    if (f)
        fclose(f);
}

Bytes read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    Bytes b = {malloc(1 << 20), 0};

    if (!f)
        FAIL("cannot read %s", path);
    else
        b.n = fread(b.v, 1, 1 << 20, f);
    if (f)
        fclose(f);
    return b;
}

Bytes npy_file(int version, const char *header, const void *data, size_t size)
{
    size_t n = strlen(header), prefix = version == 1 ? 10 : 12;
    Bytes b = {calloc(1, prefix + n + size), prefix + n + size};

    memcpy(b.v, "\x93NUMPY", 6);
    b.v[6] = (char)version;
    memcpy(b.v + 8, &n, prefix - 8);
    memcpy(b.v + prefix, header, n);
    if (size)
        memcpy(b.v + prefix + n, data, size);
    return b;
}
