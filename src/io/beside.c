/* beside.c -- files that a model names for its data.
 *
 * The name is a file's own word, so it is believed only where it stays in the model's folder: no way up, none from the
 * root, and no symbolic link that leads elsewhere. Caches of models keep files under other names and give links to
 * them, model and data alike; so the folder is the one of the path that was given, or the one that the model itself
 * lies in.
 */
#include "io/io.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Is path below folder? Both are as realpath gives them. */
static bool lies_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    n -= n && folder[n - 1] == '/'; /* the root */
    return !strncmp(path, folder, n) && path[n] == '/';
}

bool model_file_is_beside(const char *model, const char *name)
{
    const char *slash = strrchr(model, '/');
    int folder = slash ? (int)(slash - model) + 1 : 0;
    char path[PATH_MAX], data[PATH_MAX], real[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s%s", folder, model, name);

    if (!name_goes_down(name) || n < 0 || (size_t)n >= sizeof path)
        return false;
    if (!realpath(path, data))
        return errno == ENOENT; /* opening it says that it is not there */
    snprintf(path, sizeof path, "%.*s.", folder, model);
    if (realpath(path, real) && lies_in(data, real))
        return true;
    if (!realpath(model, real))
        return false;
    real[strrchr(real, '/') - real + 1] = '\0';
    return lies_in(data, real);
}
