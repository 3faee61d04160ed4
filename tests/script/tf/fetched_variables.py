# What a fetch of a variable gives that the same run changes: of a variable that is memory the new value, of a resource the old one.
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = [1., 2., 3.]
W = tf.Variable(tf.ones([1]), name='w'); b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
R = tf.Variable(tf.ones([1]), use_resource=True)
h = x * W + b
cost = tf.reduce_mean(tf.square(h))
train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
step = R.assign_sub([0.25]).op
s = tf.Session(); s.run(tf.global_variables_initializer())
for i in range(3): print(s.run([train, cost, W, b]))
for i in range(2): print(s.run({'w': W, 'b': b, 'cost': cost, 'train': train}))
print(s.run([train, W * 2]), s.run([W, W.value()]))
print(s.run([step, R]), s.run(R))
print(s.run('w:0'), s.run([train, 'w:0']))
