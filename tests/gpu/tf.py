# tensorflow: devices as it lists them, tf.device.
# GPU_FAKE: devices=2
import tensorflow as tf

assert [d.name for d in tf.config.list_physical_devices("GPU")] == ["/physical_device:GPU:0", "/physical_device:GPU:1"]
assert [d.device_type for d in tf.config.list_logical_devices()] == ["CPU", "GPU", "GPU"]
x = tf.constant([1.0, 2.0])
assert x.device == "/job:localhost/replica:0/task:0/device:GPU:0", x.device
with tf.device("/CPU:0"):
    y, z = tf.constant([3.0]), x + 1
assert y.device.endswith("CPU:0") and z.device.endswith("CPU:0") and (x + 1).device.endswith("GPU:0")
with tf.device("GPU:1"):
    assert tf.constant(1.0).device.endswith("GPU:1")
with tf.device("/GPU:5"):           # softly
    assert tf.constant(1.0).device.endswith("CPU:0")
try:
    tf.device("/TPU:0")
    print("there is a TPU")
except ValueError as e:
    assert "Unknown attribute 'tpu'" in str(e), e
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as t:
    loss = tf.reduce_sum(v * v)
v.assign_sub(t.gradient(loss, v))
assert v.numpy().tolist() == [-1.0, -2.0] and v.device.endswith("GPU:0")
assert x.cpu().device.endswith("CPU:0") and x.cpu().gpu().device.endswith("GPU:0")
tf.config.set_visible_devices([], "GPU")
assert tf.constant(1.0).device.endswith("CPU:0") and len(tf.config.list_logical_devices()) == 1
print("ok")
