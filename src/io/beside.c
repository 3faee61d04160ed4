/* beside.c -- files that a model names for its data.
 *
 * The name is a file's own word, so it is believed only where it stays in the model's folder: no way up, none from the
 * root, and no symbolic link that leads elsewhere. Caches of models keep files under other names and give links to
 * them, model and data alike; so the folder is the one of the path that was given, or the one that the model itself
 * lies in. Links are followed once, by realpath; what is opened is that path, from the folder down and through no link,
 * so that who changes links meanwhile gets an error.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool name_goes_down(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\'))
        return false;
    for (const char *s = name; s; s = strchr(s, '/')) {
        s += *s == '/';
        size_t n = strcspn(s, "/");

        if ((n == 2 && !strncmp(s, "..", 2)) || n == 0)
            return false;
    }
    return true;
}

/* What of path is below folder; NULL: it is not there. Both are as realpath gives them. */
static char *below(char *path, const char *folder)
{
    size_t n = strlen(folder);

    n -= n && folder[n - 1] == '/'; /* the root */
    return strncmp(path, folder, n) || path[n] != '/' ? NULL : path + n + 1;
}

/* The folder that the model lies in, if it is still the file that was read. */
static bool folder_of_file(const char *path, const Blob *own, char real[PATH_MAX])
{
    struct stat st;

    if (!own->number || !realpath(path, real) || stat(real, &st) != 0 || st.st_dev != own->device ||
        st.st_ino != own->number)
        return false;
    *strrchr(real, '/') = '\0';
    return true;
}

/* Opens folder/rest, where nothing of rest may be a link. */
static int open_down(const char *folder, char *rest)
{
    int at = open(*folder ? folder : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (char *next; at >= 0 && rest; rest = next) {
        int dir = at, error;

        if ((next = strchr(rest, '/')))
            *next++ = '\0';
        at = openat(dir, rest, (next ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK) | O_NOFOLLOW | O_CLOEXEC);
        error = errno;
        close(dir);
        errno = error;
    }
    return at;
}

/* full: the path of the data as it was given. -1: errno says why, EXDEV that it is outside. */
static int open_beside(const char *path, const Blob *own, const char *folder, const char *full)
{
    char data[PATH_MAX], real[PATH_MAX], *rest;

    if (!realpath(full, data))
        return -1;
    if ((realpath(folder, real) && (rest = below(data, real))) ||
        (folder_of_file(path, own, real) && (rest = below(data, real))))
        return open_down(real, rest);
    errno = EXDEV;
    return -1;
}

wf_status blob_open_beside(wf_ctx *cx, const char *path, const Blob *own, const char *name, Blob **out)
{
    API_ENTER(cx);
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_printf(&cx->scratch, "%.*s", (int)(slash - path) + 1, path) : "./";
    const char *full = arena_printf(&cx->scratch, "%s%s", folder, name);
    bool down = name_goes_down(name);
    int fd = down ? open_beside(path, own, folder, full) : -1;
    Blob *b;

    if (!down || (fd < 0 && errno == EXDEV))
        fail(cx, WF_ERR_FORMAT, in_file(path), "its file '%.80s' is outside the model's folder", name);
    else if (fd < 0)
        blob_fail(cx, full, "open", errno);
    else if ((b = blob_of(cx, full, fd, !own->copied)))
        *out = blob_retain(b);
    API_RETURN(cx);
}
