# Version 1: dropout's second argument is what is kept; random nodes draw at each run.
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.ones([8])
print(tf.placeholder("float").dtype, tf.placeholder("double").dtype, tf.placeholder("int32").dtype, tf.zeros([2], "float").dtype)
r = tf.random_normal([3])
with tf.Session() as s:
    print(s.run(tf.nn.dropout(x, 1.0)))
    print(s.run(tf.nn.dropout(x, keep_prob=1.0)))
    print(s.run(tf.nn.dropout(x, rate=0.0)))
    print(sorted(set(s.run(tf.nn.dropout(tf.ones([1000]), 0.8)).tolist())), round(float(s.run(tf.nn.dropout(tf.ones([100000]), 0.8)).mean()), 1))
    a, b = s.run(r), s.run(r)
    c, d = s.run([r, r])
    print((a == b).all(), (c == d).all())
