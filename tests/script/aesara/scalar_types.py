# The dtype that holds numbers of several.
import aesara
import theano

print(theano.scalar.upcast("float32", "int64"), aesara.scalar.upcast("float32", "int8"), aesara.scalar.upcast("int32"), theano.scalar.upcast("bool", "uint8", "float32"))
