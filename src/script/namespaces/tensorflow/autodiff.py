# tensorflow.autodiff -- forward derivatives: the gradient is linear in what is pulled back, so its derivative by that,
# along the tangents, is the tangent of the result.
import _tf as _w
import _tree
from tensorflow._base import as_tensor
from tensorflow._tape import GradientTape, UnconnectedGradients, _is_leaf


class ForwardAccumulator:
    def __init__(self, primals, tangents):
        self._primals, spec = _tree.flatten(primals, _is_leaf)
        self._tangents, other = _tree.flatten(tangents, _is_leaf)
        if len(self._primals) != len(self._tangents):
            raise ValueError(f"The two structures don't have the same nested structure: {primals!r} and {tangents!r}")
        self._tape = None

    def __enter__(self):
        if self._tape is not None:
            raise ValueError("Accumulator is already recording.")
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._tape._forward = True
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *exc):
        self._tape.__exit__(*exc)

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        leaves, spec = _tree.flatten(primals, _is_leaf)
        out = [self._tangent(as_tensor(y)) for y in leaves]
        if unconnected_gradients == UnconnectedGradients.ZERO:
            out = [_w.zeros_like(as_tensor(y)) if t is None else t for y, t in zip(leaves, out)]
        return _tree.unflatten(spec, out)

    def _tangent(self, y):
        for x, t in zip(self._primals, self._tangents):
            if x is y:
                return as_tensor(t)
        if not y.dtype.is_inexact:
            return None
        # The pullback at u is linear in u: what it gives for the tangents has the tangent of y as its gradient, that of a complex y by the
        # real and the imaginary part of u.
        with GradientTape() as tape:
            parts = [_w.ones_like(_w.real(y) if y.dtype.is_complex else y) for _ in range(1 + y.dtype.is_complex)]
            tape.watch(parts)
            pulled = self._tape.gradient(y, self._primals, output_gradients=_w.complex(*parts) if len(parts) > 1 else parts[0])
            total = None
            for g, t in zip(pulled, self._tangents):
                if g is not None:
                    g, t = as_tensor(g), as_tensor(t)
                    s = _w.sum(_w.real(g * _w.conj(t)) if g.dtype.is_complex else g * t)
                    total = s if total is None else total + s
        if total is None:
            return None
        found = tape.gradient(total, parts, unconnected_gradients=UnconnectedGradients.ZERO)
        return _w.complex(*found) if len(found) > 1 else found[0]
