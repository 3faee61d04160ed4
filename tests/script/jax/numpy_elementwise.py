# jax.numpy: arithmetic and functions of elements, with the types of the results.
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

show(v + 1, v * 2.5, i + 1.5, i / 2, i // 2, i % 2, -i, i ** 2, 2 ** i, i ** -1.0, v ** 0.5)
show(u + 1, u + 1.0, u + i[:3], u * jnp.int8(2), h + v[:2], b + 1, b * 2.0, b & True, ~b, b | False)
show(i & 1, i | 4, i ^ 7, i << 2, i >> 1, ~i)
show(1 / v, 1 - v, 7 // i, 7 % i, 2.0 ** v)
show(v > 1, v == 1.0, i != 1, 1 < v)
show(jnp.floor(x / 2), jnp.ceil(x / 2), jnp.trunc(x / 2), jnp.rint(x / 2), jnp.round(x / 3, 2))
show(jnp.floor(i), jnp.sqrt(i), jnp.exp(u), jnp.sign(i), jnp.sign(v - 2))
show(jnp.sin(v), jnp.cos(v), jnp.tan(v), jnp.arcsin(v / 4), jnp.arccos(v / 4), jnp.arctan(v))
show(jnp.sinh(v), jnp.cosh(v), jnp.tanh(v), jnp.arcsinh(v), jnp.arccosh(v), jnp.arctanh(v / 4))
show(jnp.log(v), jnp.log2(v), jnp.log10(v), jnp.log1p(v), jnp.exp2(v), jnp.expm1(v), jnp.cbrt(v))
show(jnp.reciprocal(v))
show(jnp.hypot(v, 2.0), jnp.arctan2(v, -1.0), jnp.logaddexp(v, 1.0), jnp.logaddexp2(v, 1.0), jnp.sinc(v / 3))
show(jnp.maximum(v, 2), jnp.minimum(v, 2), jnp.fmax(n, 2.0), jnp.fmin(n, 2.0), jnp.clip(v, 1.5, 2.5))
show(jnp.clip(i, 2), v.clip(max=2))
show(jnp.isclose(v, v + 1e-9), jnp.allclose(v, v), jnp.array_equal(v, v), jnp.array_equiv(v, 1.0))
show(jnp.gcd(i, 6), jnp.lcm(i, 4), jnp.heaviside(v - 2, 0.5), jnp.modf(v / 2), jnp.frexp(v), jnp.ldexp(v, i))
show(jnp.nextafter(v, 10.0))
show(jnp.result_type(i, v), jnp.result_type(jnp.int8, jnp.uint8), jnp.promote_types(jnp.float16, jnp.bfloat16))
show(jnp.issubdtype(v.dtype, jnp.floating), jnp.issubdtype(jnp.int32, jnp.integer))
show(jnp.issubdtype(jnp.float32, jnp.integer))
show(jnp.zeros(3) * jnp.float32(2), (v * jnp.float16(2)).dtype, (h * 2).dtype, (h * jnp.float32(2)).dtype)
show((u * 2).dtype, (u * 2.0).dtype)
# a quotient by one number is a product
show(float(jnp.round(jnp.float32(0.0988), 4)) == 0.09879999607801437, float(jnp.round(jnp.float32(3.3), 1)) > 3.2)
