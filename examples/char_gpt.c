/* char_gpt.c -- a small GPT that learns the characters of a text, then writes some.
 *
 *   build/examples/char_gpt [--device=NAME] FILE [STEPS]
 *   build/examples/char_gpt [--device=NAME]      a few steps on a line of its own
 *
 * The last tenth of the text is the test. Ends with the share of its characters that are
 * guessed from those before them. --device=cuda trains it on the first GPU.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME = 64, BATCH = 12, WRITTEN = 400, TESTS = 50 };

static const char line[] = "she sells sea shells by the sea shore; ";

typedef struct Text {
    wf_device *device; /* where it is learned */
    char *s;
    int64_t n, train; /* characters; of which the first are learned */
    int number[256];  /* of each byte; -1: does not occur */
    unsigned char byte[256];
    int vocab;
} Text;

static bool read_text(Text *t, const char *path)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    size_t room = path ? 4000000 : 60 * strlen(line) + 1;

    if ((path && !f) || !(t->s = calloc(room, 1)))
        return false;
    if (f)
        t->n = (int64_t)fread(t->s, 1, room - 1, f), fclose(f);
    else
        for (t->n = 0; t->n < (int64_t)room - 1; t->n++)
            t->s[t->n] = line[(size_t)t->n % strlen(line)];
    t->train = t->n * 9 / 10;
    memset(t->number, -1, sizeof t->number);
    for (int64_t i = 0; i < t->n; i++)
        t->number[(unsigned char)t->s[i]] = 0;
    for (int i = 0; i < 256; i++)
        if (t->number[i] == 0) {
            t->byte[t->vocab] = (unsigned char)i;
            t->number[i] = t->vocab++;
        }
    return t->n > 20 * TIME;
}

/* BATCH pieces of TIME characters from within [from, to), and the characters that follow
 * each */
static void batch(wf_ctx *c, const Text *t, int64_t from, int64_t to, wf_tensor *xy)
{
    int64_t at[BATCH], in[BATCH * TIME], next[BATCH * TIME];

    if (wf_read(c, wf_randint(c, NULL, WF_I64, (int64_t[]){BATCH}, 1, from, to - TIME),
                at, sizeof at))
        return;
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < TIME; i++) {
            in[b * TIME + i] = t->number[(unsigned char)t->s[at[b] + i]];
            next[b * TIME + i] = t->number[(unsigned char)t->s[at[b] + i + 1]];
        }
    xy[0] = wf_from(c, WF_I64, (int64_t[]){BATCH, TIME}, 2, in);
    xy[1] = wf_from(c, WF_I64, (int64_t[]){BATCH * TIME}, 1, next);
    for (int i = 0; i < 2; i++)
        xy[i] = wf_to_device(c, xy[i], t->device);
}

static wf_tensor logits(wf_ctx *c, wf_module *net, wf_tensor x)
{
    return wf_flatten(c, wf_forward_one(c, net, x), 0, 1);
}

/* The rate rises for a twentieth of the steps, then falls along a cosine. */
static double rate(int step, int steps)
{
    int rise = steps / 20 + 1;

    return wf_lr_cosine(3e-3, step, steps, 1e-4) *
           (step < rise ? (double)(step + 1) / rise : 1);
}

static void train(wf_ctx *c, wf_module *net, const Text *t, int steps)
{
    wf_optim *opt = wf_adamw(c, net, 0, 0.9, 0.99, 1e-8, 0.01);
    wf_progress *bar = wf_progress_new(c, "train", steps);

    for (int i = 0; i < steps && !wf_ctx_status(c); i++) {
        wf_tensor xy[2], loss;
        wf_scope_begin(c);
        batch(c, t, 0, t->train, xy);
        wf_optim_zero_grad(c, opt);
        wf_optim_set_lr(opt, rate(i, steps));
        loss =
            wf_cross_entropy(c, logits(c, net, xy[0]), xy[1], WF_NONE, -100, 0, WF_MEAN);
        wf_backward(c, loss, WF_NONE, 0);
        wf_clip_grad_norm(c, net, 1);
        wf_optim_step(c, opt);
        wf_progress_step(bar, wf_item(c, loss));
        if (i % (steps / 8 + 1) == 0 || i == steps - 1)
            printf("step %d: loss %.3f\n", i, wf_item(c, loss));
        fflush(stdout);
        wf_scope_end(c);
    }
    wf_progress_free(c, bar);
    wf_optim_free(c, opt);
}

static double accuracy(wf_ctx *c, wf_module *net, const Text *t)
{
    double sum = 0;

    for (int i = 0; i < TESTS && !wf_ctx_status(c); i++) {
        wf_tensor xy[2];
        wf_scope_begin(c);
        batch(c, t, t->train, t->n, xy);
        wf_tensor guess = wf_argmax(c, logits(c, net, xy[0]), (int[]){1}, false);
        sum += wf_item(
            c, wf_mean(c, wf_cast(c, wf_eq(c, guess, xy[1]), WF_F64), NULL, 0, false));
        wf_scope_end(c);
    }
    return sum / TESTS;
}

/* A character after the last TIME ones, drawn as likely as the network holds it (likely
 * ones a little likelier), again and again. */
static void write_text(wf_ctx *c, wf_module *net, const Text *t, int n)
{
    wf_tensor key = wf_key(c, 1);
    int64_t window[TIME];

    for (int i = 0; i < TIME; i++)
        window[i] = t->number[(unsigned char)t->s[i]];
    for (int i = 0; i < n && !wf_ctx_status(c); i++) {
        wf_scope_begin(c);
        wf_tensor x = wf_to_device(c, wf_from(c, WF_I64, (int64_t[]){1, TIME}, 2, window), t->device);
        wf_tensor y = wf_index_get(c, wf_forward_one(c, net, x),
                                   (wf_index[]){wf_at_int(0), wf_at_int(-1)}, 2);
        wf_tensor draw =
            wf_key_categorical(c, wf_key_fold_in(c, key, wf_scalar(c, WF_U32, i)),
                               wf_div(c, y, wf_float(c, 0.8)), 0, NULL, 0, WF_I64);
        memmove(window, window + 1, sizeof window - sizeof *window);
        window[TIME - 1] = wf_item_int(c, draw);
        putchar(wf_ctx_status(c) ? '?' : t->byte[window[TIME - 1]]);
        wf_scope_end(c);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    Text t = {0};
    wf_ctx *c = wf_ctx_new(NULL);
    bool named = argc > 1 && strncmp(argv[1], "--device=", 9) == 0;
    const char *device = named ? argv[1] + 9 : "cpu";
    argc -= named;
    argv += named;
    bool full = argc > 1;
    int steps = argc > 2 ? atoi(argv[2]) : full ? 2000 : 30;
    double share = 0;

    if (wf_device_find(c, device, &t.device) != WF_OK) {
        fprintf(stderr, "%s\n", wf_ctx_message(c));
        wf_ctx_free(c);
        return 1;
    }

    if (!read_text(&t, full ? argv[1] : NULL)) {
        fprintf(stderr, "%s: cannot be read, or is too short\n", full ? argv[1] : "text");
        return 1;
    }
    wf_manual_seed(c, 0);
    wf_module *net = full ? wf_nn_gpt(c, NULL, t.vocab, TIME, 128, 4, 4, 0)
                          : wf_nn_gpt(c, NULL, t.vocab, TIME, 32, 2, 2, 0);
    if (net && wf_module_to(c, net, t.device) == WF_OK) {
        printf("%d characters, %lld parameters\n", t.vocab,
               (long long)wf_module_count(c, net, false));
        train(c, net, &t, steps);
        wf_no_grad_begin(c);
        share = accuracy(c, net, &t);
        write_text(c, net, &t, full ? WRITTEN : 60);
        wf_no_grad_end(c);
    }
    bool ok = wf_ctx_status(c) == WF_OK;
    if (!ok)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_module_release(c, net);
    wf_ctx_free(c);
    free(t.s);
    printf("characters of the last tenth of the text, each guessed from up to %d before\n"
           "test accuracy: %.2f\n",
           TIME, share);
    return ok ? 0 : 1;
}
