# Summaries of version 1 are nodes that a session gives as bytes; a writer puts them into event files.
import os
import struct
import tempfile
import numpy as np
import tensorflow as tf


def varint(data, at):
    n = shift = 0
    while True:
        b = data[at]
        at += 1
        n |= (b & 127) << shift
        shift += 7
        if b < 128:
            return n, at


def fields(data):
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            v, at = varint(data, at)
        else:
            if key & 7 == 2:
                n, at = varint(data, at)
            else:
                n = 8 if key & 7 == 1 else 4
            v, at = data[at:at + n], at + n
        out.setdefault(key >> 3, []).append(v)
    return out


def events(folder):
    for name in sorted(os.listdir(folder)):
        data, at = open(os.path.join(folder, name), "rb").read(), 0
        while at < len(data):
            n = struct.unpack("<Q", data[at:at + 8])[0]
            f = fields(data[at + 12:at + 12 + n])
            at += n + 16
            for s in f.get(5, []):
                for v in fields(s).get(1, []):
                    g = fields(v)
                    yield f.get(2, [0])[0], g[1][0].decode(), g


v1 = tf.compat.v1
folder = tempfile.mkdtemp()
with v1.Graph().as_default():
    x = v1.placeholder(tf.float32, [None], "x")
    with v1.name_scope("net"):
        v1.summary.scalar("mean", tf.reduce_mean(x))
    v1.summary.scalar("sum", tf.reduce_sum(x))
    every = v1.summary.merge_all()
    one = v1.summary.scalar("alone", x[0], collections=[])
    writer = v1.summary.FileWriter(folder)
    with v1.Session() as s:
        for i in range(2):
            data, total = s.run([every, tf.reduce_sum(x)], {x: [1.0 + i, 2.0]})
            print(type(data).__name__, total)
            writer.add_summary(data, i)
        writer.add_summary(s.run(one, {x: [7.0]}), 5)
    writer.add_summary(v1.Summary(value=[v1.Summary.Value(tag="by hand", simple_value=2.5)]), 6)
    writer.close()
for step, tag, g in events(folder):
    print(step, tag, struct.unpack("<f", g[2][0])[0])

# the graph itself, for TensorBoard to draw
folder = tempfile.mkdtemp()
with v1.Graph().as_default():
    with v1.name_scope("in"):
        a = v1.placeholder(tf.float32, [2], "a")
    b = tf.add(a, a, name="twice")
    with v1.Session() as s:
        v1.summary.FileWriter(folder, s.graph).close()
for name in os.listdir(folder):
    data, at = open(os.path.join(folder, name), "rb").read(), 0
    while at < len(data):
        n = struct.unpack("<Q", data[at:at + 8])[0]
        for d in fields(data[at + 12:at + 12 + n]).get(4, []):
            for node in fields(d)[1]:
                g = fields(node)
                print(g[1][0].decode(), g[2][0].decode(), [i.decode() for i in g.get(3, [])])
        at += n + 16
