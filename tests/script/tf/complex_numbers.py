# Complex tensors and tf.signal.
import tensorflow as tf
z = tf.complex([1.0, 2.0], [3.0, -1.0])
print(z, z.dtype, tf.math.real(z), tf.math.imag(z), tf.abs(z), tf.math.conj(z), tf.math.angle(z))
print(z * z, z + z, z / z, tf.reduce_sum(z), tf.constant(1 + 2j), tf.cast([1, 2], tf.complex64))
print(tf.signal.fft(z), tf.signal.rfft([1.0, 2.0, 3.0, 4.0]), tf.signal.irfft(tf.signal.rfft([1.0, 2.0, 3.0, 4.0])), tf.signal.fftshift([1, 2, 3]))
print(tf.exp(z), tf.matmul(tf.reshape(z, (1, 2)), tf.reshape(z, (2, 1))), repr(z))
