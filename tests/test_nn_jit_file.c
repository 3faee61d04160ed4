/* test_nn_jit_file.c -- files of torch.jit.save in C: what a script trained goes on training
 * there, in the form for training; what a file cannot do is an error, not another answer. */
#include "script/script.h"
#include "test.h"
#include "weft_nn.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static char said[2000];

static void collect(void *user, const char *s, size_t n, bool err)
{
    size_t at = strlen(said);

    (void)user;
    (void)err;
    snprintf(said + at, sizeof said - at, "%.*s", (int)n, s);
}

static const char *path_of(void)
{
    static char path[100];

    snprintf(path, sizeof path, "/tmp/test_nn_jit_file.%ld.weft", (long)getpid());
    return path;
}

/* Script `module`, call it on x = rows of 1, 2, 3 .., say y.sum(), save it. */
static wf_module *saved(wf_ctx *c, const char *module, wf_model **file)
{
    char text[4000], *argv[] = {"x"};
    VmOptions opt = {.write = collect, .argc = 1, .argv = argv};
    wf_ctx *own = wf_ctx_new(NULL);
    Vm *vm = sc_vm_new(own, &opt);

    snprintf(text, sizeof text,
             "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n%s\ns = torch.jit.script(m)\n"
             "x = torch.arange(1., 13.).reshape(4, 3)\n"
             "torch.jit.save(s, '%s') if m.__dict__.get('never') else None\n"
             "if not m.__dict__.get('never'):\n    s(x)\n    torch.jit.save(s, '%s')\n"
             "    print(float(s.train()(x).pow(2).sum()), float(s.eval()(x).pow(2).sum()))\n",
             module, path_of(), path_of());
    said[0] = 0;
    sc_run_text(vm, "<test>", text, strlen(text));
    CHECK_STR(wf_ctx_message(own), "");
    sc_vm_free(vm);
    wf_ctx_free(own);
    wf_model_load(c, path_of(), file);
    unlink(path_of());
    return wf_module_load(c, *file);
}

static wf_tensor rows(wf_ctx *c)
{
    return wf_reshape(c, wf_arange(c, WF_F32, 1, 13, 1), (int64_t[]){4, 3}, 2);
}

static double squares(wf_ctx *c, wf_module *m)
{
    wf_tensor y = wf_forward_one(c, m, rows(c));

    return wf_is_none(y) ? NAN : wf_item(c, wf_sum(c, wf_mul(c, y, y), NULL, 0, false));
}

static void check_modes(const char *module)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_module *m = saved(c, module, &file);
    double train = NAN, eval = NAN;

    REQUIRE(m != NULL);
    REQUIRE(sscanf(said, "%lf %lf", &train, &eval) == 2);
    wf_module_train(m, true);
    CHECK_NEAR(squares(c, m), train, 1e-4 * (1 + fabs(train)));
    wf_module_train(m, false);
    CHECK_NEAR(squares(c, m), eval, 1e-4 * (1 + fabs(eval)));
    CHECK_STR(wf_ctx_message(c), "");
    wf_module_release(c, m);
    wf_model_free(file);
    wf_ctx_free(c);
}

TEST(batch_norm_of_a_scripted_module_trains_in_c)
{
    check_modes("m = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))");
    check_modes("m = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval()");
}

TEST(a_method_that_asks_for_the_mode_has_both_forms)
{
    check_modes("class M(nn.Module):\n"
                "    def forward(self, x):\n"
                "        if self.training:\n"
                "            return x * 3\n"
                "        return x + 1\n"
                "m = M()");
}

/* y is linear in the weight, so the gradient of sum y times the weight is sum y: with the mask of this run, and the buffer
 * as it was before the run changed it. */
static void check_gradients(const char *module)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_module *m = saved(c, module, &file);
    wf_optim *o;
    double last = NAN;

    REQUIRE(m != NULL);
    wf_module_train(m, true);
    o = wf_sgd(c, m, 0.01, 0, false, 0);
    for (int k = 0; k < 4; k++) {
        wf_tensor w, y = wf_sum(c, wf_forward_one(c, m, rows(c)), NULL, 0, false);
        double sum = wf_item(c, y);

        wf_optim_zero_grad(c, o);
        CHECK(wf_backward(c, y, WF_NONE, 0) == WF_OK);
        REQUIRE(wf_module_parameters(m, &w, 1) == 1);
        CHECK_NEAR(wf_item(c, wf_sum(c, wf_mul(c, w, wf_grad_of(c, w)), NULL, 0, false)), sum, 1e-4 * (1 + fabs(sum)));
        CHECK(sum != last);
        last = sum;
        wf_optim_step(c, o);
    }
    CHECK_STR(wf_ctx_message(c), "");
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_model_free(file);
    wf_ctx_free(c);
}

TEST(derivatives_read_buffers_as_they_were_before_the_run)
{
    check_gradients("m = nn.Sequential(nn.Dropout(0.5), nn.Linear(3, 2, bias=False))");
    check_gradients("class M(nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.a = nn.Linear(3, 2, bias=False)\n"
                    "        self.register_buffer('scale', torch.ones(()))\n"
                    "    def forward(self, x):\n"
                    "        y = self.a(x) * self.scale\n"
                    "        if self.training:\n"
                    "            self.scale = self.scale * 0.5\n"
                    "        return y\n"
                    "m = M()");
}

TEST(tied_parameters_are_one_in_c)
{
    check_modes("class M(nn.Module):\n"
                "    def __init__(self):\n"
                "        super().__init__()\n"
                "        self.a = nn.Linear(3, 3)\n"
                "        self.b = nn.Linear(3, 3)\n"
                "        self.b.weight = self.a.weight\n"
                "    def forward(self, x):\n"
                "        return self.b(self.a(x))\n"
                "m = M()");
}

TEST(dropout_trains_in_c_by_a_key_of_the_file)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_module *m = saved(c, "m = nn.Sequential(nn.Dropout(0.25), nn.Dropout(0.5))", &file), *again;
    double first[1000], next[1000], both = 0, kept = 0;
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){1000, 3}, 2);

    REQUIRE(m != NULL);
    wf_module_train(m, true);
    wf_read_f64(c, wf_narrow(c, wf_forward_one(c, m, x), 1, 0, 1), first, 1000);
    wf_read_f64(c, wf_narrow(c, wf_forward_one(c, m, x), 1, 0, 1), next, 1000);
    CHECK_STR(wf_ctx_message(c), "");
    for (int i = 0; i < 1000; i++) {
        CHECK(first[i] == 0 || fabs(first[i] - 1 / (0.75 * 0.5)) < 1e-5);
        kept += first[i] != 0;
        both += first[i] != 0 && next[i] != 0;
    }
    CHECK(fabs(kept / 1000 - 0.375) < 0.07); /* four standard deviations */
    CHECK(fabs(both / 1000 - 0.375 * 0.375) < 0.05);
    again = wf_module_load(c, file); /* the same numbers from the same key */
    wf_module_train(again, true);
    wf_read_f64(c, wf_narrow(c, wf_forward_one(c, again, x), 1, 0, 1), next, 1000);
    CHECK(!memcmp(first, next, sizeof first));
    wf_module_train(m, false);
    CHECK_NEAR(wf_item(c, wf_sum(c, wf_forward_one(c, m, x), NULL, 0, false)), 3000, 0);
    wf_module_release(c, again);
    wf_module_release(c, m);
    wf_model_free(file);
    wf_ctx_free(c);
}

TEST(numbers_that_a_scripted_method_draws_are_distributed_as_pytorchs)
{
    static const char module[] =
        "class M(nn.Module):\n"
        "    def forward(self, x):\n"
        "        n = x.shape[0] * 1000\n"
        "        z = torch.randn(n)\n"
        "        if bool(x.sum() > 0):\n"
        "            z = z + torch.rand_like(z) + torch.zeros_like(z)\n"
        "        y = torch.zeros(n)\n"
        "        for i in range(2):\n"
        "            y = y + torch.rand(n)\n"
        "        w = torch.tensor([1., 0., 3.]).expand(n, 3)\n"
        "        e = torch.empty(n)\n"
        "        return torch.stack([z.mean(), z.var(), y.var(), torch.bernoulli(torch.full((n,), 0.2)).mean(),\n"
        "            torch.multinomial(w, 1).float().mean(), torch.multinomial(w, 2).float().sum(1).mean(),\n"
        "            torch.multinomial(w, 4, True).float().mean(), torch.randint(-3, 4, (n,)).float().var(),\n"
        "            e.exponential_(2.0).mean(), e.geometric_(0.25).mean(), e.geometric_(0.25).min(),\n"
        "            e.log_normal_(1.0, 0.5).log().mean(), e.cauchy_(3.0, 2.0).median(), torch.normal(1.0, 3.0, (n,)).var(),\n"
        "            torch.randperm(n).sort()[0].eq(torch.arange(n)).float().mean(), torch.randperm(n)[:n // 2].float().mean() / n])\n"
        "m = M().eval()";
    /* a mean, and how far from it 4000 of them may be */
    static const double want[][2] = {{0.5, 0.1}, {1 + 1 / 12.0, 0.15}, {2 / 12.0, 0.02}, {0.2, 0.04}, {1.5, 0.07},
                                     {2, 0},     {1.5, 0.04},          {4, 0.3},         {0.5, 0.05}, {4, 0.3},
                                     {1, 0},     {1, 0.05},            {3, 0.3},         {9, 1.2},    {1, 0},    {0.5, 0.03}};
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_module *m = saved(c, module, &file);
    double got[COUNT(want)] = {0};

    REQUIRE(m != NULL);
    wf_module_train(m, false);
    wf_read_f64(c, wf_forward_one(c, m, rows(c)), got, COUNT(want));
    CHECK_STR(wf_ctx_message(c), "");
    for (size_t i = 0; i < COUNT(want); i++)
        if (!(fabs(got[i] - want[i][0]) <= want[i][1]))
            check_fail(__FILE__, __LINE__, "number %zu is %g, not %g", i, got[i], want[i][0]);
    wf_module_release(c, m);
    wf_model_free(file);
    wf_ctx_free(c);
}

TEST(what_no_program_draws_is_said_when_it_is_saved)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_module *m = saved(c, "class M(nn.Module):\n    def forward(self, x):\n        return torch.poisson(x)\nm = M()", &file);

    CHECK_HAS(said, "no program for 'forward' (it draws random numbers of a kind that no program has (poisson))");
    CHECK(m && isnan(squares(c, m)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_NAME);
    wf_clear(c);
    wf_module_release(c, m);
    wf_model_free(file);
    m = saved(c, "class M(nn.Module):\n    def forward(self, x):\n        if self.training:\n            return torch.poisson(x)\n"
                 "        return x\nm = M()", &file);
    wf_module_train(m, true);
    CHECK(isnan(squares(c, m)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_UNSUPPORTED);
    CHECK_HAS(wf_ctx_message(c), "in training this module does something else");
    wf_clear(c);
    wf_module_release(c, m);
    wf_model_free(file);
    wf_ctx_free(c);
}

TEST(a_module_that_was_never_called_is_saved_with_a_word)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_module *m = saved(c, "m = nn.Linear(3, 4)\nm.never = True", &file);

    CHECK(strstr(said, "torch.jit.save: the file has no program for 'forward'") != NULL);
    CHECK(m && isnan(squares(c, m)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_NAME);
    wf_clear(c);
    wf_module_release(c, m);
    wf_model_free(file);
    wf_ctx_free(c);
}
