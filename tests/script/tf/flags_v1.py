# Options of the command line, as programs of version 1 define them.
import sys

import tensorflow.compat.v1 as tf

sys.argv = ["prog.py", "--rate=0.25", "--n", "7", "--nobig", "-name", "x", "rest", "--tag=b", "--xs=1,2"]
flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("rate", 0.5, "the rate")
flags.DEFINE_integer("n", 3, "how many")
flags.DEFINE_boolean("big", True, "size")
flags.DEFINE_bool("on", False, "x")
flags.DEFINE_string("name", None, "a name")
tf.flags.DEFINE_enum("tag", "a", ["a", "b"], "a tag")
tf.flags.DEFINE_list("xs", ["3"], "a list")
tf.flags.DEFINE_multi_integer("ms", [1], "a list")
print(FLAGS.rate, FLAGS.n, FLAGS.big, FLAGS.on, FLAGS.name, FLAGS.tag, FLAGS.xs, FLAGS.ms)
FLAGS.n = 9
print(FLAGS.n)
print(FLAGS["n"].value, FLAGS["n"].default, "n" in FLAGS, FLAGS["rate"].name)
try:
    FLAGS.nothing
except AttributeError as e:
    print("AttributeError", e)
print(sorted(k for k in FLAGS.flag_values_dict() if k in ("n", "rate", "big")))
try:
    flags.DEFINE_integer("n", 3, "again")
except Exception as e:
    print(type(e).__name__)
try:
    FLAGS.n = "x"
except Exception as e:
    print(type(e).__name__, e)
try:
    FLAGS.tag = "z"
except Exception as e:
    print(type(e).__name__, e)


def main(argv):
    print(argv)
    return 3


try:
    tf.app.run(main)
except SystemExit as e:
    print("exit", e.code)


def main(_):
    print("the main")


try:
    tf.app.run()
except SystemExit as e:
    print("exit", e.code)
