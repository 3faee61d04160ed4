"""Arrays in and out: without copies, of every kind, with errors that say what was wrong."""
import gc
import sys

import numpy as np
import pytest

import weft

IDENTITY = "f(x: {0}[N]) {{\n  y = add x x\n  ret y\n}}\n"
DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
          "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "c64": "complex64", "c128": "complex128"}


@pytest.mark.parametrize("short", DTYPES)
def test_every_dtype_goes_in_and_comes_out(short):
    x = np.arange(5).astype(DTYPES[short])
    y = weft.Program(IDENTITY.format(short))(x)
    assert y.dtype == x.dtype and np.array_equal(y, x + x)


def test_bool():
    p = weft.Program("f(x: bool[N]) {\n  y = not x\n  ret y\n}\n")
    assert np.array_equal(p(np.array([True, False])), [False, True])


def test_strides_are_taken_as_they_are(rng):
    x = rng.standard_normal((6, 8)).astype("f")
    p = weft.Program("f(x: f32[M,N]) {\n  y = neg x\n  ret y\n}\n")
    for view in (x.T, x[::2], x[:, ::-1], x[1:, 3:], np.broadcast_to(x[0], (4, 8))):
        assert np.array_equal(p(view), -view)


def test_an_array_shares_memory_with_what_it_is_made_of():
    x = np.zeros(3, np.float32)
    a = weft.Array(x)
    x[1] = 7
    assert np.array_equal(a.numpy(), [0, 7, 0])
    a.numpy()[0] = 5
    assert x[0] == 5


def test_read_only_memory_stays_so():
    x = np.zeros(3, np.float32)
    x.setflags(write=False)
    assert not weft.Array(x).numpy().flags.writeable


def test_whoever_lends_memory_is_held_and_let_go():
    x = np.zeros(1000, np.float32)
    before = sys.getrefcount(x)
    a = weft.Array(x)
    view = a.numpy()
    assert sys.getrefcount(x) > before
    del a, view
    gc.collect()
    assert sys.getrefcount(x) == before


def test_results_do_not_lie_in_inputs_or_constants(rng):
    p = weft.trace(lambda x: (x, np.array([1.0, 2.0]) + 0 * x[0]), "f64[2]")
    x = rng.standard_normal(2)
    a, b = p(x)
    kept = x.copy()
    a[:] = 0
    b[:] = 9
    a, b = p(x)
    assert np.array_equal(a, x) and np.array_equal(x, kept) and np.array_equal(b, [1, 2])


def test_numbers_and_lists_take_the_dtype_of_the_input():
    p = weft.Program("f(x: f32[N], s: f32[]) {\n  t = broadcast s shape=[N] dims=[]\n  y = mul x t\n  ret y\n}\n")
    y = p([1, 2, 3], 2)
    assert y.dtype == np.float32 and np.array_equal(y, [2, 4, 6])


def test_inputs_by_name():
    p = weft.trace(lambda a, b: a - b, "f32[]", "f32[]")
    assert p(b=1.0, a=3.0) == 2
    with pytest.raises(TypeError, match="no input named 'c'"):
        p(1.0, c=2.0)
    with pytest.raises(TypeError, match="takes 2 inputs, 1 were given"):
        p(1.0)
    with pytest.raises(TypeError, match="twice"):
        p(1.0, a=2.0)


def test_what_does_not_fit_is_said():
    p = weft.Program(IDENTITY.format("f32"))
    with pytest.raises(weft.DTypeError, match="needs f32"):
        p(np.zeros(3))
    with pytest.raises(weft.Error, match="rank"):
        p(np.zeros((3, 3), np.float32))
    with pytest.raises(TypeError, match="needs an array"):
        p("text")
    with pytest.raises(TypeError, match="which Weft has not"):
        p(np.zeros(3, ">f4"))


def test_dlpack_both_ways(rng):
    x = rng.standard_normal((3, 4)).astype("f")
    a = weft.Array(x)
    assert np.shares_memory(np.from_dlpack(a), x)
    assert a.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(2, 0))


class Old:
    """A producer from before versions."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, stream=None):
        return self.a.__dlpack__()


def test_producers_without_versions():
    x = np.arange(3, dtype=np.float32)
    assert np.array_equal(weft.Array(Old(x)).numpy(), x)


def test_text_of_an_array():
    assert repr(weft.Array(np.array([1.5, 2.5], "f"))) == "weft.Array(f32[2] [1.5, 2.5])"
    assert weft.Array([1, 2], dtype="f32").dtype == "f32"


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    y = weft.Program(IDENTITY.format("bf16"))(x)
    assert y.dtype == ml_dtypes.bfloat16 and np.array_equal(y.astype("f"), [3, 5])


def test_torch_tensors_in_and_out():
    torch = pytest.importorskip("torch")
    p = weft.Program(IDENTITY.format("f32"))
    x = torch.arange(4, dtype=torch.float32)
    y = p(x)
    assert isinstance(y, torch.Tensor) and torch.equal(y, 2 * x)
    w = torch.ones(3, requires_grad=True)
    assert torch.equal(p(w), torch.full((3,), 2.0))
    b = torch.ones(3, dtype=torch.bfloat16)
    assert weft.Program(IDENTITY.format("bf16"))(b).dtype == torch.bfloat16


def test_jax_arrays_in_and_out():
    jnp = pytest.importorskip("jax.numpy")
    y = weft.Program(IDENTITY.format("f32"))(jnp.arange(3.0))
    assert isinstance(y, type(jnp.zeros(1))) and np.array_equal(y, [0, 2, 4])
