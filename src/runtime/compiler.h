/* compiler.h -- machine code from C text: the system's C compiler, and the code cache.
 *
 *   units of C text --key--> code cache --hit--> loaded
 *                              `--miss--> cc, one process a unit --> published --> loaded
 *
 *   compiler.c    finds the compiler, runs it without a shell, waits for it, gives up
 *   codecache.c   the directory of compiled units, and loading them
 *   codefile.c    units that model files bring
 *
 * Nothing here is an error to the caller: where there is no compiler, or it fails, hangs
 * or dies, code_load says false (the log says why, once) and the interpreter serves.
 *
 * Environment
 *   CC                the compiler, with arguments if wished; else cc, gcc, clang
 *   WEFT_CACHE        the cache's directory; "off": none. Else $XDG_CACHE_HOME/weft,
 *                     ~/.cache/weft
 *   WEFT_CACHE_MB     how large it may grow; 256
 *   WEFT_CC_SECONDS   how long one unit may take to compile; 60
 * A process that runs with somebody else's rights (set-user-id) starts no compiler.
 *
 * Everything here may be called inside and outside protected regions: it does not jump.
 */
#ifndef WEFT_COMPILER_H
#define WEFT_COMPILER_H

#include "base/base.h"

/* ---- compiler.c -------------------------------------------------------------------- */

typedef struct CodeUnit {
    const char *text; /* C, complete in itself; names in it are the generator's own */
    size_t size;
} CodeUnit;

typedef struct CodeStats {
    int hits, compiled; /* units from the cache, and from the compiler */
    double seconds;     /* all of code_load */
} CodeStats;

/* Loaded units, counted. */
typedef struct Code Code;

/* Loads n units, those not in the cache compiled at once, as many as there are cores.
 * flags: words for the compiler, NULL at the end; -shared -fPIC are added. False: no
 * code, for whatever reason. */
bool code_load(wf_ctx *cx, const CodeUnit *units, int n, const char *const *flags,
               Code **out_code);
/* An exported function of the units; the first that has it. NULL: none has. */
void *code_symbol(const Code *c, const char *name);
const CodeStats *code_stats(const Code *c);
Code *code_retain(Code *c);
void code_release(Code *c); /* unloads with the last reference; NULL is fine */
/* Is there a compiler? Does not start it; the log is told that there is none, once. */
bool code_possible(wf_ctx *cx);
/* One unit as a shared object, in memory of cx->al; neither looked for in the cache nor loaded. */
bool code_make(wf_ctx *cx, const CodeUnit *u, const char *const *flags, char **out_object, size_t *out_size);
/* n handles of dlopen, taken over, as code. */
Code *code_of_handles(wf_ctx *cx, void *const *handle, int n);

/* ---- codefile.c -------------------------------------------------------------------- */

/* Machine code as a file has it:  object | Footer. What it goes by is a hash of Weft's version, the flags (which have the
 * instruction set) and the unit's text; the compiler that made it and the machine it was made on are not in it. */
Hash codefile_key(const CodeUnit *u, const char *const *flags);
/* The unit compiled, in memory of cx->al. */
bool codefile_make(wf_ctx *cx, const CodeUnit *u, const char *const *flags, char **out_bytes, size_t *out_size);
/* Bytes of a file, for contexts of the runtime: checked whole. NULL, or why they are not taken. */
const char *codefile_take(wf_ctx *cx, const void *bytes, size_t size);
/* Has a file brought any code that cx may use? */
bool codefile_any(wf_ctx *cx);
/* All of the units from files; false: some are not there. */
bool codefile_load(wf_ctx *cx, const CodeUnit *units, int n, const char *const *flags, Code **out_code);

/* ---- codecache.c ------------------------------------------------------------------- */

/* The directory, held open. dir -1: there is none, and code lives in memory only. */
typedef struct CodeCache {
    int dir;
    int64_t limit; /* bytes */
    wf_allocator al;
    char path[1024]; /* of dir */
    int damaged;     /* entries that were found to be wrong, and removed */
} CodeCache;

/* What an entry must match: all that the machine code depends on. */
typedef struct CodeKey {
    const char *head; /* version, machine, compiler, flags */
    size_t head_size;
    const char *text; /* the unit */
    size_t text_size;
    Hash hash; /* of both */
} CodeKey;

CodeKey code_key(const char *head, size_t head_size, const CodeUnit *u);
/* Opens or makes the directory; one that is not the user's own, or open to others, is not
 * used, and the log says so. */
void codecache_open(wf_ctx *cx, CodeCache *c);
void codecache_close(CodeCache *c);
/* A handle of dlopen for the key, or NULL. An entry that is damaged is removed. */
void *codecache_find(CodeCache *c, const CodeKey *key);
/* Loads a fresh shared object, and publishes it. NULL: it cannot be loaded. */
void *codecache_add(CodeCache *c, const CodeKey *key, const void *object, size_t size);
/* The same of code that is not to be published. */
void *code_load_object(const void *object, size_t size);
/* The same for code that no loader of the host reads: a copy of the bytes, of c->al, or
 * NULL. */
void *codecache_read(CodeCache *c, const CodeKey *key, size_t *out_size);
void codecache_write(CodeCache *c, const CodeKey *key, const void *bytes, size_t size);
/* Removes the least recently used entries beyond the limit, and what killed processes
 * left behind. */
void codecache_trim(CodeCache *c);

#endif
