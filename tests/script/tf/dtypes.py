# Numbers take the dtype of the tensor beside them, at once, or are refused.
import tensorflow as tf
def t(f):
    try:
        r = f()
        print(r.dtype.name if hasattr(r,'dtype') else '', r.numpy().tolist() if hasattr(r,'numpy') else r)
    except Exception as e:
        print(type(e).__name__)
for d in ('int8','int16','uint8','int32','int64','float16','float64','bool'):
    x = tf.constant([True, False], d) if d=='bool' else tf.constant([1,2], d)
    for f in (lambda: x/2, lambda: x/x, lambda: x & x, lambda: x|x, lambda: x^x, lambda: ~x, lambda: +x, lambda: x/True, lambda: x+True, lambda: 0.5*x, lambda: x//2, lambda: 1//x, lambda: x%2, lambda: x**2,lambda: x**-1, lambda: x<True, lambda: x<0.5, lambda: abs(x), lambda: -x, lambda: x-1, lambda: tf.add(x, 0.5), lambda: tf.add(x, True), lambda: tf.multiply(0.1, x), lambda: tf.add(0.1,0.2), lambda: tf.pow(x,-1), lambda: tf.add(1, x), lambda: tf.maximum(x,x), lambda: tf.less(x,x), lambda: tf.math.floordiv(x,2), lambda: tf.math.floormod(x,2)):
        t(f)
for v, d in ((0.1,'float64'),(1,'bool'),(True,'int32'),(True,'float32'),(1.5,'int32'),([],'int8'),([[]],'bool'),([1,2.5],'float64'),(2**40,'int64'),(300,'uint8'),(2**31,None),([1,2],'float64'),([1,2.5],None),(1,'complex64'),(-1,'uint8')):
    t(lambda: tf.constant(v, d)); t(lambda: tf.convert_to_tensor(v, d)); t(lambda: tf.Variable(v, dtype=d).read_value()); t(lambda: tf.cast(v, d) if d else None)
