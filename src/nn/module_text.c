/* module_text.c -- the tree as PyTorch's Module.__repr__ prints it.
 *
 * Type(text) without children; else one line a child, "(name): ", indented by two. A
 * ModuleList prints equal neighbours once: "(0-2): 3 x Linear(..)". */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

static void print_tree(const wf_module *m, NnText *b);

/* "  (name): text", the lines of text after the first indented */
static void print_child(NnText *b, const char *name, const char *text)
{
    nn_put(b, "  (", 3);
    nn_put(b, name, strlen(name));
    nn_put(b, "): ", 3);
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        nn_put(b, s, n);
        nn_put(b, "\n", 1);
        s += n;
        if (*s == '\n' && *++s)
            nn_put(b, "  ", 2);
    }
}

static void print_list(const wf_module *m, NnText *b)
{
    NnText one = {.c = b->c}, next = {.c = b->c};
    char name[40], head[24];

    for (int i = 0, j; i < m->nchildren && !b->lost; i = j) {
        one.n = 0;
        print_tree(m->children[i].module, &one);
        for (j = i + 1; j < m->nchildren; j++) {
            next.n = 0;
            print_tree(m->children[j].module, &next);
            if (one.lost || next.lost || strcmp(one.s, next.s))
                break;
        }
        if (j == i + 1) {
            snprintf(name, sizeof name, "%d", i);
        } else {
            snprintf(name, sizeof name, "%d-%d", i, j - 1);
            snprintf(head, sizeof head, "%d x ", j - i);
            next.n = 0;
            nn_put(&next, head, strlen(head));
            nn_put(&next, one.s, one.n);
        }
        b->lost |= one.lost || next.lost;
        if (!b->lost)
            print_child(b, name, j == i + 1 ? one.s : next.s);
    }
    nn_free(b->c, one.s, one.cap);
    nn_free(b->c, next.s, next.cap);
}

static void print_tree(const wf_module *m, NnText *b)
{
    NnText one = {.c = b->c};

    nn_put(b, m->type, strlen(m->type));
    nn_put(b, "(", 1);
    if (!m->nchildren) {
        nn_put(b, m->text, strlen(m->text));
        nn_put(b, ")", 1);
        return;
    }
    nn_put(b, "\n", 1);
    if (*m->text) {
        nn_put(b, "  ", 2);
        nn_put(b, m->text, strlen(m->text));
        nn_put(b, "\n", 1);
    }
    if (!strcmp(m->type, "ModuleList")) {
        print_list(m, b);
    } else {
        for (int i = 0; i < m->nchildren && !b->lost; i++) {
            one.n = 0;
            print_tree(m->children[i].module, &one);
            b->lost |= one.lost;
            if (!b->lost)
                print_child(b, m->children[i].name, one.s);
        }
    }
    nn_free(b->c, one.s, one.cap);
    nn_put(b, ")", 1);
}

const char *wf_module_text(wf_ctx *c, wf_module *m)
{
    NnText b = {.c = c};

    if (nn_null(c, m, "wf_module_text", "module"))
        return "";
    print_tree(m, &b);
    if (b.lost) {
        nn_free(c, b.s, b.cap);
        return "";
    }
    nn_free(c, m->printed, m->printed_size);
    m->printed = b.s;
    m->printed_size = b.cap;
    return b.s;
}
