# jax.scipy.spatial.transform -- rotations in three dimensions as unit quaternions (x, y, z, w).
import _jax as _w
import jax.numpy as _jnp
from jax.scipy.stats._base import floats as _floats
from jax.tree_util import register_pytree_node_class as _register

_pi = 3.141592653589793


def _parts(q):
    return [q[..., i] for i in range(q.shape[-1])]


def _unit(q):
    return q / _jnp.linalg.norm(q, axis=-1, keepdims=True)


def _product(p, q):
    a, b, c, d = _parts(p)
    e, f, g, h = _parts(q)
    return _w.stack([d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e, d * g + a * f - b * e + c * h,
                     d * h - a * e - b * f - c * g], -1)


def _matrix(q):
    x, y, z, w = _parts(q)
    rows = [[x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), -x * x - y * y + z * z + w * w]]
    return _w.stack([_w.stack(r, -1) for r in rows], -2)


def _of_matrix(m):
    # The largest of the four decides, so that nothing small is divided by.
    d = [m[..., i, i] for i in range(3)]
    trace = d[0] + d[1] + d[2]
    choice = _w.argmax(_w.stack(d + [trace], -1), -1)
    out = None
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [None] * 4
        q[i] = 1 - trace + 2 * d[i]
        q[j] = m[..., j, i] + m[..., i, j]
        q[k] = m[..., k, i] + m[..., i, k]
        q[3] = m[..., k, j] - m[..., j, k]
        q = _w.stack(q, -1)
        out = q if out is None else _w.where(_w.expand_dims(_w.eq(choice, i), -1), q, out)
    last = _w.stack([m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1], 1 + trace], -1)
    return _unit(_w.where(_w.expand_dims(_w.eq(choice, 3), -1), last, out))


def _of_rotvec(v):
    angle = _jnp.linalg.norm(v, axis=-1, keepdims=True)
    a2 = angle * angle
    small = _w.le(angle, 1e-3)
    safe = _w.where(small, 1.0, angle)
    scale = _w.where(small, 0.5 - a2 / 48 + a2 * a2 / 3840, _w.sin(safe / 2) / safe)
    return _w.concat([scale * v, _w.cos(angle / 2)], -1)


def _seq(seq, angles):
    # Axes as numbers, and whether they turn with the body.
    if seq.upper() != seq and seq.lower() != seq:
        raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {seq}")
    if len(seq) not in (1, 3) and angles is None or not set(seq.lower()) <= set("xyz"):
        raise ValueError(f"Expected axis specification to be a non-empty string of upto 3 characters, got {seq}")
    return ["xyz".index(c) for c in seq.lower()], seq.upper() == seq


@_register
class Rotation:
    def __init__(self, quat):
        self.quat = quat

    def tree_flatten(self):
        return (self.quat,), None

    @classmethod
    def tree_unflatten(cls, aux, kids):
        del aux
        return cls(kids[0])

    @classmethod
    def from_quat(cls, quat):
        return cls(_unit(_floats(quat)[0]))

    @classmethod
    def from_matrix(cls, matrix):
        return cls(_of_matrix(_floats(matrix)[0]))

    @classmethod
    def from_rotvec(cls, rotvec, degrees=False):
        v = _floats(rotvec)[0]
        return cls(_of_rotvec(v * (_pi / 180) if degrees else v))

    @classmethod
    def from_mrp(cls, mrp):
        m = _floats(mrp)[0]
        n = _jnp.sum(m * m, axis=-1, keepdims=True)
        return cls(_w.concat([2 * m, 1 - n], -1) / (1 + n))

    @classmethod
    def from_euler(cls, seq, angles, degrees=False):
        axes, intrinsic = _seq(seq, angles)
        a = _floats(angles)[0]
        a = a * (_pi / 180) if degrees else a
        if len(axes) == 1:
            a = _w.expand_dims(a, -1) if len(a.shape) == 0 or a.shape[-1] != 1 else a
        out = None
        for k, axis in enumerate(axes):
            half = a[..., k] / 2
            q = [_w.zeros_like(half)] * 4
            q[axis], q[3] = _w.sin(half), _w.cos(half)
            q = _w.stack(q, -1)
            out = q if out is None else _product(out, q) if intrinsic else _product(q, out)
        return cls(out)

    @classmethod
    def identity(cls, num=None, dtype=float):
        q = _w.tensor([0.0, 0.0, 0.0, 1.0], dtype)
        return cls(q if num is None else _jnp.tile(q, (num, 1)))

    @classmethod
    def concatenate(cls, rotations):
        return cls(_w.concat([_jnp.atleast_2d(r.quat) for r in rotations], 0))

    @classmethod
    def random(cls, random_key, num=None):
        from jax import random
        return cls(_unit(random.normal(random_key, (4,) if num is None else (num, 4))))

    @property
    def single(self):
        return len(self.quat.shape) == 1

    def __bool__(self):
        return True

    def __len__(self):
        if self.single:
            raise TypeError("Single rotation has no len().")
        return self.quat.shape[0]

    def __getitem__(self, indexer):
        if self.single:
            raise TypeError("Single rotation is not subscriptable.")
        return Rotation(self.quat[indexer])

    def __mul__(self, other):
        return Rotation.from_quat(_product(self.quat, other.quat))

    def inv(self):
        return Rotation(self.quat * _w.cast(_w.tensor([-1.0, -1.0, -1.0, 1.0]), self.quat.dtype))

    def apply(self, vectors, inverse=False):
        m = _matrix(self.quat)
        return _jnp.einsum("...kj,...k->...j" if inverse else "...jk,...k->...j", m, _jnp.asarray(vectors))

    def as_matrix(self):
        return _matrix(self.quat)

    def as_quat(self, canonical=False, scalar_first=False):
        q = self.quat
        if canonical:    # of q and -q the one whose first entry that is not 0, from w on, is positive
            x, y, z, w = _parts(q)
            zero = lambda v: _w.eq(v, 0)
            flip = _w.lt(_w.where(zero(w), _w.where(zero(x), _w.where(zero(y), z, y), x), w), 0)
            q = _w.where(_w.expand_dims(flip, -1), -q, q)
        return _jnp.roll(q, 1, axis=-1) if scalar_first else q

    def as_rotvec(self, degrees=False):
        q = _w.where(_w.lt(self.quat[..., 3:], 0), -self.quat, self.quat)
        n = _jnp.linalg.norm(q[..., :3], axis=-1, keepdims=True)
        angle = 2 * _w.atan2(n, q[..., 3:])
        a2 = angle * angle
        small = _w.le(angle, 1e-3)
        scale = _w.where(small, 2 + a2 / 12 + 7 * a2 * a2 / 2880, angle / _w.where(small, 1.0, _w.sin(angle / 2)))
        v = scale * q[..., :3]
        return v * (180 / _pi) if degrees else v

    def as_mrp(self):
        q = _w.where(_w.lt(self.quat[..., 3:], 0), -self.quat, self.quat)
        return q[..., :3] / (1 + q[..., 3:])

    def as_euler(self, seq, degrees=False):
        if len(seq) != 3:
            raise ValueError(f"Expected 3 axes, got {seq}.")
        axes, intrinsic = _seq(seq, None)
        if axes[0] == axes[1] or axes[1] == axes[2]:
            raise ValueError(f"Expected consecutive axes to be different, got {seq}")
        angles = self._angles(axes if not intrinsic else axes[::-1], not intrinsic)
        return angles * (180 / _pi) if degrees else angles

    def _angles(self, axes, extrinsic):
        # By half sums and differences of the outer angles. Where the inner one is 0 or pi, the last is 0.
        i, j, k = axes
        proper = i == k
        if proper:
            k = 3 - i - j
        sign = (i - j) * (j - k) * (k - i) // 2
        q = self.quat
        w, x, y, z = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
        a, b, c, d = (w, x, y, z) if proper else (w - y, x + z, y + w, z - x)
        middle = 2 * _w.atan2(_jnp.hypot(c, d), _jnp.hypot(a, b))
        half_sum, half_difference = _w.atan2(b, a), _w.atan2(d, c)
        none, whole = _w.le(_w.abs(middle), 1e-7), _w.le(_w.abs(middle - _pi), 1e-7)
        first, third = half_sum - half_difference, half_sum + half_difference
        either = _w.logical_or(none, whole)
        if extrinsic:
            first = _w.where(none, 2 * half_sum, _w.where(whole, -2 * half_difference, first))
            third = _w.where(either, 0.0, third)
        else:
            third = _w.where(none, 2 * half_sum, _w.where(whole, 2 * half_difference, third))
            first = _w.where(either, 0.0, first)
        if not proper:
            third, middle = third * sign, middle - _pi / 2
        turned = lambda t: _w.where(_w.lt(t, -_pi), t + 2 * _pi, _w.where(_w.gt(t, _pi), t - 2 * _pi, t))
        out = [turned(first), turned(middle), turned(third)]
        return _w.stack(out if extrinsic else out[::-1], -1)

    def magnitude(self):
        q = self.quat
        return 2 * _w.atan2(_jnp.linalg.norm(q[..., :3], axis=-1), _w.abs(q[..., 3]))

    def mean(self, weights=None):
        w = _w.full((self.quat.shape[0],), 1.0, self.quat.dtype) if weights is None else _jnp.asarray(weights, self.quat.dtype)
        if len(w.shape) != 1:
            raise ValueError(f"Expected `weights` to be 1 dimensional, got shape {tuple(w.shape)}.")
        if w.shape[0] != len(self):
            raise ValueError(f"Expected `weights` to have number of values equal to number of rotations, got {w.shape[0]} values and "
                             f"{len(self)} rotations.")
        k = _jnp.matmul(w[None, :] * self.quat.T, self.quat)
        return Rotation(_jnp.linalg.eigh(k)[1][:, -1])


class Slerp:
    # Between rotations at times, at constant speed.
    def __init__(self, times, timedelta, rotations, rotvecs):
        self.times, self.timedelta, self.rotations, self.rotvecs = times, timedelta, rotations, rotvecs

    @classmethod
    def init(cls, times, rotations):
        if not isinstance(rotations, Rotation):
            raise TypeError("`rotations` must be a `Rotation` instance.")
        if rotations.single or len(rotations) == 1:
            raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
        times = _jnp.asarray(times, rotations.quat.dtype)
        if len(times.shape) != 1:
            raise ValueError(f"Expected times to be specified in a 1 dimensional array, got {len(times.shape)} dimensions.")
        if times.shape[0] != len(rotations):
            raise ValueError(f"Expected number of rotations to be equal to number of timestamps given, got {len(rotations)} rotations "
                             f"and {times.shape[0]} timestamps.")
        start = Rotation(rotations.quat[:-1])
        return cls(times, _jnp.diff(times), start, (start.inv() * Rotation(rotations.quat[1:])).as_rotvec())

    def __call__(self, times):
        times = _jnp.asarray(times, self.times.dtype)
        if len(times.shape) > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        single = len(times.shape) == 0
        times = _jnp.atleast_1d(times)
        i = _w.maximum(_jnp.searchsorted(self.times, times) - 1, 0)
        alpha = (times - self.times[i]) / self.timedelta[i]
        out = self.rotations[i] * Rotation.from_rotvec(self.rotvecs[i] * alpha[:, None])
        return out[0] if single else out
