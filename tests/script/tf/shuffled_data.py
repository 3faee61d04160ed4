# The order of shuffled datasets, by the global seed and their own, anew in each iteration or not.
import tensorflow as tf

numbers = lambda d: [int(x) for x in d]
tf.random.set_seed(3)
d = tf.data.Dataset.range(12).shuffle(5)
print(numbers(d), numbers(d))
print(numbers(tf.data.Dataset.range(9).shuffle(100)))
print(numbers(tf.data.Dataset.range(9).shuffle(4, seed=7)))
fixed = tf.data.Dataset.range(9).shuffle(9, seed=7, reshuffle_each_iteration=False)
print(numbers(fixed), numbers(fixed))
print(numbers(tf.data.Dataset.range(4).repeat().shuffle(6).take(20)))
print(numbers(tf.data.Dataset.range(4).shuffle(4).repeat(3)))
print([x.numpy().tolist() for x in tf.data.Dataset.range(600).shuffle(600, seed=1).batch(200)][1][:10])
