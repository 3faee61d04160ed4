"""Golden cases of shapes and indexing.

gather and scatter come from JAX. Where JAX means something else, Weft's documented meaning
is computed here instead: dynamic_slice with a negative start (JAX counts it from the end,
Weft clamps it to 0), indices beyond 32 bits, and the order of duplicates in a scatter.
"""

import itertools
import math
import random

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from core import DTYPES, FLOATS, INTS, NUMBERS, File, array, ints_text, round_to, sample

jax.config.update("jax_enable_x64", True)


# ---- shapes: bits are moved, so one dtype of each size, and bool, stand for all ----

MOVED = ["bool", "i8", "f16", "i32", "f32", "f64", "u64"]


def shapes(f, rng):
    for t in MOVED:
        x = sample(rng, t, (2, 3, 4), True)
        v = sample(rng, t, (3,), True)
        zero = sample(rng, t, (), False)
        pad = np.full((4, 3, 7), zero, x.dtype)
        pad[1:3, :, 0:7:2] = x[:, :, :]
        cut = np.full((2, 2, 5), zero, x.dtype)
        cut[:, :, 1:] = x[:, 1:, :]
        body = [
            "a = reshape x [4,6]",
            "b = transpose x perm=[2,0,1]",
            "c = broadcast v [2,3,4] dims=[1]",
            "d = slice x start=[0,1,0] limit=[2,3,4] stride=[1,1,2]",
            "e = pad x z lo=[1,0,0] hi=[1,0,0] interior=[0,0,1]",
            "g = pad x z lo=[0,-1,1] hi=[0,0,0]",
            "h = concat x x axis=1",
            "i = rev x axes=[0,2]",
        ]
        outs = {
            "a": x.reshape(4, 6),
            "b": x.transpose(2, 0, 1),
            "c": np.broadcast_to(v[None, :, None], (2, 3, 4)),
            "d": x[:, 1:3, ::2],
            "e": pad,
            "g": cut,
            "h": np.concatenate([x, x], 1),
            "i": x[::-1, :, ::-1],
        }
        f.case(f"shape_{t}", {"x": x, "v": v, "z": zero}, body, outs)
    x = sample(rng, "f32", (3, 0))
    f.case(
        "shape_empty",
        {"x": x},
        [
            "a = reshape x [0,7]",
            "b = transpose x perm=[1,0]",
            "c = slice x start=[1,0] limit=[1,0]",
            "d = concat x x axis=0",
            "e = rev x axes=[0]",
        ],
        {"a": x.reshape(0, 7), "b": x.T, "c": x[1:1], "d": np.concatenate([x, x]), "e": x},
    )
    s = sample(rng, "f32", ())
    f.case(
        "shape_scalar",
        {"x": s},
        [
            "a = reshape x [1,1]",
            "b = transpose x",
            "c = broadcast x [2,2]",
            "d = broadcast a [3,2] dims=[0,1]",
        ],
        {
            "a": s.reshape(1, 1),
            "b": s,
            "c": np.full((2, 2), s, s.dtype),
            "d": np.full((3, 2), s, s.dtype),
        },
    )
    x = sample(rng, "f32", (2, 6))
    f.case(
        "shape_symbolic",
        {"x": x},
        [
            "a = reshape x [N*3,2]",
            "b = slice x start=[0,N] limit=[N,6] stride=[1,2]",
            "c = concat x x axis=0",
            "z = const f32[] 1",
            "d = pad x z lo=[N,-1] hi=[0,N-2]",
            "n = dim N*N+1",
            "i = iota i32[N,3] axis=1",
        ],
        {
            "a": x.reshape(6, 2),
            "b": x[:, 2:6:2],
            "c": np.concatenate([x, x]),
            "d": np.concatenate([np.ones((2, 5), np.float32), x[:, 1:]]),
            "n": np.int64(5),
            "i": np.broadcast_to(np.arange(3, dtype=np.int32), (2, 3)),
        },
        types={"x": "f32[N,6]"},
    )
    for t in NUMBERS:
        rows = [str(i) for i in range(3)]
        f.case(
            f"iota_{t}",
            {},
            [
                f"a = iota {t}[3,2] axis=0",
                f"b = iota {t}[3,2] axis=1",
                f"c = iota {t}[0]",
                f"d = const {t}[3] [{','.join(rows)}]",
                f"e = const {t}[2,2] 7",
            ],
            {
                "a": np.array([[0, 0], [1, 1], [2, 2]]).astype(DTYPES[t]),
                "b": np.array([[0, 1]] * 3).astype(DTYPES[t]),
                "c": np.zeros(0, DTYPES[t]),
                "d": np.arange(3).astype(DTYPES[t]),
                "e": np.full((2, 2), 7).astype(DTYPES[t]),
            },
        )
    f.case("iota_i8_wraps", {}, "a = iota i8[200]", {"a": np.arange(200).astype(np.int8)})
    f.case(
        "iota_bf16_rounds",
        {},
        "a = iota bf16[300]",
        {"a": array("bf16", [round_to("bf16", i) for i in range(300)])},
    )
    f.case(
        "iota_f16_rounds",
        {},
        ["a = iota f16[2052]", "b = slice a start=[2046] limit=[2052]"],
        {"b": array("f16", [round_to("f16", i) for i in range(2046, 2052)])},
    )
    f.case(
        "size_defines",
        {"n": np.int64(3)},
        ["size n as=K", "a = iota i64[K]", "b = const f32[K,2] 1.5", "c = dim K*2"],
        {"a": np.arange(3), "b": np.full((3, 2), 1.5, np.float32), "c": np.int64(6)},
    )


# ---- indexing ----


def gather_case(
    f, name, x, i, offset=(), collapsed=(), xb=(), ib=(), start=(), sizes=(), mode="clip", fill=None
):
    dn = lax.GatherDimensionNumbers(
        tuple(offset), tuple(collapsed), tuple(start), tuple(xb), tuple(ib)
    )
    how = {
        "clip": lax.GatherScatterMode.CLIP,
        "fill": lax.GatherScatterMode.FILL_OR_DROP,
        "promised": lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    }[mode]
    y = lax.gather(jnp.asarray(x), jnp.asarray(i), dn, tuple(sizes), mode=how, fill_value=fill)
    text = "z = gather x i"
    for key, v in (
        ("offset_dims", offset),
        ("collapsed", collapsed),
        ("operand_batching", xb),
        ("indices_batching", ib),
        ("start_index_map", start),
    ):
        text += f" {key}={ints_text(v)}" if len(v) else ""
    text += f" slice_sizes={ints_text(sizes)} mode={mode}" + (
        f" fill={fill}" if fill is not None else ""
    )
    f.case(name, {"x": x, "i": i}, text, {"z": np.asarray(y)})


def gathers(f, rng):
    for t in DTYPES:
        x = sample(rng, t, (5,), True)
        gather_case(
            f,
            f"gather_{t}",
            x,
            array("i32", [0, 4, 2, 2, -1, 7], (6, 1)),
            (),
            (0,),
            (),
            (),
            (0,),
            (1,),
        )
        gather_case(
            f,
            f"gather_fill_{t}",
            x,
            array("i32", [0, 4, 5, -1], (4, 1)),
            (),
            (0,),
            (),
            (),
            (0,),
            (1,),
            "fill",
            fill=1 if t not in FLOATS else 2.5,
        )
    x = sample(rng, "f64", (4, 5))
    for t in INTS:
        i = array(t, [0, 1, 2, 3], (2, 2))
        gather_case(f, f"gather_by_{t}", x, i, (1,), (0,), (), (), (0, 1), (1, 2))
    far = np.array(
        [[-(2**63)], [2**63 - 1], [2**32], [-1], [3]]
    )  # JAX reads only 32 bits of an index
    text = "gather x i offset_dims=[1] collapsed=[0] start_index_map=[0] slice_sizes=[1,5]"
    f.case(
        "gather_far",
        {"x": x, "i": far},
        [f"y = {text}", f"z = {text} mode=fill fill=9"],
        {"y": x[[0, 3, 3, 0, 3]], "z": np.concatenate([np.full((4, 5), 9.0), x[3:]])},
    )
    windows = array("i64", [0, 0, 2, 3, 3, 3, -1, 2], (4, 2))
    gather_case(f, "gather_window_clip", x, windows, (1, 2), (), (), (), (0, 1), (2, 3))
    gather_case(
        f, "gather_window_fill", x, windows, (1, 2), (), (), (), (0, 1), (2, 3), "fill", -1.0
    )
    gather_case(f, "gather_window_swapped", x, windows, (0, 2), (), (), (), (1, 0), (3, 2))
    gather_case(
        f,
        "gather_promised",
        x,
        array("i64", [3, 0, 1], (3, 1)),
        (1,),
        (0,),
        (),
        (),
        (0,),
        (1, 5),
        "promised",
    )
    y = sample(rng, "f64", (3, 4, 2))
    gather_case(
        f,
        "gather_batching",
        y,
        array("i64", [0, 3, 1, 2, 9, -2], (3, 2, 1)),
        (2,),
        (1,),
        (0,),
        (0,),
        (1,),
        (1, 1, 2),
    )
    gather_case(
        f,
        "gather_two_batchings",
        y,
        array("i64", list(range(6)), (2, 3, 1)),
        (),
        (1,),
        (0, 2),
        (1, 0),
        (1,),
        (1, 1, 1),
        "fill",
        0.0,
    )
    gather_case(
        f, "gather_no_indices", x, np.zeros((0, 1), np.int64), (1,), (0,), (), (), (0,), (1, 5)
    )
    gather_case(f, "gather_one", x, array("i64", [2]), (0,), (0,), (), (), (0,), (1, 5))


SCATTERS = {
    "scatter": lax.scatter,
    "scatter_add": lax.scatter_add,
    "scatter_mul": lax.scatter_mul,
    "scatter_min": lax.scatter_min,
    "scatter_max": lax.scatter_max,
}


def scatter_case(
    f, name, ops, x, i, u, window=(), inserted=(), xb=(), ib=(), dims=(), mode="clip", tol=None
):
    """Applied one index vector after the other: the order of duplicates is part of the meaning, and JAX promises none."""
    dn = lax.ScatterDimensionNumbers(
        tuple(window), tuple(inserted), tuple(dims), tuple(xb), tuple(ib)
    )
    how = {"clip": lax.GatherScatterMode.CLIP, "drop": lax.GatherScatterMode.FILL_OR_DROP}[mode]
    text = ""
    for key, v in (
        ("update_window", window),
        ("inserted", inserted),
        ("operand_batching", xb),
        ("indices_batching", ib),
        ("operand_dims", dims),
    ):
        text += f" {key}={ints_text(v)}" if len(v) else ""
    outs = {}
    batch = i.shape[:-1]
    axes = [a for a in range(u.ndim) if a not in window]
    for op in ops:
        y = jnp.asarray(x)
        if xb:
            y = SCATTERS[op](y, jnp.asarray(i), jnp.asarray(u), dn, mode=how)
        else:
            for at in itertools.product(*(range(n) for n in batch)):
                one = [slice(None)] * u.ndim
                for a, k in zip(axes, at):
                    one[a] = k
                one_dn = lax.ScatterDimensionNumbers(
                    tuple(range(len(window))), tuple(inserted), tuple(dims)
                )
                y = SCATTERS[op](
                    y, jnp.asarray(i[at]), jnp.asarray(u[tuple(one)]), one_dn, mode=how
                )
        outs[f"{op}_"] = np.asarray(y)
    f.case(
        name,
        {"x": x, "i": i, "u": u},
        [f"{op}_ = {op} x i u{text} mode={mode}" for op in ops],
        outs,
        tol,
    )


def scatters(f, rng):
    for t in NUMBERS:
        x, u = sample(rng, t, (4,)), sample(rng, t, (6,))
        i = array("i32", [0, 3, 3, 1, -2, 9], (6, 1))
        tol = {"f16": "ulps=1 run=2", "bf16": "ulps=1 run=2"}.get(t)
        for mode in ("clip", "drop"):
            scatter_case(
                f,
                f"scatter_{t}_{mode}",
                list(SCATTERS),
                x,
                i,
                u,
                (),
                (0,),
                (),
                (),
                (0,),
                mode,
                {f"scatter_{k}_": tol for k in ("add", "mul")} if tol else None,
            )
    x = sample(rng, "bool", (4,))
    scatter_case(
        f,
        "scatter_bool",
        ["scatter", "scatter_min", "scatter_max"],
        x,
        array("i64", [1, 2, 1], (3, 1)),
        sample(rng, "bool", (3,)),
        (),
        (0,),
        (),
        (),
        (0,),
    )
    ops = list(SCATTERS)
    x = sample(rng, "f64", (4, 5))
    scatter_case(
        f,
        "scatter_rows",
        ops,
        x,
        array("i64", [3, 0, 3], (3, 1)),
        sample(rng, "f64", (3, 5)),
        (1,),
        (0,),
        (),
        (),
        (0,),
    )
    windows = array("i64", [0, 0, 2, 3, 3, 3, 1, 2], (4, 2))
    u = sample(rng, "f64", (4, 2, 3))
    scatter_case(f, "scatter_windows_clip", ops, x, windows, u, (1, 2), (), (), (), (0, 1))
    scatter_case(f, "scatter_windows_drop", ops, x, windows, u, (1, 2), (), (), (), (0, 1), "drop")
    scatter_case(
        f,
        "scatter_one",
        ops,
        x,
        array("i64", [1, 4]),
        sample(rng, "f64", ()),
        (),
        (0, 1),
        (),
        (),
        (0, 1),
    )
    scatter_case(
        f,
        "scatter_none",
        ops,
        x,
        np.zeros((0, 1), np.int64),
        np.zeros((0, 5)),
        (1,),
        (0,),
        (),
        (),
        (0,),
    )
    y = sample(rng, "f64", (3, 4))
    scatter_case(
        f,
        "scatter_batching",
        ops,
        y,
        array("i64", [0, 3, 1, 2, 2, 9], (3, 2, 1)),
        sample(rng, "f64", (3, 2)),
        (),
        (1,),
        (0,),
        (0,),
        (1,),
        "drop",
    )
    special = array("f32", [math.nan, 1, math.inf, -0.0])
    scatter_case(
        f,
        "scatter_special",
        ["scatter", "scatter_add", "scatter_min", "scatter_max"],
        special,
        array("i32", [0, 1, 2, 3], (4, 1)),
        array("f32", [1, math.nan, -math.inf, 5]),
        (),
        (0,),
        (),
        (),
        (0,),
    )


def dynamic(f, rng):
    for t in MOVED:
        x, u = sample(rng, t, (4, 5), True), sample(rng, t, (2, 3), True)
        for k, (i, j) in enumerate(((1, 1), (0, 0), (9, 9), (-3, 1), (3, -1), (2, 2))):
            a, b = min(max(i, 0), 2), min(max(j, 0), 2)
            y = x.copy()
            y[a : a + 2, b : b + 3] = u
            f.case(
                f"dynamic_{t}_{k}",
                {"x": x, "u": u, "i": np.int32(i), "j": np.int64(j)},
                ["y = dynamic_slice x i j sizes=[2,3]", "z = dynamic_update_slice x u i j"],
                {"y": x[a : a + 2, b : b + 3], "z": y},
            )
    x = sample(rng, "f32", (3,))
    f.case(
        "dynamic_u64_far",
        {"x": x, "i": np.uint64(2**64 - 1)},
        "y = dynamic_slice x i sizes=[2]",
        {"y": x[1:]},
    )
    f.case(
        "dynamic_empty", {"x": x, "i": np.int8(2)}, "y = dynamic_slice x i sizes=[0]", {"y": x[:0]}
    )
    for t in DTYPES:
        x = (
            sample(rng, t, (3, 4), True)
            if t == "bool" or t in FLOATS
            else array(t, [k % 3 for k in range(12)], (3, 4))
        )
        f.case(f"nonzero_{t}", {"x": x}, "i = nonzero x as=K", {"i": np.argwhere(x)})
    f.case(
        "nonzero_none",
        {"x": np.zeros(3, np.int32)},
        "i = nonzero x as=K",
        {"i": np.zeros((0, 1), np.int64)},
    )
    f.case(
        "nonzero_empty",
        {"x": np.zeros((0, 2), np.int32)},
        "i = nonzero x as=K",
        {"i": np.zeros((0, 2), np.int64)},
    )
    f.case(
        "nonzero_scalar",
        {"x": np.array(5, np.int32)},
        "i = nonzero x as=K",
        {"i": np.zeros((1, 0), np.int64)},
    )


def write(directory):
    rng = random.Random(5)
    with File(directory, "shape", "Shapes, constants, sizes.") as f:
        shapes(f, rng)
    with File(directory, "index", "gather, scatters, dynamic slices and nonzero.") as f:
        gathers(f, rng)
        scatters(f, rng)
        dynamic(f, rng)
