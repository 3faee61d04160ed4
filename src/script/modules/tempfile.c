/* tempfile.c -- the module tempfile: private directories and files.
 *
 * What makes them is C: names come from the system's random bytes; a file is made with
 * O_EXCL | O_NOFOLLOW and mode 0600, a directory with mode 0700, so that nobody can guess
 * the name, be there first, or read what is written. The rest is in the language itself.
 */
#include "modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 1000

/* dir/prefix........suffix with eight characters of 5 random bits each */
static bool new_path(Vm *vm, const Args *a, char *out, size_t cap)
{
    const char *part[3];
    unsigned char bits[8];
    char name[9] = {0};

    if (!sc_may(vm, "reach files"))
        return false;
    for (int i = 0; i < 3; i++)
        if (!(part[i] = sc_to_cstr(vm, a->v[i], "a part of the name")))
            return false;
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return sc_fail(vm, C_OSError, "no random bits for a name");
    for (int i = 0; i < 8; i++)
        name[i] = "abcdefghijklmnopqrstuvwxyz234567"[bits[i] & 31];
    if ((size_t)snprintf(out, cap, "%s/%s%s%s", part[0], part[1], name, part[2]) >= cap)
        return sc_fail(vm, C_OSError, "File name too long");
    return true;
}

static Value m_path(Vm *vm, const Args *a)
{
    char path[4096];

    return new_path(vm, a, path, sizeof path) ? v_obj(sc_str(vm, path)) : NIL;
}

/* _directory(dir, prefix, suffix): the path of a new one */
static Value m_directory(Vm *vm, const Args *a)
{
    char path[4096];

    for (int i = 0; i < TRIES; i++) {
        if (!new_path(vm, a, path, sizeof path))
            return NIL;
        if (mkdir(path, 0700) == 0)
            return v_obj(sc_str(vm, path));
        if (errno != EEXIST)
            break;
    }
    return os_raise_errno(vm, path);
}

/* _file(dir, prefix, suffix): the path and the open descriptor of a new one */
static Value m_file(Vm *vm, const Args *a)
{
    char path[4096];
    Value v[2], t;
    int fd;

    for (int i = 0; i < TRIES; i++) {
        if (!new_path(vm, a, path, sizeof path))
            return NIL;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0) {
            v[0] = v_obj(sc_str(vm, path));
            v[1] = v_int(fd);
            t = v[0].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 2));
            sc_drop(vm, v[0]);
            if (t.tag == T_NIL) {
                close(fd);
                unlink(path);
            }
            return t;
        }
        if (errno != EEXIST)
            break;
    }
    return os_raise_errno(vm, path);
}

static Value m_close(Vm *vm, const Args *a)
{
    int64_t fd;

    if (!sc_to_int(vm, a->v[0], &fd))
        return NIL;
    close((int)fd);
    return NONE;
}

bool open_tempfile(Vm *vm, ScModule *m)
{
    static const NativeDef functions[] = {
        {"_path", m_path, "dir,prefix,suffix"},
        {"_directory", m_directory, "dir,prefix,suffix"},
        {"_file", m_file, "dir,prefix,suffix"},
        {"_close", m_close, "fd"},
        {0},
    };

    return sc_module_natives(vm, m, functions);
}

