"""weft.from_jax against JAX."""
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import weft  # noqa: E402

jnp, lax = jax.numpy, jax.lax
R = np.random.default_rng(0)
X, Y, V = (R.standard_normal(s).astype("f") for s in ((4, 6), (6, 3), (4,)))
IMG, KER = R.standard_normal((2, 3, 8, 8)).astype("f"), R.standard_normal((4, 3, 3, 3)).astype("f")
IDX = np.array([2, 0, 3, 3], np.int32)


def mlp(w, x):
    return jnp.mean(jax.nn.log_softmax(jax.nn.gelu(x @ w))[jnp.arange(4), IDX % 3])


CASES = {
    "mlp": (mlp, Y, X), "grad": (jax.grad(mlp), Y, X), "hessian": (jax.hessian(lambda v: jnp.sum(jnp.sin(v) ** 3)), V), "vmap": (jax.vmap(lambda r: jnp.outer(r, r)), X),
    "reductions": (lambda x: (x.sum(0), x.max(1), x.argmin(1), jnp.std(x), jnp.prod(x[0]), (x > 0).any(0)), X), "cumulative": (lambda x: (jnp.cumsum(x, 1), lax.cummax(x, reverse=True)), X),
    "sort": (lambda x: (jnp.sort(x, 1), jnp.argsort(x, 0)), X), "top_k": (lambda x: lax.top_k(x, 2), X), "index": (lambda x: (x[1], x[::-1, 2:5:2], x[IDX], x[IDX, IDX], jnp.take(x, 1, axis=1)), X),
    "index_fill": (lambda x: x.at[np.array([1, 9])].get(mode="fill", fill_value=-1), X), "set": (lambda x: x.at[1:3, 2].set(7.0), X), "add_at": (lambda x: x.at[IDX].add(1.0), X),
    "drop_at": (lambda x: x.at[np.array([1, 9])].set(5.0, mode="drop"), X), "max_at": (lambda x: x.at[IDX, 1].max(0.5), X), "einsum": (lambda x, y: jnp.einsum("ij,jk->ki", x, y), X, Y),
    "dynamic": (lambda x, i: (lax.dynamic_slice(x, (i, 1), (2, 3)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, i))), X, np.int32(1)), "pad": (lambda x: lax.pad(x, 2.0, ((1, 0, 2), (-1, 2, 0))), X),
    "conv": (lambda x, k: lax.conv_general_dilated(x, k, (2, 1), ((1, 2), (0, 1)), rhs_dilation=(1, 2)), IMG, KER), "conv_transposed": (lambda x, k: lax.conv_transpose(x, k.transpose(2, 3, 1, 0), (2, 2), "SAME", dimension_numbers=("NCHW", "HWIO", "NCHW")), IMG, KER),
    "conv_grad": (jax.grad(lambda k, x: jnp.sum(lax.conv(x, k, (1, 1), "SAME") ** 2)), KER, IMG), "pool": (lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 1, 1), "SAME")), IMG),
    "cond": (lambda x, i: lax.cond(i > 0, lambda x: x * 2, lambda x: x - 1, x), V, np.int32(1)), "switch": (lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), V, np.int32(2)),
    "while": (lambda x: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * 1.5), (0, x)), V), "scan": (lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), x[0], x), X),
    "scan_grad": (jax.grad(lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), x[0], x)[1].sum()), X), "fori": (lambda x: lax.fori_loop(0, 5, lambda i, c: c + x[i % 4], 0.0), V), "custom": (jax.nn.relu, X), "silu": (jax.grad(lambda x: jax.nn.silu(x).sum()), X),
    "integers": (lambda i: (i // 3, i % 3, -i // 2, lax.div(i - 4, jnp.int32(3)), lax.rem(i - 4, jnp.int32(3)), i << 2, i >> 1, i & 3, jnp.abs(i - 2)), np.arange(8, dtype=np.int32)), "round": (lambda x: (jnp.round(x * 2), lax.round(x * 2)), X), "clip": (lambda x: jnp.clip(x, -0.5, 0.5), X), "norm": (lambda x: x / jnp.linalg.norm(x, axis=1, keepdims=True), X),
    "select_and_cast": (lambda x: jnp.where(x > 0, x.astype(jnp.int32), 7), X), "iota_eye": (lambda x: jnp.eye(4) @ x + jnp.tril(jnp.ones((4, 6))), X), "batched_take": (jax.vmap(lambda r, i: r[i]), X, IDX), "split": (lambda x: jnp.split(x, 3, axis=1), X),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_gives_what_jax_gives(name):
    f, *args = CASES[name]
    expected = jax.tree_util.tree_leaves(jax.jit(f)(*args))
    got = weft.from_jax(f, *args)(*args)
    got = got if isinstance(got, tuple) else (got,)
    assert len(got) == len(expected)
    for g, e in zip(got, expected):
        assert g.shape == e.shape and g.dtype == e.dtype
        np.testing.assert_allclose(g, e, rtol=2e-5, atol=1e-5)


def test_a_program_of_jax_is_one_like_others():
    p = weft.from_jax(lambda x: jnp.sum(jnp.sin(x) * x), jax.ShapeDtypeStruct((4,), jnp.float32))
    np.testing.assert_allclose(p.grad()(V), np.sin(V) + V * np.cos(V), rtol=1e-5)


def test_trees_names_and_random_keys():
    def loss(params, key):
        return jnp.mean((params["w"] * jax.random.normal(key, (4,)) + params["b"]) ** 2)
    params, key = {"w": V, "b": np.float32(2)}, jax.random.PRNGKey(1)
    p = weft.from_jax(loss, params, key)
    assert p.name == "loss"
    b, w = jax.tree_util.tree_leaves(params)
    np.testing.assert_allclose(p(b, w, np.asarray(key)), loss(params, key), rtol=1e-5)


@pytest.mark.parametrize("name", ["svd", "qr", "eigh", "lgamma", "pool_grad"])
def test_what_the_text_has_that_primitives_alone_had_not(name):
    f = {"svd": lambda x: jnp.linalg.svd(x, compute_uv=False), "qr": lambda x: jnp.abs(jnp.linalg.qr(x)[1]), "eigh": lambda x: jnp.linalg.eigvalsh(x @ x.T),
         "lgamma": lambda x: lax.lgamma(jnp.abs(x)), "pool_grad": jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), "VALID") ** 2))}[name]
    np.testing.assert_allclose(weft.from_jax(f, X)(X), f(X), rtol=1e-4, atol=1e-4)


def test_gradients_agree_with_jax():
    p = weft.from_jax(mlp, Y, X)
    np.testing.assert_allclose(p.grad()(Y, X), jax.grad(mlp)(Y, X), rtol=1e-4, atol=1e-6)


def test_rules_that_the_text_has_not_are_warned_of():
    with pytest.warns(UserWarning, match="stop_gradient"):
        weft.from_jax(lambda x: lax.stop_gradient(x) * x, V)


def test_what_is_refused_is_named_with_its_line():
    with pytest.raises(weft.UnsupportedError, match=r"geev|line|mlir:\d+"):
        weft.from_jax(lambda x: jnp.linalg.eigvals(x @ x.T), X)
