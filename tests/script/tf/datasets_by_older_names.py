# tf.data.experimental, py_function as a decorator.
import tensorflow as tf

ex = tf.data.experimental
ds = tf.data.Dataset.range(6)
print(ex.AUTOTUNE, ex.INFINITE_CARDINALITY, ex.UNKNOWN_CARDINALITY, int(ex.cardinality(ds)), int(ex.cardinality(ds.repeat())), int(ex.cardinality(ds.filter(lambda x: x > 2))))
print([int(x) for x in ds.filter(lambda x: x > 2).apply(ex.assert_cardinality(3))], int(ds.filter(lambda x: x > 2).apply(ex.assert_cardinality(3)).cardinality()))
for n in (2, 5):
    try:
        print([int(x) for x in ds.filter(lambda x: x > 2).apply(ex.assert_cardinality(n))])
    except tf.errors.OpError as e:
        print(type(e).__name__, "expected to contain" in e.message)
print([int(x) for x in ex.Counter(3, 2).take(4)], int(ex.cardinality(ex.Counter())))
print([(int(i), int(x)) for i, x in ds.apply(ex.enumerate_dataset(10)).take(2)], [int(x) for x in ds.batch(2).apply(ex.unbatch())])
print([x.numpy().tolist() for x in ds.apply(ex.map_and_batch(lambda x: x * x, 4))], [int(x) for x in ds.map(lambda x: x // 2).apply(ex.unique())])
print([int(x) for x in ds.apply(ex.take_while(lambda x: x < 3))], int(ex.get_single_element(ds.take(1))))
choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 0, 1], tf.int64))
print([int(x) for x in ex.choose_from_datasets([ds, ds.map(lambda x: -x)], choice)])


@tf.py_function(Tout=tf.float32)
def squared(x):
    return x * x


print(squared(3.0), tf.py_function(lambda a, b: a + b, [1, 2], tf.int32), tf.py_function(func=lambda a: a * 2, inp=[1.5], Tout=tf.float32))
