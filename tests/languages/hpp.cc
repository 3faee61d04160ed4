// hpp.cc -- weft.hpp: what it makes, gives, throws and prints. Ends with 1 and says what did not hold.
#include <weft.hpp>

#include <cmath>
#include <iostream>
#include <sstream>
#include <thread>

static int failures = 0;
#define EXPECT(what)                                                                          \
    do {                                                                                      \
        if (!(what)) {                                                                        \
            std::cerr << __FILE__ << ':' << __LINE__ << ": " << #what << '\n';                \
            failures++;                                                                       \
        }                                                                                     \
    } while (0)

template <class F> static wf_status thrown(F f)
{
    try {
        f();
    } catch (const weft::error &e) {
        return *e.what() ? e.status() : WF_OK;
    }
    return WF_OK;
}

static void arrays(weft::context &cx)
{
    weft::array a = weft::array::of<float>(cx, {1, 2, 3, 4, 5, 6}, {2, 3});
    weft::array b = a; // shares
    EXPECT(a.dims() == (weft::shape{2, 3}) && a.count() == 6 && a.dtype() == WF_F32);
    b.view_mutable<float>()[1] = 9;
    EXPECT(a.view<float>()[1] == 9.0f && a.view<float>().size() == 6);
    EXPECT(a.text(cx) == "f32[2,3] [[1, 9, 3], [4, 5, 6]]");
    EXPECT(thrown([&] { a.view<double>(); }) == WF_ERR_TYPE);
    EXPECT(thrown([&] { weft::array::of<float>(cx, {1, 2}, {3}); }) == WF_ERR_SHAPE);
    double mine[2] = {1.5, 2.5};
    weft::array on = weft::array::on(cx, mine, {2});
    mine[0] = 7;
    EXPECT(on.view<double>()[0] == 7.0);
    weft::array moved = std::move(b);
    EXPECT(!b && moved); // NOLINT: that is what is tested
}

static void programs(weft::context &cx)
{
    weft::program p(cx, "f(x: f32[N]) {\n  y = mul x x\n  s = reduce_sum y axes=[0]\n  ret s\n}\n");
    auto x = weft::array::of<float>(cx, {1, 2, 3}, {3});
    EXPECT(p.name() == "f" && p.inputs() == 1 && p.outputs() == 1);
    EXPECT(p(x)[0].view<float>()[0] == 14.0f);
    EXPECT(p.grad()(x)[0].view<float>()[2] == 6.0f);
    EXPECT(p.hessian()(x)[0].dims() == (weft::shape{3, 3}));
    EXPECT(p.vmap({0})(weft::array::of<float>(cx, {1, 2, 3, 4}, {2, 2}))[0].view<float>()[1] == 25.0f);
    EXPECT(weft::program(cx, p.text()) == p);
    std::ostringstream out;
    out << p;
    EXPECT(out.str() == p.text());
    weft::executable e = p.compile();
    std::vector<float> results(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < results.size(); i++)
        threads.emplace_back([&, i] {
            weft::context own(1);
            const weft::array in[] = {weft::array::of<float>(own, {static_cast<float>(i), 1}, {2})};
            results[i] = e.run(own, weft::span<const weft::array>(in, 1))[0].view<float>()[0];
            if (e.on(own)(in[0])[0].view<float>()[0] != results[i])
                results[i] = -1;
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT(results[3] == 10.0f && results[0] == 1.0f);
    EXPECT(thrown([&] { weft::program(cx, "f(x"); }) == WF_ERR_SYNTAX);
    EXPECT(thrown([&] { p(weft::array::of<double>(cx, {1}, {1})); }) == WF_ERR_TYPE);
    EXPECT(wf_ctx_status(cx) == WF_OK); // it can go on
}

static void closures(weft::context &cx)
{
    double slope = 3;
    auto line = [&](weft::tensor x) { return x * slope + 1.0; };
    weft::program p = weft::trace(cx, line, "f64[N]");
    EXPECT(p(weft::array::of<double>(cx, {2}, {1}))[0].view<double>()[0] == 7.0);
    auto loss = [](weft::tensor w, weft::tensor x) { return weft::square(weft::tanh(w * x)).sum(); };
    weft::tensor w = cx.from<float>({0.5f, -1.0f}, {2}), x = cx.from<float>({1.0f, 2.0f}, {2});
    weft::tensor g = weft::grad(loss, w, x);
    double t = std::tanh(0.5), expected = 2 * t * (1 - t * t);
    EXPECT(std::fabs(g[0].item() - expected) < 1e-6);
    auto rows = weft::vmap([](weft::tensor r) { return r.sum(); }, cx.ones({3, 4}));
    EXPECT(rows.size() == 1 && rows[0].to_vector<float>() == (std::vector<float>{4, 4, 4}));
    bool mine = false;
    try {
        weft::trace(cx, [](weft::tensor) -> weft::tensor { throw std::logic_error("mine"); }, "f32[]");
    } catch (const std::logic_error &) {
        mine = true;
    }
    EXPECT(mine && wf_ctx_status(cx) == WF_OK);
    EXPECT(thrown([&] { weft::trace(cx, [](weft::tensor m) { return weft::matmul(m, m); }, "f32[2,3]"); }) == WF_ERR_SHAPE);
}

static void tensors(weft::context &cx)
{
    weft::tensor x = cx.from<float>({1.5f, 2.5f}, {2});
    std::ostringstream out;
    out << x;
    EXPECT(out.str() == "tensor([1.5000, 2.5000])");
    x.requires_grad();
    weft::tensor y = (weft::exp(x) * 2.0).sum();
    y.backward();
    EXPECT(std::fabs(x.grad()[0].item() - 2 * std::exp(1.5)) < 1e-4);
    EXPECT((1.0 - cx.scalar(0.25)).item() == 0.75 && (cx.scalar(1) < 2.0).item() == 1.0);
    EXPECT(thrown([&] { weft::matmul(x, cx.ones({3})); }) == WF_ERR_SHAPE);
    std::int64_t before = wf_live_tensors(cx);
    weft::tensor kept;
    {
        weft::scope s(cx);
        weft::tensor a = cx.ones({2}) + 1.0;
        kept = s.keep(a * 2.0);
    }
    EXPECT(wf_live_tensors(cx) == before + 1 && kept[0].item() == 4.0);
}

static void models(weft::context &cx, const std::string &path)
{
    weft::model net(cx, path);
    EXPECT(net.methods().size() == 1 && net.methods()[0] == "forward");
    EXPECT(net.tensor_named("weight").dims() == (weft::shape{1, 3}));
    EXPECT(thrown([&] { net.tensor_named("nothing"); }) == WF_ERR_NAME);
    EXPECT(thrown([&] { weft::model(cx, "/nowhere.weft"); }) == WF_ERR_IO);
    weft::tensor y = net.run("forward", {cx.ones({2, 3})})[0];
    EXPECT(y.dims() == (weft::shape{2, 1}) && y[0].item() == 6.5);
    net.set_tensor("bias", weft::array::of<float>(cx, {0}, {1}));
    net.save(path + ".copy");
    EXPECT(weft::model(cx, path + ".copy").bind("forward")(weft::array::of<float>(cx, {1, 1, 1}, {1, 3}))[0].view<float>()[0] == 6.0f);
}

/* Learns y = 2x - 1, goes through a file, and learns on there. */
static void networks(weft::context &cx, const std::string &path)
{
    std::vector<float> xs, ys;
    for (int i = 0; i < 32; i++) {
        xs.push_back(static_cast<float>(i) / 16 - 1);
        ys.push_back(2 * xs.back() - 1);
    }
    wf_tensor both[] = {cx.from(xs, {32, 1}).get(), cx.from(ys, {32, 1}).get()}, batch[2];
    weft::generator g(cx, 1);
    weft::network first(cx, wf_nn_linear(cx, g, 1, 1, true)), net = std::move(first);
    weft::optimiser sgd(cx, wf_sgd(cx, net, 0.2, 0, false, 0));
    weft::loader data(cx, wf_loader_new(cx, both, 2, 8, g, false));
    std::int64_t before = wf_live_tensors(cx);
    for (int epoch = 0; epoch < 60; epoch++)
        for (;;) {
            weft::scope s(cx);
            if (!wf_loader_next(cx, data, batch, 2))
                break;
            weft::tensor y = net(weft::tensor(cx, batch[0])), loss = weft::square(y - weft::tensor(cx, batch[1])).mean();
            wf_optim_zero_grad(cx, sgd);
            loss.backward();
            wf_optim_step(cx, sgd);
            weft::check(cx);
        }
    EXPECT(first.get() == nullptr && wf_live_tensors(cx) <= before + 2); // the gradients
    weft::tensor half = cx.from<float>({0.5f}, {1, 1});
    EXPECT(std::fabs(net(half).item()) < 1e-3);
    const char *types[] = {"x: f32[N,1]"};
    weft::model file(cx);
    wf_module_store(cx, net, file.get());
    wf_module_add_method(cx, net, file.get(), "forward", nullptr, nullptr, types, 1, 1);
    weft::check(cx);
    file.save(path + ".net");
    weft::network again(cx, wf_module_load(cx, weft::model(cx, path + ".net").get()));
    EXPECT(again(half).item() == net(half).item());
    EXPECT(thrown([&] { net(cx.ones({2, 3})); }) == WF_ERR_SHAPE);
    EXPECT(thrown([&] { weft::network(cx, wf_nn_linear(cx, g, -1, 1, true)); }) != WF_OK);
    EXPECT(thrown([&] {
               wf_module *m = wf_nn_relu(cx);
               wf_raise(cx, WF_ERR_VALUE, "before");
               weft::network late(cx, m); /* is freed */
           }) == WF_ERR_VALUE);
}

int main(int argc, char **argv)
{
    weft::context cx;
    arrays(cx);
    programs(cx);
    closures(cx);
    tensors(cx);
    if (argc > 1)
        models(cx, argv[1]), networks(cx, argv[1]);
    return failures != 0;
}
