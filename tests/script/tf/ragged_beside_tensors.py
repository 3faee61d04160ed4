# Ragged tensors beside lists and tensors, rows that do not match, and how they are written.
import tensorflow as tf

x = tf.ragged.constant([[10, 87, 12], [19, 53], [12, 32]])
print(x + [[1000], [2000], [3000]], x * 2, x + 1, 5 - x, x * tf.constant([[2]]))
print(tf.ragged.constant([[[1, 2], [3, 4], [5, 6]], [[7, 8]]], ragged_rank=1) + tf.constant([[10]]))
print(tf.ragged.constant([[[[1], [2]], [], [[3]], [[4]]], [[[5], [6]], [[7]]]], ragged_rank=2) + tf.constant([10, 20, 30]))
for a, b in ((tf.ragged.constant([[1, 2], [3, 4, 5, 6], [7]]), tf.constant([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])),
             (tf.ragged.constant([[1, 2, 3], [4], [5, 6]]), tf.ragged.constant([[10, 20], [30, 40], [50]]))):
    try:
        print(a + b)
    except tf.errors.InvalidArgumentError as e:
        print(e.message)
print(repr(tf.ragged.constant([[1, 2], [3, 4, 5], [6], [], [7]]).numpy()), tf.ragged.constant([[1.5, 2], [3, 4]]), tf.ragged.constant([[True], []]))
print(tf.RaggedTensor.from_row_splits(values=[[1, 3], [0, 0], [1, 3], [5, 3], [3, 3], [1, 2]], row_splits=[0, 3, 4, 6]))
print(tf.ragged.constant([["What", "a"], ["day"], []]), tf.ragged.constant([[list(range(9))] * 4, [list(range(20, 38))]]))
print(tf.ragged.constant([[[3.25], []], [[1, 2.5], [100]], []]), tf.ragged.constant([[], []]))
