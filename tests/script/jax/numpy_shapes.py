# jax.numpy: making arrays and moving elements.
import jax
import jax.numpy as jnp


def show(*values):
    for v in values:
        print(repr(v))


x = jnp.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
v = jnp.array([3.0, 1.0, 2.0, 1.0])
i = jnp.array([3, 1, 2, 1])
b = jnp.array([True, False, True, True])
u = jnp.array([1, 200, 30], dtype=jnp.uint8)
h = jnp.array([1.5, 2.5], dtype=jnp.float16)
n = jnp.array([1.0, jnp.nan, 3.0, jnp.inf])

show(jnp.arange(3.0), jnp.arange(1, 10, 3), jnp.arange(0, 1, 0.25), jnp.arange(3, dtype=jnp.float32))
show(jnp.full((2,), 3), jnp.full((2,), 3.5), jnp.full((2,2), True), jnp.full_like(v, 2), jnp.zeros((2,), int))
show(jnp.eye(2), jnp.eye(2, 3, k=-1), jnp.tri(3), jnp.identity(2, dtype=jnp.int32))
show(jnp.array(3), jnp.array(3.5), jnp.array([1, 2.5]), jnp.array(True), jnp.asarray([1, 2], dtype=jnp.float16))
show(jnp.array([[1, 2], [3, 4]]).astype(float), jnp.array([1.9, -1.9]).astype(int))
show(abs(v), round(v + 0.345, 1), divmod(i, 2), v @ v, x @ x.T, pow(v, 2))
show(jnp.concatenate([v, i]), jnp.stack([v, v]), jnp.hstack([v, v]), jnp.vstack([v, i]))
show(jnp.column_stack([v, i]), jnp.dstack([v, v]).shape)
show(jnp.split(v, 2), jnp.array_split(v, 3), jnp.tile(v, 2), jnp.repeat(i, 2), jnp.repeat(x, 2, axis=0))
show(jnp.roll(v, 1), jnp.roll(x, (1, 1), (0, 1)))
show(jnp.flip(x), jnp.fliplr(x), jnp.flipud(x), jnp.rot90(x), jnp.rot90(x, 2), jnp.rot90(x, 3))
show(jnp.pad(v, 1), jnp.pad(v, (1, 2), constant_values=7), jnp.pad(x, ((1, 0), (0, 1))))
show(jnp.pad(v, 2, mode="symmetric"), jnp.pad(v, 1, mode="mean"), jnp.pad(v, 2, mode='linear_ramp'))
show(jnp.pad(v, 1, mode='maximum'))
show(jnp.expand_dims(v, (0, 2)).shape, jnp.squeeze(x[None]).shape)
show(jnp.moveaxis(jnp.zeros((2, 3, 4)), (0, 1), (-1, 0)).shape, jnp.swapaxes(x, 0, 1).shape)
show(jnp.rollaxis(jnp.zeros((2, 3, 4)), 2).shape)
show(x.T, x.mT, x.ravel(), x.flatten(), x.reshape(3, 2), x.reshape((-1,)), x.reshape(-1, 2), x.transpose(1, 0))
show(x.swapaxes(0, 1))
show(x.shape, x.dtype, x.ndim, x.size, x.nbytes, x.itemsize, len(x), x.weak_type, x.tolist(), x[0, 0].item())
show(jnp.apply_along_axis(lambda r: r.sum(), 1, x), jnp.vectorize(lambda a, b: a + b)(v, 1.0))
show(jnp.vectorize(lambda m, t: m @ t, signature="(i,j),(j)->(i)")(x, v[:3]))
show(jnp.broadcast_to(v, (2, 4)), jnp.broadcast_shapes((2, 1), (3,)), jnp.atleast_2d(v))
show(jnp.atleast_3d(v).shape, jnp.block([[x, x], [x, x]]).shape)
show(jnp.float32(3), jnp.int32(3.7), jnp.bool_(1), jnp.uint8(255), jnp.float16(1.1), jnp.bfloat16(1.1))
show(jnp.hanning(4), jnp.hamming(4), jnp.blackman(4), jnp.bartlett(5), jnp.i0(v))
show(jnp.unwrap(jnp.array([0.0, 3.0, 7.0, 9.0])))
show(jnp.packbits(b), jnp.unpackbits(u), jnp.geomspace(1.0, 100.0, 3), jnp.logspace(0, 2, 3))
show(jnp.mgrid[0:2, 0:3], jnp.ogrid[0:2, 0:3], jnp.ix_(i[:2], i[2:]), jnp.isscalar(3.0), jnp.shape(x))
show(jnp.size(x), jnp.ndim(3))
show(jnp.float32(1) + 1, jnp.array(1.0) + 1, jnp.array(1) + 1.0, jnp.array(1) * True)
show(jnp.hanning(1), jnp.hamming(0), jnp.bartlett(1), jnp.kaiser(0, 2.0), jnp.linspace(0, 1, 5, retstep=True)[1])
show(*jnp.linspace(0, 1, 1, False, True), *jnp.linspace(jnp.array([0.0]), 1, 1, retstep=True))
