"""Programs, models and what is done to them."""
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import weft

QUADRATIC = """f(x: f64[N], w: f64[N]) {
  a = mul x w
  b = mul a a
  s = reduce_sum b axes=[0]
  ret s
}
"""


def test_a_program_says_what_it_is():
    p = weft.Program(QUADRATIC)
    assert p.name == "f" and p.equations == 3
    assert p.inputs == [("x", "f64", ("N",), "input"), ("w", "f64", ("N",), "input")]
    assert p.outputs[0][1:3] == ("f64", ())
    assert str(p) == QUADRATIC and weft.Program(str(p)) == p and hash(weft.Program(str(p))) == hash(p)
    assert repr(p) == "<weft.Program f(x: f64[N], w: f64[N]) -> (f64[]), 3 equations>"


def test_transforms_of_programs(rng):
    p = weft.Program(QUADRATIC)
    x, w = rng.standard_normal(4), rng.standard_normal(4)
    assert np.allclose(p.grad("w")(x, w), 2 * x * x * w)
    assert np.allclose(p.grad(["x", "w"])(x, w)[0], 2 * w * w * x)
    assert np.allclose(p.value_and_grad(0)(x, w)[0], np.sum((x * w) ** 2))
    assert np.allclose(p.hessian("w")(x, w), np.diag(2 * x * x))
    assert np.allclose(p.hvp("w")(x, w, w), 2 * x * x * w)
    assert np.allclose(p.jacfwd(1)(x, w), p.jacrev(1)(x, w))
    y, dy = p.jvp("x")(x, w, np.ones(4))
    assert np.allclose(dy, np.sum(2 * w * w * x))
    xs = rng.standard_normal((3, 4))
    assert np.allclose(p.vmap((0, None))(xs, w), [p(r, w) for r in xs])
    assert p.specialise(N=4).inputs[0][2] == (4,)
    assert np.allclose(p.bind(w=w)(x), p(x, w))
    forward, backward = p.partition("w")
    saved = forward(x, w)
    assert np.allclose(backward(*saved[1:], 1.0), 2 * x * x * w)
    with pytest.raises(KeyError, match="no input 'q'"):
        p.grad("q")


def test_compiled_is_what_the_interpreter_gives(rng):
    p = weft.trace(lambda x: np.tanh(x) * np.exp(-x * x), "f32[M,N]")
    x = rng.standard_normal((16, 16)).astype("f")
    e = p.compile()
    assert np.allclose(e(x), p(x), rtol=1e-5, atol=1e-6) and e.program == p
    steps = p.profile(x, runs=2)
    assert steps and steps[0][4] >= 2


def test_showing_it():
    p = weft.Program(QUADRATIC)
    assert "digraph" in p.show("dot") and p.show() == QUADRATIC and "reduce" in p.show("fused")
    svg = p.show("svg")
    assert svg.startswith("<svg") and "reduce_sum" in svg and svg.count("<rect") >= 5
    assert p.cost(N=1000)["map_flops"] > 0
    with pytest.raises(ValueError, match="fused"):
        p.show("nothing")


def test_errors_have_their_place():
    with pytest.raises(weft.ParseError, match="<text>:1"):
        weft.Program("f(x f32) {")
    with pytest.raises(weft.UnknownNameError, match="unknown op 'nothing'"):
        weft.Program("f(x: f32[]) {\n  y = nothing x\n  ret y\n}\n")
    with pytest.raises(weft.ShapeError, match="scalar"):
        weft.Program("f(x: f32[N]) {\n  y = exp x\n  ret y\n}\n").grad()
    with pytest.raises(weft.FileError):
        weft.load("/nowhere/at/all.weft")
    with pytest.raises(OSError):
        weft.load("/nowhere/at/all.weft")
    with pytest.raises(weft.Error):
        weft.loads(b"\x00\x01 not a model")


def test_a_model_has_methods_and_tensors(net, rng):
    m = weft.load(net)
    x = rng.standard_normal((4, 3)).astype("f")
    w, b = m.tensors["w"], m.tensors["b"]
    assert np.allclose(m.forward(x), x @ w + b) and np.allclose(m(x), m["forward"](x))
    assert [row[0] for row in m.forward.inputs] == ["x"] and "forward" in dir(m) and sorted(m.tensors) == ["b", "w"]
    m.tensors["b"] = np.zeros(2, "f")
    assert np.allclose(m.forward(x), x @ w)
    assert np.allclose(m.forward.vmap()(x[:, None]), (x @ w)[:, None])
    with pytest.raises(AttributeError, match="no method 'backward'"):
        m.backward
    assert "forward" in m._repr_html_() and "<svg" in m._repr_html_()


def test_training_changes_the_model_and_goes_on_after_loading(net, tmp_path, rng):
    m = weft.load(net)
    x = rng.standard_normal((64, 3)).astype("f")
    t = (x @ np.array([[1, 0], [0, 1], [1, 1]], "f")).astype("f")
    history = m.train(x, t, loss="mse", optimizer="adam", lr=0.05, epochs=30, batch=16)
    assert history[-1] < 0.1 * history[0]
    before = float(np.mean((m.forward(x) - t) ** 2))
    m.save(tmp_path / "trained.weft")
    again = weft.load(tmp_path / "trained.weft")
    assert np.array_equal(again.forward(x), m.forward(x))
    loss = float(again.methods["train"](x, t))
    assert np.isclose(loss, before, rtol=1e-4)
    assert not np.array_equal(again.forward(x), m.forward(x))


def test_a_loss_of_ones_own(net, rng):
    m = weft.load(net)
    x, t = rng.standard_normal((8, 3)).astype("f"), rng.standard_normal((8, 2)).astype("f")
    step = m.train_step(["f32[N,3]", "f32[N,2]"], loss=lambda y, t: np.mean(np.abs(y - t) ** 3), optimizer="sgd", lr=0.0)
    assert np.isclose(step(x, t), np.mean(np.abs(m.forward(x) - t) ** 3), rtol=1e-5)
    with pytest.raises(ZeroDivisionError):
        m.train_step(["f32[N,3]", "f32[N,2]"], loss=lambda y, t: 1 / 0)
    with pytest.raises(TypeError, match="momentum"):
        m.train_step(["f32[N,3]", "f32[N,2]"], optimizer="adam", momentum=0.9)


def test_saving_programs(tmp_path, rng):
    p = weft.trace(lambda x: x * 2, "f32[N]", name="twice")
    p.save(tmp_path / "p.wir")
    p.save(tmp_path / "p.weft")
    weft.save(tmp_path / "both.weft", p, weights=rng.standard_normal(3))
    for name in ("p.wir", "p.weft", "both.weft"):
        assert np.array_equal(weft.load(tmp_path / name).twice(np.ones(2, "f")), [2, 2])
    assert len(weft.load(tmp_path / "both.weft").tensors) == 1


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_exported_c_compiles(net, tmp_path):
    weft.load(net).export(tmp_path / "c", name="net", most={"N": 8})
    assert {"net.c", "net.h"} <= set(os.listdir(tmp_path / "c"))
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "net.c"], cwd=tmp_path / "c", check=True)


def test_onnx_files(tmp_path, rng):
    p = weft.trace(lambda x: np.tanh(x) + 1.0, "f32[2,3]", name="forward")
    p.save(tmp_path / "p.onnx")
    x = rng.standard_normal((2, 3)).astype("f")
    assert np.allclose(weft.from_onnx(tmp_path / "p.onnx").forward(x), np.tanh(x) + 1, atol=1e-6)
    assert np.allclose(weft.from_onnx((tmp_path / "p.onnx").read_bytes()).forward(x), np.tanh(x) + 1, atol=1e-6)


def test_many_threads_at_once(net, rng):
    m = weft.load(net)
    e = weft.trace(lambda x: np.tanh(x @ x), "f32[K,K]").compile()
    x = rng.standard_normal((4, 3)).astype("f")
    square = rng.standard_normal((64, 64)).astype("f")
    expected, product, wrong = m.forward(x), e(square), []

    def work():
        for _ in range(100):
            if not np.array_equal(m.forward(x), expected) or not np.array_equal(e(square), product):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_gil_is_free_while_it_runs(rng):
    p = weft.trace(lambda x: weft.scan(lambda c, _: (np.tanh(c @ x) * 0.5, np.sum(c)), x, np.zeros(3000))[1], "f64[64,64]")
    x, turns, done = rng.standard_normal((64, 64)), [0], threading.Event()

    def count():
        while not done.is_set():
            turns[0] += 1

    t = threading.Thread(target=count)
    t.start()
    before = turns[0]
    p(x)
    during = turns[0] - before
    done.set()
    t.join()
    assert during > 1000


def test_a_program_prints_where_python_prints(capsys):
    p = weft.Program('f(x: f32[]) {\n  print x format="x is {}"\n  y = neg x\n  ret y\n}\n')
    p(1.5)
    assert capsys.readouterr().out == "x is 1.5\n"


def interrupted_after(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("compiled", [False, True])
def test_ctrl_c_ends_a_run(compiled):
    p = weft.trace(lambda x: weft.while_loop(lambda c: np.all(c > 0), lambda c: c * 1.5, x), "f64[1000]")
    p = p.compile() if compiled else p
    for _ in range(2):  # and what was interrupted runs again
        start = time.time()
        interrupted_after(0.5)
        with pytest.raises(KeyboardInterrupt):
            p(np.ones(1000))
        assert time.time() - start < 20
    assert p(np.zeros(1000)).sum() == 0


def test_ctrl_c_calls_the_handler_of_the_program():
    p = weft.trace(lambda x: weft.while_loop(lambda c: c > 0, lambda c: c * 1.5, x), "f64[]")
    seen = []
    before = signal.signal(signal.SIGINT, lambda *a: seen.append(a))
    try:
        interrupted_after(0.5)
        with pytest.raises(weft.Error, match="cancelled"):
            p(1.0)
        assert len(seen) == 1
    finally:
        signal.signal(signal.SIGINT, before)
    interrupted_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        p(1.0)


def test_ctrl_c_is_for_the_main_thread():
    p = weft.trace(lambda x: weft.scan(lambda c, _: (np.tanh(c @ x) * 0.5, np.sum(c)), x, np.zeros(3000))[1], "f64[64,64]")
    got = []
    thread = threading.Thread(target=lambda: got.append(p(np.eye(64))))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    thread.join()
    assert len(got) == 1  # it was not disturbed


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted by Linux")
def test_the_number_of_threads_is_said_by_the_environment():
    code = ("import os, numpy as np, weft\n"
            "p = weft.trace(lambda x: x @ x, 'f32[512,512]')\n"
            "before = len(os.listdir('/proc/self/task'))\n"
            "p(np.ones((512, 512), 'f'))\n"
            "print(len(os.listdir('/proc/self/task')) - before)")
    for n in (1, 3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ, WEFT_THREADS=str(n)))
        assert done.stdout == f"{n - 1}\n", done.stdout + done.stderr
