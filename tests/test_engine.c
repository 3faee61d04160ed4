/* test_engine.c -- tensors in scripts: memory that runs out inside the libraries, long loops in
 * constant memory, values between libraries, arguments of any kind. */
#include "script/engine/engine.h"
#include "test.h"

#include <stdio.h>

static char text[100000];
static size_t length;

static void collect(void *user, const char *s, size_t n, bool err)
{
    (void)user;
    if (err)
        return;
    if (n > sizeof text - 1 - length)
        n = sizeof text - 1 - length;
    memcpy(text + length, s, n);
    length += n;
    text[length] = 0;
}

static const char *run_in(wf_ctx *cx, const char *source)
{
    VmOptions opt = {.write = collect};
    Vm *vm = sc_vm_new(cx, &opt);

    length = 0;
    text[0] = 0;
    if (vm)
        sc_run_text(vm, "t.py", source, strlen(source));
    sc_vm_free(vm);
    return text;
}

static void expect(const char *source, const char *want)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    CHECK_STR(run_in(cx, source), want);
    CHECK_STR(wf_ctx_message(cx), "");
    CHECK_EQ_INT(wf_live_tensors(cx), 0);
    wf_ctx_free(cx);
}

/* Everything the engine does, once: boxes, operators, traces, control flow, recorders. */
static const char all_of_it[] =
    "import _torch as w\n"
    "import _stage\n"
    "x = w.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
    "y = x * 2 + 1 - x / 3\n"
    "z = w.concat([y, w.softmax(x @ y, 1)], 0)[1:, None]\n"
    "p = w.trace(lambda a, b: [w.tanh(a) * b, w.sum(a)], [x, y])\n"
    "q = p.vjp([0]).optimise()\n"
    "w.apply(p, [x, y])\n"
    "w.scan(lambda c, v: [c + v, c], [w.tensor(1.0)], [w.tensor([1.0, 2.0])])\n"
    "w.cond(x[0, 0] > 0, [lambda a: [a], lambda a: [a * 2]], [x])\n"
    "r = w.record(lambda a: [w.sum(a * a)], [x])\n"
    "r.vjp([w.tensor(1.0)])\n"
    "w.requires_grad(x)\n"
    "w.backward(w.sum(x * x * y))\n"
    "w.grad_of(x).tolist()\n"
    "def f(n):\n"
    "    k = 0\n"
    "    while n != 1:\n"
    "        n = n // 2 if n % 2 == 0 else 3 * n + 1\n"
    "        k += 1\n"
    "    return k\n"
    "def body(t):\n"
    "    s = _stage.Stage(w)\n"
    "    return [s.call(f, [_stage.Sym(s, 'int', t)], {}).t]\n"
    "p = w.trace(body, [w.tensor(6)])\n"
    "print(w.apply(p, [w.tensor(27)])[0].item(), w.text(z, 'torch')[:6], f'{y[0, 0]:.2f}')\n";

TEST(the_engine_works)
{
    expect(all_of_it, "111 tensor 2.67\n");
}

static void run_all(wf_allocator al, void *user)
{
    wf_options o = {sizeof o, .allocator = al};
    VmOptions opt = {.write = collect, .plain_alloc = true};
    wf_ctx *cx = wf_ctx_new(&o);
    Vm *vm = cx ? sc_vm_new(cx, &opt) : NULL;

    (void)user;
    length = 0;
    if (vm)
        sc_run_text(vm, "t.py", all_of_it, sizeof all_of_it - 1);
    sc_vm_free(vm);
    wf_ctx_free(cx);
}

/* Not each allocation, which would take minutes: ever later ones, by steps that grow. */
TEST(allocations_may_fail)
{
    FaultAlloc f = {0};
    long total, n = 0;

    run_all(fault_allocator(&f), NULL);
    total = f.count;
    CHECK(total > 1000);
    for (long at = 1; at < total; at += 1 + total / 700 + at % 7) {
        f = (FaultAlloc){.fail_at = at};
        run_all(fault_allocator(&f), NULL);
        CHECK_EQ_INT(f.live_bytes, 0);
        n++;
    }
    CHECK(n > 300);
}

TEST(long_loops_keep_memory_constant)
{
    FaultAlloc f = {0};
    wf_options o = {sizeof o, .allocator = fault_allocator(&f)};
    wf_ctx *cx = wf_ctx_new(&o);

    run_in(cx, "import _torch as w\n"
               "x = w.tensor([1.0, 2.0])\n"
               "g = w.requires_grad(w.tensor([0.5, 0.25]))\n"
               "for i in range(3000):\n"
               "    y = x * g + i\n"
               "    w.backward(w.sum(y * y))\n"
               "    w.set_grad(g)\n"
               "    z = [w.exp(x) for k in range(3)]\n"
               "print('done')\n");
    CHECK_STR(text, "done\n");
    CHECK_STR(wf_ctx_message(cx), "");
    CHECK_EQ_INT(wf_live_tensors(cx), 0);
    wf_ctx_free(cx);
    CHECK_EQ_INT(f.live_bytes, 0);
    CHECK(f.peak_bytes < 48 << 20);
}

/* Natives with arguments of every kind: an exception, never a crash. */
static int replayed; /* modules */

static void hear(void *user, wf_log_level level, const char *said)
{
    (void)user, (void)level;
    replayed += strstr(said, " are replayed from now on") != NULL;
}

/* That results are the same, whatever changes between calls: tests/script/torch/modules_called_over_and_over.py. */
TEST(calls_of_modules_that_come_again_are_replayed)
{
    static const char *const rest[] = {
        "x", "print(1, end='') or x", "x + rand(1)", "self.names.append(1) or x", "setattr(self, 'k', self.k + 1) or x", "x.numpy() is None or x",
        "x if x.sum() > 0 else -x", "x.add_(0)"};
    wf_options o = {sizeof o, .log = hear, .compile_after = 10};
    char source[1000];

    for (int i = 0; i < COUNT(rest); i++) {
        wf_ctx *cx = wf_ctx_new(&o);

        snprintf(source, sizeof source,
                 "from torch import equal, nn, no_grad, ones, rand\n"
                 "class M(nn.Module):\n"
                 "    def __init__(self):\n"
                 "        super().__init__()\n"
                 "        self.a, self.names, self.k = nn.Sequential(nn.Linear(3, 3), nn.ReLU()), [], 0\n"
                 "    def forward(self, x):\n"
                 "        return self.a(%s) * 2\n"
                 "m, x, same = M(), ones(2, 3), True\n"
                 "with no_grad():\n"
                 "    for i in range(1010):\n"
                 "        same = equal(m(x), m(x)) and same\n"
                 "print()\n"
                 "print(same, len(m.names), m.k)\n", rest[i]);
        replayed = 0;
        run_in(cx, source);
        CHECK_EQ_INT(replayed, 1); /* what is in it, where it cannot be itself */
        CHECK_STR(strchr(text, '\n'), i == 2 ? "\nFalse 0 0\n" : i == 3 ? "\nTrue 2020 0\n" : i == 4 ? "\nTrue 0 2020\n" : "\nTrue 0 0\n");
        CHECK_EQ_INT((int)(strchr(text, '\n') - text), i == 1 ? 2020 : 0);
        CHECK_EQ_INT(wf_live_tensors(cx), 0);
        wf_ctx_free(cx);
    }
}

/* Bytes of tensors that are alive after a chain of n calls of f. */
static int64_t bytes_behind(const char *f, int n)
{
    char source[600];
    wf_ctx *cx = wf_ctx_new(NULL);
    VmOptions opt = {.write = collect};
    Vm *vm = sc_vm_new(cx, &opt);
    int64_t bytes = 0;

    snprintf(source, sizeof source,
             "import torch\n"
             "import torch.nn.functional as F\n"
             "norm = torch.nn.BatchNorm2d(4)\n"
             "f = %s\n"
             "x = torch.arange(1024.0).reshape(4, 4, 8, 8).requires_grad_()\n"
             "for i in range(4):\n"
             "    f(x)\n"
             "y = x\n"
             "for i in range(%d):\n"
             "    y = f(y)\n",
             f, n);
    length = 0;
    text[0] = 0;
    if (vm && sc_run_text(vm, "t.py", source, strlen(source)))
        bytes = wf_live_bytes(cx);
    CHECK_STR(wf_ctx_message(cx), "");
    sc_vm_free(vm);
    wf_ctx_free(cx);
    return bytes;
}

/* What a layer leaves for its derivative is one array, and numbers by channel or row, however many ops it is. */
TEST(functions_keep_what_their_slopes_read)
{
    static const char *const functions[] = {"F.gelu", "lambda x: F.gelu(x, approximate='tanh')", "F.silu", "F.mish",
                                            "F.hardswish", "norm", "lambda x: F.layer_norm(x, (8,))",
                                            "lambda x: F.softmax(x, 1)"};

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        int64_t few = bytes_behind(functions[i], 2), many = bytes_behind(functions[i], 10);

        CHECK(few > 0);
        CHECK(many - few >= 8 * 4096);
        if (many - few > 8 * 4096 * 3 / 2)
            CHECK_STR("one array", functions[i]);
    }
}

TEST(natives_take_anything)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    run_in(cx,
           "import _torch, _jax, _numpy, _tf, _aesara\n"
           "odd = [None, 0, -1, 3, 2.5, True, 'abc', [], [1, 2], (1, 'x'), {}, {'a': 1}, print, int,\n"
           "       range(3), slice(1, 2), ..., 10 ** 18, float('nan'), lambda *a: a, lambda *a: [1.0]]\n"
           "calls = bad = 0\n"
           "for w in (_torch, _jax, _numpy, _tf, _aesara):\n"
           "    odd2 = odd + [w.tensor([1.0, 2.0]), w.tensor([[1, 2], [3, 4]]), w.tensor(True), w.float32, w.Tensor]\n"
           "    for name in dir(w):\n"
           "        f = getattr(w, name)\n"
           "        if name in ('set_class', 'set_shape_class', 'no_grad', 'tape_begin', 'tape_end', 'set_scalar_class',\n"
           "                    'set_error_text', 'save_model', 'save_tensors', 'set_narrow', 'set_float'):\n"
           "            continue\n"
           "        if type(f).__name__ != 'builtin_function_or_method':\n"
           "            continue\n"
           "        for k in range(60):\n"
           "            args = [odd2[(k * 7 + i * 5 + len(name)) % len(odd2)] for i in range(k % 5)]\n"
           "            calls += 1\n"
           "            try:\n"
           "                f(*args)\n"
           "            except Exception:\n"
           "                bad += 1\n"
           "print(calls > 10000, bad > 5000)\n");
    CHECK_STR(text, "True True\n");
    CHECK_STR(wf_ctx_message(cx), "");
    wf_ctx_free(cx);
}
