# Colours, measures, sizes and boxes of images.
import numpy as np
import tensorflow as tf


def show(name, f):
    try:
        v = f()
        v = v if isinstance(v, (tuple, list)) else [v]
        print(name, [(x.dtype.name, tuple(x.shape), [round(float(y), 6) for y in np.array(x).astype("float64").reshape(-1)[:10]], round(float(np.array(x).astype("float64").sum()), 2)) for x in v])
    except Exception as e:
        print(name, type(e).__name__)


r = np.random.RandomState(0)
x = tf.constant(r.rand(2, 13, 14, 3).astype("float32"))
y = tf.constant(r.rand(2, 13, 14, 3).astype("float32"))
b = tf.constant(r.randint(0, 256, (5, 6, 3)).astype("uint8"))
for name in "rgb_to_yiq yiq_to_rgb rgb_to_yuv yuv_to_rgb rgb_to_hsv hsv_to_rgb total_variation image_gradients sobel_edges".split():
    show(name, lambda: getattr(tf.image, name)(x))
show("gray hsv", lambda: tf.image.rgb_to_hsv(tf.constant([[[0.0, 0, 0], [0.5, 0.5, 0.5], [1.0, 0, 1.0]]])))
for d in (0.1, -0.3, 0.9):
    show("hue", lambda: tf.image.adjust_hue(x, d))
    show("hue bytes", lambda: tf.image.adjust_hue(b, d))
for s in (0.0, 0.5, 3.0):
    show("saturation", lambda: tf.image.adjust_saturation(x, s))
    show("saturation bytes", lambda: tf.image.adjust_saturation(b, s))
show("psnr", lambda: tf.image.psnr(x, y, 1.0))
show("psnr bytes", lambda: tf.image.psnr(b, 255 - b, 255))
show("ssim", lambda: tf.image.ssim(x, y, 1.0))
show("ssim small", lambda: tf.image.ssim(x, x * 0.9, 1.0, filter_size=5, filter_sigma=1.0, k1=0.02))
big = tf.constant(r.rand(1, 60, 61, 2).astype("float32"))
show("ssim scales", lambda: tf.image.ssim_multiscale(big, big * 0.8 + 0.1, 1.0, power_factors=(0.3, 0.7), filter_size=5))
show("pad", lambda: tf.image.pad_to_bounding_box(x, 1, 2, 20, 17))
show("pad bad", lambda: tf.image.pad_to_bounding_box(x, 1, 2, 5, 17))
for size in ((20, 20), (5, 6), (20, 5), (13, 14), (8, 17)):
    show("crop or pad", lambda: tf.image.resize_with_crop_or_pad(x, *size))
    show("resize pad", lambda: tf.image.resize_with_pad(x, *size))
boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.1, 0.2, 0.5, 0.9], [0.5, 0.5, 1.4, 1.2], [0.9, 0.9, 0.1, 0.1]])
show("crops", lambda: tf.image.crop_and_resize(x, boxes, [0, 1, 0, 1], [3, 4]))
show("crops nearest", lambda: tf.image.crop_and_resize(x, boxes, [0, 1, 0, 1], [3, 4], method="nearest", extrapolation_value=7.0))
show("crops one", lambda: tf.image.crop_and_resize(x, boxes, [0, 1, 0, 1], [1, 2]))
at = r.rand(30, 4).astype("float32")
scores = r.rand(30).astype("float32")
for most, overlap, least in ((5, 0.5, -1.0), (30, 0.2, 0.3), (30, 0.0, 0.5), (0, 0.5, 0.0)):
    show("nms", lambda: tf.image.non_max_suppression(at, scores, most, overlap, least))
show("nms table", lambda: tf.image.non_max_suppression_overlaps(r.rand(8, 8).astype("float32"), scores[:8], 4, 0.6))
m = tf.constant(r.rand(2, 3, 3).astype("float32"))
show("diagonal by place", lambda: (tf.linalg.diag_part(m, "d", 1), tf.linalg.diag_part(m, k=-1), tf.linalg.diag(m[0], "d", 1), tf.linalg.set_diag(m, m[:, 0], "s", 0)))
for d in (tf.int64, tf.int32, tf.int8):     # means of integers go towards 0
    show("mean", lambda: (tf.reduce_mean(tf.constant([[-8, -8, 2], [1, 1, 0], [-1, -1, 0]], d), axis=-1), tf.reduce_mean(tf.constant([-7, 2], d))))
show("mean", lambda: tf.reduce_mean(tf.constant([250, 250], tf.uint8)))
for v in (2.0, float("inf"), float("nan")):
    show("clip", lambda: tf.clip_by_global_norm([tf.constant([1.0, v]), tf.constant([3.0])], 1.5)[0])
