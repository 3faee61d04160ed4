# Complex arrays: promotion, printing, parts, transforms, holomorphic and other gradients, their errors.
import jax
import jax.numpy as jnp

z = jnp.array([1 + 2j, 3 - 0.5j])
print(z, repr(z), z.dtype, z.real, z.imag, jnp.conj(z), jnp.angle(z))
print(z * 2, 1j * z, z / (1 + 1j), z ** 2, jnp.abs(z), jnp.exp(1j * jnp.pi), z @ z, jnp.sum(z))
print((jnp.arange(2) * 1j).dtype, (jnp.ones(2, jnp.float16) + 1j).dtype, jnp.result_type(jnp.int8, jnp.complex64), jnp.iscomplexobj(z))
print(jnp.sqrt(jnp.array([-4 + 0j, 2j])), jnp.isnan(z), jnp.mean(z), jnp.where(jnp.abs(z) > 3, z, 0))
print(jax.grad(lambda x: jnp.sum(jnp.abs(x) ** 2))(z), jax.grad(lambda x: x ** 3, holomorphic=True)(2 + 1j))
print(jnp.round(jax.jit(lambda x: jnp.fft.ifft(jnp.fft.fft(x)).real)(jnp.arange(6.0)), 4), jax.vmap(jnp.fft.fft)(jnp.eye(2)))
print(jnp.fft.hfft(jnp.array([1, 2 + 1j, 3])), jnp.fft.fftn(jnp.ones((2, 2)), norm="ortho"), jax.lax.complex(1.0, 2.0))
for f in (lambda: jax.grad(lambda x: x * 1j)(2.0), lambda: jax.grad(lambda x: x * 1.0, holomorphic=True)(2.0), lambda: jnp.fft.rfft(z)):
    try:
        f()
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
print(jax.vjp(lambda x: x * (2 + 1j), 1 + 1j)[1](jnp.complex64(1))[0])
print(jax.jvp(lambda x: x * x, (1 + 1j,), (1j,)))
