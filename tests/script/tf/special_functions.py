# Functions of tf.math.special with their slopes, maps over no rows, integers as the integers of pictures.
import tensorflow as tf
x = tf.constant([0.5, 2.0])
for f in (tf.math.special.bessel_k0, tf.math.special.bessel_k1, tf.math.bessel_i0, tf.math.special.bessel_j0, tf.math.special.bessel_y0, tf.math.special.dawsn, tf.math.special.expint, tf.math.special.fresnel_cos, tf.math.special.spence, tf.math.special.bessel_k0e):
    with tf.GradientTape() as t:
        t.watch(x); y = f(x)
    print(t.gradient(y, x).numpy().round(3))
print(tf.vectorized_map(lambda v: v * 2, tf.zeros([0, 3])), tf.map_fn(lambda v: v * 2, tf.zeros([0, 3])))
for a, b in ((tf.uint8, tf.int16), (tf.int32, tf.uint8), (tf.int8, tf.uint8), (tf.uint8, tf.uint16), (tf.int16, tf.int8), (tf.int64, tf.int16), (tf.uint16, tf.uint8)):
    v = tf.cast(tf.constant([0, 1, 7, 100, 127, 200, -3]), a)
    print(tf.image.convert_image_dtype(v, b).numpy(), tf.image.convert_image_dtype(v, b, saturate=True).numpy())
