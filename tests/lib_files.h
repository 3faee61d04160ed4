/* lib_files.h -- files of a test program, in a folder of its own that goes with it. */
#ifndef LIB_FILES_H
#define LIB_FILES_H

#include <stddef.h>

typedef struct Bytes {
    char *v; /* malloc */
    size_t n;
} Bytes;

/* A path in that folder; it stays for seven calls more. "": the folder itself. */
const char *path_of(const char *name);
void write_file(const char *path, const void *data, size_t n);
/* A file of up to 1 MB. */
Bytes read_file(const char *path);
/* What a .npy file of this version, header and data holds. */
Bytes npy_file(int version, const char *header, const void *data, size_t size);

#endif
