# Gradients and tangents of complex tensors: by a tape they are the conjugate of the derivative, forward they are not.
import numpy as np
import tensorflow as tf

x = tf.constant([1.0, 2.0, -1.0])
c = tf.constant([1 + 2j, 3 - 1j, -0.5 + 0.25j], tf.complex64)
t = tf.constant([1 + 1j, 0.5 - 2j, -1j], tf.complex64)


def shown(v):
    return None if v is None else [complex(np.round(e, 3)) + 0 for e in np.reshape(v.numpy(), -1)]


def both(name, f, z, tangent):
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = f(z)
    print(name, shown(tape.gradient(y, z)))
    with tf.autodiff.ForwardAccumulator(z, tangent) as acc:
        y = f(z)
    print(name, y.dtype.name, shown(acc.jvp(y)))


for n, f in enumerate((tf.abs, tf.math.real, tf.math.imag, tf.math.angle, tf.math.conj, tf.square, tf.exp, tf.sin, tf.tanh, tf.sqrt, tf.math.log,
          tf.math.reciprocal, tf.signal.fft, tf.signal.ifft, tf.signal.irfft, tf.reduce_sum, tf.reduce_prod)):
    both(n, f, c, t)
both("product", lambda z: z * z, c, t)
both("by its conjugate", lambda z: z * tf.math.conj(z), c, t)
both("quotient", lambda z: z / (z + 1), c, t)
both("part", lambda z: z[1:] * 2j, c, t)
both("power of a spectrum", lambda z: tf.abs(tf.signal.fft(z)) ** 2, c, t)
both("matvec", lambda z: tf.linalg.matvec(tf.reshape(tf.stack([z, z, z]), (3, 3)), z), c, t)
both("of reals", lambda v: tf.complex(v, 2 * v), x, x)
both("abs of reals", lambda v: tf.abs(tf.complex(v, v * v)), x, x)
both("cast", lambda v: tf.cast(v, tf.complex64) * (1 + 2j), x, x)
both("rfft", tf.signal.rfft, x, x)
both("rfft2d", lambda v: tf.signal.rfft2d(tf.reshape(tf.concat([v, v * v], 0), (2, 3))), x, x)
both("stft", lambda v: tf.signal.stft(tf.concat([v, v, v], 0), 4, 2), x, x)
both("dct", lambda v: tf.signal.dct(v), x, x)

v = tf.Variable(c)
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.abs(v * (2 + 1j)))
g = tape.gradient(y, v)
v.assign_sub(0.1 * g)
print(shown(g), shown(v))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.complex(x, x * x)
print(shown(tape.gradient(y, x, output_gradients=tf.constant([1j, 2, 3 + 1j], tf.complex64))))
with tf.GradientTape() as outer:
    outer.watch(c)
    with tf.GradientTape() as inner:
        inner.watch(c)
        y = c * c * c
    g = inner.gradient(y, c)
print(shown(g), shown(outer.gradient(g, c)))


@tf.custom_gradient
def doubled(z):
    return z * 1j, lambda g: g * 2j


both("a rule", doubled, c, t)


@tf.function
def traced(z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.abs(z * z)
    return tape.gradient(y, z)


print(shown(traced(c)), traced(c).dtype.name)


@tf.custom_gradient
def tripled(v):
    return v * 3, lambda g: g * 5


two = tf.constant(2.0)
with tf.autodiff.ForwardAccumulator(two, tf.constant(1.0)) as acc:      # through the function, not its rule
    with tf.GradientTape() as tape:
        tape.watch(two)
        y = tripled(two) * two
    g = tape.gradient(y, two)
print(acc.jvp(y), g, acc.jvp(g))
