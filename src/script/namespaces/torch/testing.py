# torch.testing
import _torch as _w

_TOLERANCE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None, **options):
    if isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for a, b in zip(actual, expected):
            assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
        return
    if isinstance(actual, dict):
        if set(actual) != set(expected):
            raise AssertionError("The keys of the mappings do not match")
        for k in actual:
            assert_close(actual[k], expected[k], rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype)
        return
    a = actual if isinstance(actual, _w.Tensor) else _w.tensor(actual)
    b = expected if isinstance(expected, _w.Tensor) else _w.tensor(expected)
    if a.shape != b.shape:
        raise AssertionError(f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}.")
    if check_dtype and a.dtype != b.dtype:
        raise AssertionError(f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}.")
    r, t = _TOLERANCE.get(a.dtype.name, (0.0, 0.0))
    r, t = r if rtol is None else rtol, t if atol is None else atol
    near = _w.is_close(a, b, r, t) if a.dtype.is_floating_point or t else _w.eq(a, b)
    if equal_nan:
        near = _w.logical_or(near, _w.logical_and(_w.is_nan(a), _w.is_nan(b)))
    bad = a.numel() - int(_w.count_nonzero(near))
    if bad:
        if msg is not None:
            raise AssertionError(msg if isinstance(msg, str) else msg(""))
        share = 100 * bad / a.numel()
        gap = float(_w.max(_w.abs(_w.cast(a, _w.float64) - _w.cast(b, _w.float64))))
        raise AssertionError(f"Tensor-likes are not close!\n\nMismatched elements: {bad} / {a.numel()} "
                             f"({share:.1f}%)\nGreatest absolute difference: {gap} (up to {t} allowed)")


assert_allclose = assert_close
