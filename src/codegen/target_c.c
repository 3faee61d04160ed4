/* target_c.c -- C of any machine as a target: no vectors, no library, nothing but C.
 *
 * What programs are exported as. Every op that can be is part of a kernel, even one alone,
 * since nothing else runs it; how rows are shared among threads is no matter.
 */
#include "codegen/render.h"

extern const char *const plain_lines[]; /* plain.h, by the Makefile */

static void render_plain_head(const Kernel *const *k, uint32_t n, Text *out)
{
    text_add(out, "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    for (const char *const *line = plain_lines; *line; line++)
        text_add(out, *line);
    render_spelled_plain(k, n, out);
    text_add(out, render_args);
}

static const char *const flags[] = {"-std=c11", "-O2", "-w", "-fno-math-errno", NULL};

const Target target_c = {
    TARGET_THRESHOLDS,
    .name = "c",
    .forms = RENDER_MAP | RENDER_ROWS | RENDER_COLS | RENDER_WHILE,
    .renders = render_has,
    .render = render_kernel,
    .render_head = render_plain_head,
    .flags = flags,
    .fuse_least = 1,
    .one_row = INT64_MAX,
};

const Target *target_find(const char *name)
{
    const Target *all[] = {target_cpu(), &target_c, &target_cuda};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}
